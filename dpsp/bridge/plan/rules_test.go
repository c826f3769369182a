package plan

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGrantsOfOthers has machines grant slots that are not to: to a newcomer one that does not say that it is keeper, to a machine
// that lost its slot one that says so and is not its keeper.
func TestGrantsOfOthers(t *testing.T) {
	p := newPuppet(t, Config{})
	p.step(Tick{})
	other, _ := p.up(ID{2})
	p.say(other, message{State: &state{Slot: 1, Order: 2, Ports: At(1)}})
	assert.Empty(t, of[Entered](p.say(other, message{Grant: &grant{Slot: 30, Order: 9, Ports: At(30)}})))

	keeper, _ := p.up(ID{1})
	p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true, Peers: []hint{{ID: ID{2}, Slot: 1}}}})
	assert.Len(t, of[Entered](p.say(keeper, message{Grant: &grant{Slot: 2, Order: 3, Ports: At(2)}})), 1)
	assert.Empty(t, of[Moved](p.say(keeper, message{Grant: &grant{Slot: 5, Order: 3, Ports: At(5)}})), "it has one")
	p.say(other, message{State: &state{Slot: 2, Order: 2, Ports: At(2), Keeper: true}})
	require.Equal(t, -1, p.plan.Self().Slot, "it goes before us")
	require.Equal(t, ID{1}, p.plan.Keeper())
	assert.Empty(t, of[Moved](p.say(other, message{Grant: &grant{Slot: 30, Order: 3, Ports: At(30)}})))
	assert.Len(t, of[Moved](p.say(keeper, message{Grant: &grant{Slot: 3, Order: 3, Ports: At(3)}})), 1)
}

// TestGrantedAgain has a machine not take what it was granted, as one does that takes another one for keeper.
func TestGrantedAgain(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.up(ID{1})
	first := sent(t, p.say(l, message{State: &state{Slot: -1}}), l)[1].Grant
	require.NotNil(t, first)
	assert.Empty(t, sent(t, p.wait(grantAgain-time.Second), l))
	again := sent(t, p.wait(time.Second), l)
	require.Len(t, again, 1)
	assert.Equal(t, first, again[0].Grant)
}

// TestClaimedPlaces has places that others have, as a member says: they are the last that are given. Who waits to be let in has none
// of those that it wishes for, and who has not said a word has none.
func TestClaimedPlaces(t *testing.T) {
	p := newPuppet(t, Config{Found: true, Ports: At(9), Ask: true})
	p.step(Tick{})
	p.step(Up{Link: 1000, ID: ID{50}, Ours: true, Knock: true})
	admit := func(id ID, wish Ports) (Link, Ports) {
		l, _ := p.up(id)
		p.say(l, message{State: &state{Slot: -1, Ports: wish}})
		g := sent(t, p.step(Answer{ID: id, Yes: true}), l)[0].Grant
		p.say(l, message{State: &state{Slot: g.Slot, Order: g.Order, Ports: g.Ports}})
		return l, g.Ports
	}
	l, at := admit(ID{1}, Ports{})
	assert.Equal(t, At(0), at)
	odd := Ports{TCP: 2302, UDP: 2354}
	p.say(l, message{State: &state{Slot: 0, Order: 2, Ports: At(0), Peers: []hint{{ID: ID{7}, Slot: 1, Ports: odd}, {ID: ID{8}, Slot: 5}}}})
	_, at = admit(ID{2}, Ports{})
	assert.Equal(t, At(3), at)
	waits, _ := p.up(ID{3})
	p.say(waits, message{State: &state{Slot: -1, Ports: At(7)}})
	_, at = admit(ID{4}, At(7))
	assert.Equal(t, At(7), at)
	_, at = admit(ID{5}, odd)
	assert.Equal(t, At(6), at)
}

// TestClaimedBySilent has a member say which place a machine has that is linked with us and said nothing yet: nobody else gets it.
func TestClaimedBySilent(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	p.step(Up{Link: 1000, ID: ID{7}, Ours: true, Knock: true})
	l, _ := p.join(ID{2}, "two")
	p.say(l, message{State: &state{Slot: 1, Order: 2, Ports: At(1), Peers: []hint{{ID: ID{7}, Slot: 2}}}})
	_, g := p.join(ID{3}, "three")
	assert.Equal(t, 3, g.Slot)
}

// TestTellsPlaces: the ports of others are told where they are not those of their slots.
func TestTellsPlaces(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	p.join(ID{1}, "one")
	odd := Ports{TCP: 2302, UDP: 2354}
	l, _ := p.up(ID{2})
	p.say(l, message{State: &state{Slot: 2, Order: 3, Ports: odd}})
	last, _ := p.up(ID{3})
	told := sent(t, p.say(last, message{State: &state{Slot: -1}}), last)
	require.NotEmpty(t, told)
	assert.Equal(t, []hint{{ID: ID{1}, Slot: 1}, {ID: ID{2}, Slot: 2, Ports: odd}}, told[0].State.Peers[:2])
}

// TestTogetherAgain has the keeper lose all others and be with one again that has no slot: each gets its own.
func TestTogetherAgain(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	p.step(Down{Link: l})
	l, _ = p.up(ID{1})
	out := p.say(l, message{State: &state{Slot: -1, Order: 2}})
	assert.Empty(t, of[Moved](out))
	said := sent(t, out, l)
	require.Len(t, said, 2)
	assert.Equal(t, 0, said[0].State.Slot)
	assert.Equal(t, 1, said[1].Grant.Slot)
}

// TestCalledBothWays has two machines call each other at once: the call of the lower ID counts, at both.
func TestCalledBothWays(t *testing.T) {
	for id, counts := range map[ID]bool{{1}: true, {200}: false} {
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		p.step(Up{Link: 1, ID: id, Ours: true})
		p.step(Up{Link: 2, ID: id})
		out := p.step(Heard{Link: 2, Data: encode(message{State: &state{Slot: -1}})})
		closed := Link(2)
		if counts {
			closed = 1
		}
		assert.Equal(t, []Close{{Link: closed, Reason: Twice}}, of[Close](out))
		assert.Equal(t, counts, len(sent(t, out, 2)) > 0)
	}
}

// TestCalledBothWaysLate has what the other side said over its call arrive behind what it says over ours, which counts.
func TestCalledBothWaysLate(t *testing.T) {
	said := encode(message{State: &state{Slot: -1}})
	for _, call := range []struct {
		at     time.Duration // when the other one calls
		closed Link
	}{{0, 2}, {time.Second, 1}} {
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		p.step(Up{Link: 1, ID: ID{200}, Ours: true})
		if call.at == 0 {
			p.step(Up{Link: 2, ID: ID{200}})
			p.step(Heard{Link: 1, Data: said})
		} else {
			p.step(Heard{Link: 1, Data: said})
			p.wait(call.at)
			p.step(Up{Link: 2, ID: ID{200}})
		}
		out := p.step(Heard{Link: 2, Data: said})
		assert.Equal(t, []Close{{Link: call.closed, Reason: Twice}}, of[Close](out))
	}
}

// TestLeftForGood has a machine say goodbye: it does not come again under its ID, and nobody calls it whom it is named to.
func TestLeftForGood(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	other, _ := p.join(ID{2}, "two")
	p.step(Down{Link: l, Reason: Left})
	out := p.say(other, message{State: &state{Slot: 2, Order: 3, Ports: At(2), Peers: []hint{{ID: ID{1}, Slot: 1}}}})
	assert.Empty(t, of[Dial](append(out, p.wait(time.Minute)...)))
	l, out = p.up(ID{1})
	assert.Equal(t, []Close{{Link: l, Reason: Kicked}}, of[Close](out))
}

// TestStanding has a machine wait to be let in. After ten minutes it is told no, as one is that nobody answers for.
func TestStanding(t *testing.T) {
	p := newPuppet(t, Config{Found: true, Ask: true})
	p.step(Tick{})
	l, _ := p.up(ID{1})
	p.say(l, message{State: &state{Slot: -1}})
	assert.Empty(t, of[Close](p.wait(standing-time.Second)))
	assert.Equal(t, []Close{{Link: l, Reason: Refused + ": nobody said yes within ten minutes"}}, of[Close](p.wait(2*time.Second)))
}

// TestTakenOver has another machine answer at the code's address, as one that was keeper a moment ago. It has time to see that it is
// not; then the keeper takes the address over.
func TestTakenOver(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	require.Equal(t, []Meet{{On: true}}, of[Meet](p.step(Tick{})))
	l, _ := p.join(ID{1}, "one")
	knock := func(ourselves bool) []Output {
		for {
			p.now = p.plan.Wake()
			if len(of[Knock](p.plan.Step(p.now, Tick{}))) == 0 {
				continue
			}
			if ourselves {
				return p.plan.Step(p.now, Unanswered{Ourselves: true})
			}
			p.last++
			out := p.plan.Step(p.now, Up{Link: p.last, ID: ID{1}, Ours: true, Knock: true})
			assert.Equal(t, []Close{{Link: p.last, Reason: Twice}}, of[Close](out), "it is linked in any case")
			return out
		}
	}
	for range 3 {
		assert.Empty(t, of[Meet](knock(false)))
		assert.Equal(t, []Meet{{On: true}}, of[Meet](knock(false)))
		assert.Empty(t, of[Meet](knock(false)))
		assert.Empty(t, of[Meet](knock(true)))
	}
	p.step(Down{Link: l, Reason: Left})
}

// TestWaitsAgain has a newcomer wait for the keeper's user, longer than for an answer, and lose its link then: it looks for the
// session as long as at first, and no longer.
func TestWaitsAgain(t *testing.T) {
	p := newPuppet(t, Config{})
	p.step(Tick{})
	l, _ := p.up(ID{1})
	p.say(l, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true}})
	assert.Len(t, of[Waits](p.say(l, message{Wait: true})), 1)
	assert.Empty(t, of[Ended](p.wait(5*time.Minute)))
	out := p.step(Down{Link: l})
	assert.Empty(t, of[Ended](append(out, p.wait(patience-time.Second)...)))
	assert.Equal(t, []Ended{{Why: End{Reason: Nobody}}}, of[Ended](p.wait(2*time.Second)))
}

// TestUnreached has the keeper say that a machine is in to which there is no way: it is a member without a name after a few calls
// that failed, until nobody names it any more, or it comes.
func TestUnreached(t *testing.T) {
	for _, comes := range []bool{false, true} {
		p := newPuppet(t, Config{})
		p.step(Tick{})
		keeper, _ := p.up(ID{1})
		s := state{Slot: 0, Order: 1, Ports: At(0), Keeper: true, Peers: []hint{{ID: ID{2}, Slot: 1}, {ID: ID{3}, Slot: -1}}}
		p.say(keeper, message{State: &s})
		p.say(keeper, message{Grant: &grant{Slot: 2, Order: 3, Ports: At(2)}})
		assert.Len(t, p.plan.Members(), 1)
		out := p.wait(time.Minute)
		missing := Machine{ID: ID{2}, Place: Place{1, At(1)}}
		require.Len(t, p.plan.Members(), 2)
		assert.Equal(t, Member{Machine: missing}, p.plan.Members()[1])
		if comes {
			l, _ := p.up(ID{2})
			out = append(out, p.say(l, message{State: &state{Name: "two", Slot: 1, Order: 2, Ports: At(1)}})...)
			assert.Empty(t, of[Gone](out))
			assert.Equal(t, "two", p.plan.Members()[1].Name)
			continue
		}
		s.Peers = nil
		out = append(out, p.say(keeper, message{State: &s})...)
		assert.Equal(t, []Gone{{Machine: missing, Reason: Lost}}, of[Gone](append(out, p.wait(2*patience)...)))
		assert.Len(t, p.plan.Members(), 1)
	}
}

// TestPace has much be new of us: each is told once in a while, and of the last of it.
func TestPace(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	p.wait(time.Second)
	var told []message
	for i := range uint16(30) {
		p.now = p.now.Add(-9 * time.Millisecond) // a step takes one
		told = append(told, sent(t, p.step(Reached{Meeting: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 1}), i+1)}), l)...)
	}
	require.Len(t, told, 1)
	told = sent(t, p.wait(time.Second), l)
	require.Len(t, told, 1)
	assert.Equal(t, uint16(30), told[0].State.Meeting.Port())
}

// TestNextKeeperKicks has the next keeper send a machine away, which we met before it on our way in.
func TestNextKeeperKicks(t *testing.T) {
	p := newPuppet(t, Config{})
	p.step(Tick{})
	keeper, _ := p.up(ID{1})
	p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true, Peers: []hint{{ID: ID{2}, Slot: 1}, {ID: ID{3}, Slot: 2}}}})
	p.say(keeper, message{Grant: &grant{Slot: 3, Order: 4, Ports: At(3)}})
	bad, _ := p.up(ID{3})
	p.say(bad, message{State: &state{Slot: 2, Order: 3, Ports: At(2)}})
	next, _ := p.up(ID{2})
	p.say(next, message{State: &state{Slot: 1, Order: 2, Ports: At(1)}})
	p.wait(time.Minute)
	p.step(Down{Link: keeper, Reason: Left})
	out := p.say(next, message{State: &state{Slot: 1, Order: 2, Ports: At(1), Keeper: true, Kicked: []ID{{3}}}})
	assert.Equal(t, []Close{{Link: bad, Reason: Kicked}}, of[Close](out))
}
