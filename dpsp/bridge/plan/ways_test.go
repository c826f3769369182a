package plan

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAskedForWays has a member ask for our ways, all the time: it is answered once a second. Who is not in gets no answer.
func TestAskedForWays(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	assert.Len(t, of[WaysWanted](p.say(l, message{AskWays: true})), 1)
	out := p.step(TellWays{ID: ID{1}, Ways: []Way{{ID: ID{2}, Up: true, RTT: time.Hour, Loss: math.NaN()}}})
	said := sent(t, out, l)
	require.Len(t, said, 1)
	assert.Equal(t, []Way{{ID: ID{2}, Up: true, RTT: maxRTT, Loss: 1}}, said[0].Ways)
	for range 30 {
		assert.Empty(t, of[WaysWanted](p.say(l, message{AskWays: true})))
	}
	assert.Len(t, of[WaysWanted](p.wait(5*time.Second)), 1)
	said = sent(t, p.step(TellWays{ID: ID{1}, Ways: make([]Way, 10*maxPeers)}), l)
	assert.Len(t, said[0].Ways, maxPeers)
	said = sent(t, p.step(TellWays{ID: ID{1}}), l)
	assert.Equal(t, []Way{}, said[0].Ways, "who knows no ways answers as well")
	assert.Empty(t, p.step(TellWays{ID: ID{7}}))

	asking := newPuppet(t, Config{Found: true, Ask: true})
	asking.step(Tick{})
	l, _ = asking.up(ID{1})
	asking.say(l, message{State: &state{Slot: -1}})
	assert.Empty(t, of[WaysWanted](asking.say(l, message{AskWays: true})))
	assert.Empty(t, sent(t, asking.step(TellWays{ID: ID{1}}), l))
}

// TestAskForWays has us ask: once as long as there is no answer, and without a question there is none.
func TestAskForWays(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	ways := []Way{{ID: ID{100}, Up: true, Direct: true, RTT: time.Millisecond, Loss: 0.25}}
	assert.Empty(t, of[WaysTold](p.say(l, message{Ways: ways})))
	said := sent(t, p.step(AskWays{}), l)
	require.Len(t, said, 1)
	assert.True(t, said[0].AskWays)
	assert.Empty(t, sent(t, p.step(AskWays{}), l))
	assert.Equal(t, []WaysTold{{ID: ID{1}, Ways: ways}}, of[WaysTold](p.say(l, message{Ways: ways})))
	assert.Empty(t, of[WaysTold](p.say(l, message{Ways: ways})))
	p.step(AskWays{})
	assert.Equal(t, []WaysTold{{ID: ID{1}, Ways: []Way{}}}, of[WaysTold](p.say(l, message{Ways: []Way{}})))

	for _, bad := range [][]Way{make([]Way, maxPeers+1), {{Loss: 1.1}}, {{Loss: -1}}, {{RTT: -1}}, {{RTT: maxRTT + 1}}} {
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		l, _ := p.join(ID{1}, "one")
		assert.Equal(t, []Close{{Link: l, Reason: Broken}}, of[Close](p.say(l, message{Ways: bad})))
	}
}
