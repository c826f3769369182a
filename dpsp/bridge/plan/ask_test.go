package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAskStays has the keeper ask its user about newcomers, and leave: the next keeper asks its own.
func TestAskStays(t *testing.T) {
	for _, c := range []struct {
		keeper, other bool // whether they say that their users are asked
		asks          bool
	}{{true, false, true}, {false, true, false}, {false, false, false}} {
		p := newPuppet(t, Config{})
		p.step(Tick{})
		keeper, _ := p.up(ID{1})
		peers := []hint{{ID: ID{200}, Slot: 1}}
		p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true, Ask: c.keeper, Peers: peers}})
		p.say(keeper, message{Grant: &grant{Slot: 2, Order: 3, Ports: At(2)}})
		other, _ := p.up(ID{200})
		p.say(other, message{State: &state{Slot: 1, Order: 4, Ports: At(1), Ask: c.other}})
		p.step(Down{Link: keeper, Reason: Left})
		require.Equal(t, ID{100}, p.plan.Keeper())
		l, _ := p.up(ID{7})
		out := p.say(l, message{State: &state{Slot: -1}})
		assert.Equal(t, c.asks, len(of[Asked](out)) == 1)
		said := sent(t, append(out, p.wait(time.Second)...), other)
		assert.Equal(t, c.asks, said[0].State.Ask, "and tells so")
	}
}

// TestAskedAndGone has newcomers go before they are answered, or another machine be the one to answer: the question is over, and an
// answer to it is nobody's. Who asks again is asked about again.
func TestAskedAndGone(t *testing.T) {
	p := newPuppet(t, Config{Found: true, Ask: true})
	p.step(Tick{})
	asks := func(id ID) Link {
		l, _ := p.up(id)
		out := p.say(l, message{State: &state{Name: "one", Slot: -1}})
		require.Len(t, of[Asked](out), 1)
		require.True(t, sent(t, out, l)[1].Wait)
		return l
	}
	is := func(id ID) Machine { return Machine{ID: id, Name: "one", Place: Place{Slot: -1}} }
	l := asks(ID{1})
	other := asks(ID{2})
	assert.Equal(t, []Machine{is(ID{1}), is(ID{2})}, p.plan.Asking(), "who came first")
	assert.Equal(t, []Unasked{{Machine: is(ID{1}), Reason: Lost}}, of[Unasked](p.step(Down{Link: l})))
	assert.Equal(t, []Machine{is(ID{2})}, p.plan.Asking())
	assert.Empty(t, p.step(Answer{ID: ID{1}, Yes: true}))
	l = asks(ID{1})
	out := p.step(Heard{Link: l, Data: []byte("nonsense")})
	assert.Equal(t, []Unasked{{Machine: is(ID{1}), Reason: Lost}}, of[Unasked](out))
	asks(ID{1})
	assert.Equal(t, []Unasked{{Machine: is(ID{1}), Reason: Refused}}, of[Unasked](p.step(Answer{ID: ID{1}})))

	l = asks(ID{4})
	out = p.step(Down{Link: l, Reason: Left})
	assert.Equal(t, []Unasked{{Machine: is(ID{4}), Reason: Lost}}, of[Unasked](out))

	in := asks(ID{3})
	out = p.step(Answer{ID: ID{3}, Yes: true})
	assert.Empty(t, of[Unasked](out))
	assert.NotNil(t, sent(t, out, in)[0].Grant)
	out = p.say(in, message{State: &state{Slot: 1, Order: 1, Ports: At(1), Keeper: true}})
	require.Equal(t, ID{3}, p.plan.Keeper(), "it goes before us")
	assert.Equal(t, []Unasked{{Machine: is(ID{2}), Reason: Elsewhere}}, of[Unasked](out))
	assert.Empty(t, of[Close](p.step(Answer{ID: ID{2}})))
	out = p.step(Down{Link: in, Reason: Left})
	assert.Equal(t, []Asked{{Machine: is(ID{2})}}, of[Asked](out))
	assert.NotNil(t, sent(t, p.step(Answer{ID: ID{2}, Yes: true}), other)[0].Grant)
	assert.Empty(t, p.plan.Asking())
}
