package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLastOrder has a member say that as many came before it as can be: newcomers still get orders that others take.
func TestLastOrder(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.up(ID{1})
	p.say(l, message{State: &state{Slot: 7, Order: maxOrder, Ports: At(7)}})
	newcomer, _ := p.up(ID{2})
	for _, o := range of[Send](p.say(newcomer, message{State: &state{Slot: -1}})) {
		_, err := decode(o.Data)
		require.NoError(t, err)
	}
}

// TestRefusedByAnother has a member that is no keeper refuse a newcomer, which waits for the keeper's word.
func TestRefusedByAnother(t *testing.T) {
	for _, reason := range []string{Refused, Kicked, Full, Later} {
		p := newPuppet(t, Config{})
		p.step(Tick{})
		keeper, _ := p.up(ID{1})
		p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true, Peers: []hint{{ID: ID{2}, Slot: 1}}}})
		other, _ := p.up(ID{2})
		p.say(other, message{State: &state{Slot: 1, Order: 2, Ports: At(1)}})
		out := p.step(Down{Link: other, Closed: true, Reason: reason})
		assert.Empty(t, of[Ended](out), reason)
		out = p.say(keeper, message{Grant: &grant{Slot: 2, Order: 3, Ports: At(2)}})
		assert.Len(t, of[Entered](out), 1, reason)
	}
	p := newPuppet(t, Config{})
	p.step(Tick{})
	keeper, _ := p.up(ID{1})
	p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true}})
	assert.Len(t, of[Ended](p.step(Down{Link: keeper, Closed: true, Reason: Refused})), 1, "that is the keeper's word")
}

// TestHintsOfOutsiders has somebody who was not let in name machines: nobody calls them.
func TestHintsOfOutsiders(t *testing.T) {
	p := newPuppet(t, Config{Found: true, Ask: true})
	p.step(Tick{})
	l, _ := p.up(ID{1})
	out := p.say(l, message{State: &state{Slot: -1, Peers: []hint{{ID: ID{7}, Slot: -1}}}})
	assert.Empty(t, of[Dial](append(out, p.wait(time.Second)...)))
	p.step(Answer{ID: ID{1}, Yes: true})
	assert.NotEmpty(t, of[Dial](p.wait(time.Second)))
}

// TestGrantedPorts has a keeper grant places: a newcomer takes that of a slot, or the one that it wishes, so that nobody aims the
// others' connections at another program of its machine.
func TestGrantedPorts(t *testing.T) {
	wish := Ports{TCP: 2307, UDP: 2361}
	for _, c := range []struct {
		name  string
		ours  Ports
		grant grant
		taken bool
	}{
		{"the slot's", Ports{}, grant{Slot: 2, Order: 2, Ports: At(2)}, true},
		{"the slot's, not our wish", wish, grant{Slot: 2, Order: 2, Ports: At(2)}, true},
		{"our wish", wish, grant{Slot: 2, Order: 2, Ports: wish}, true},
		{"others, without a wish", Ports{}, grant{Slot: 2, Order: 2, Ports: Ports{TCP: 2301, UDP: 2352}}, false},
		{"others than our wish", wish, grant{Slot: 2, Order: 2, Ports: Ports{TCP: 2307, UDP: 2352}}, false},
	} {
		p := newPuppet(t, Config{Ports: c.ours})
		p.step(Tick{})
		keeper, _ := p.up(ID{1})
		p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true}})
		entered := of[Entered](p.say(keeper, message{Grant: &c.grant}))
		if !c.taken {
			assert.Empty(t, entered, c.name)
			entered = of[Entered](p.say(keeper, message{Grant: &grant{Slot: 3, Order: 2, Ports: At(3)}}))
			assert.Len(t, entered, 1, "%s: it waits for another one", c.name)
			continue
		}
		assert.Equal(t, []Entered{{Slot: 2, Ports: c.grant.Ports}}, entered, c.name)
	}
}
