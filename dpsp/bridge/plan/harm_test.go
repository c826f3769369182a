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
	for _, reason := range []string{Refused, Kicked, Cut, Full, Later} {
		p := newPuppet(t, Config{})
		p.step(Tick{})
		keeper, _ := p.up(ID{1})
		p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true, Peers: []hint{{ID: ID{2}, Slot: 1}}}})
		other, _ := p.up(ID{2})
		p.say(other, message{State: &state{Slot: 1, Order: 2, Ports: At(1)}})
		out := p.step(Down{Link: other, Reason: reason})
		assert.Empty(t, of[Ended](out), reason)
		out = p.say(keeper, message{Grant: &grant{Slot: 2, Order: 3, Ports: At(2)}})
		assert.Len(t, of[Entered](out), 1, reason)
	}
	p := newPuppet(t, Config{})
	p.step(Tick{})
	keeper, _ := p.up(ID{1})
	p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true}})
	assert.Len(t, of[Ended](p.step(Down{Link: keeper, Reason: Refused})), 1, "that is the keeper's word")
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

// TestMute has a member make connections over which it says nothing. They take nobody's place: what we dialed counts, and if it
// breaks we dial again.
func TestMute(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	p.plan.Step(p.now, Down{Link: l})
	var dialed []Dial
	for len(dialed) == 0 { // not answered, as it is by the puppet
		p.now = p.plan.Wake()
		dialed = of[Dial](p.plan.Step(p.now, Tick{}))
	}
	open := 0
	for range 3 * maxKnown {
		_, out := p.up(ID{1})
		open += 1 - len(of[Close](out))
	}
	assert.Equal(t, maxLinks, open)
	p.last++
	out := p.step(Up{Link: p.last, ID: ID{1}, Ours: true})
	assert.Empty(t, of[Close](out))
	assert.NotEmpty(t, sent(t, out, p.last))
	p.step(Down{Link: p.last})
	assert.NotEmpty(t, of[Dial](p.wait(dialLate)))
}

// TestMuteCrowd has strangers fill what there is for their connections: members come back nonetheless, and who was turned away
// comes in once the mute ones are gone.
func TestMuteCrowd(t *testing.T) {
	t.Parallel()
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	p.step(Down{Link: l})
	for i := range 4 * maxKnown {
		p.last++
		p.plan.Step(p.now, Up{Link: p.last, ID: ID{9, byte(i), byte(i >> 8)}})
	}
	assert.Len(t, p.plan.links, 2*maxKnown)
	p.last++
	assert.Empty(t, of[Close](p.plan.Step(p.now, Up{Link: p.last, ID: ID{1}})))
	_, out := p.up(ID{2})
	assert.Equal(t, []Close{{Link: p.last, Reason: Full}}, of[Close](out))
	p.wait(hearing)
	_, g := p.join(ID{2}, "")
	assert.NotNil(t, g)
}

// TestAnswerToNobody has a dial answered that nobody waits for any more: the machine is forgotten like others afterwards.
func TestAnswerToNobody(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	p.plan.Step(p.now, Down{Link: l})
	p.now = p.now.Add(time.Second)
	require.NotEmpty(t, of[Dial](p.plan.Step(p.now, Tick{})))
	back, _ := p.up(ID{1})
	p.say(back, message{State: &state{Name: "one", Slot: 1, Order: 2, Ports: At(1)}})
	p.last++
	out := p.step(Up{Link: p.last, ID: ID{1}, Ours: true})
	assert.Equal(t, []Close{{Link: p.last, Reason: Twice}}, of[Close](out))
	out = p.step(Heard{Link: back, Data: []byte("nonsense")})
	assert.Equal(t, []Close{{Link: back, Reason: Broken}}, of[Close](out))
	assert.Len(t, of[Gone](p.wait(patience+time.Second)), 1)
}

// TestNonsenseRests has a member say nonsense, and be older than it was: it is not called again at once.
func TestNonsenseRests(t *testing.T) {
	for _, data := range [][]byte{[]byte("nonsense"), encode(message{State: &state{Slot: 1, Order: 1, Ports: At(1)}})} {
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		l, _ := p.join(ID{1}, "one")
		out := p.step(Heard{Link: l, Data: data})
		assert.Equal(t, []Close{{Link: l, Reason: Broken}}, of[Close](out))
		assert.Empty(t, of[Dial](append(out, p.wait(patience-time.Second)...)))
	}
}

// TestUnwanted has a member not want us, of which another one tells all the time: it is called again after ten minutes.
func TestUnwanted(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	other, _ := p.join(ID{2}, "two")
	l, _ := p.join(ID{1}, "one")
	s := state{Name: "two", Slot: 1, Order: 2, Ports: At(1), Peers: []hint{{ID: ID{1}, Slot: 2}}}
	p.say(other, message{State: &s})
	out := p.step(Down{Link: l, Reason: Refused})
	assert.Empty(t, of[Dial](append(out, p.wait(standing-time.Second)...)))
	assert.NotEmpty(t, of[Dial](p.wait(2*time.Second)))
}

// TestManyKicked sends more machines away than a message can name.
func TestManyKicked(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	for i := range byte(2 * maxKicked) {
		p.join(ID{1, i}, "")
		p.step(Kick{ID: ID{1, i}})
		p.wait(2 * quarantine)
	}
	m, err := decode(p.plan.says())
	require.NoError(t, err)
	assert.Len(t, m.State.Kicked, maxKicked)
	assert.Contains(t, m.State.Kicked, ID{1, 2*maxKicked - 1})
}

// TestKeeperNamesMany has a keeper say all the time that others are in: what is kept of it is bounded.
func TestKeeperNamesMany(t *testing.T) {
	p := newPuppet(t, Config{})
	p.step(Tick{})
	keeper, _ := p.up(ID{1})
	for i := range 20 {
		s := state{Slot: 0, Order: 1, Ports: At(0), Keeper: true}
		for j := range maxPeers {
			s.Peers = append(s.Peers, hint{ID: ID{7, byte(i), byte(j)}, Slot: -1})
		}
		p.say(keeper, message{State: &s})
	}
	assert.LessOrEqual(t, len(p.plan.in), 2*maxKnown)
}

// TestManyNamed has a member name many machines: a few are called at a time.
func TestManyNamed(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	s := state{Slot: 1, Order: 2, Ports: At(1)}
	for i := range byte(Slots) {
		s.Peers = append(s.Peers, hint{ID: ID{7, i}, Slot: -1})
	}
	out := p.plan.Step(p.now, Heard{Link: l, Data: encode(message{State: &s})})
	assert.Len(t, of[Dial](out), 16)
	assert.Len(t, of[Dial](p.plan.Step(p.now, Failed{ID: of[Dial](out)[0].ID})), 1, "the next one")
}

// TestNamedLeaveRoom has a member name as many machines as it can: those that come have room nonetheless.
func TestNamedLeaveRoom(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	for i := range byte(4) {
		s := state{Slot: 1, Order: 2, Ports: At(1)}
		for j := range byte(maxPeers) {
			s.Peers = append(s.Peers, hint{ID: ID{7, i, j}, Slot: -1})
		}
		p.say(l, message{State: &s})
	}
	assert.Len(t, p.plan.peers, maxHinted)
	for i := range byte(Slots - 2) {
		_, g := p.join(ID{9, i}, "")
		require.NotNil(t, g, i)
	}
}

// TestNamedTakeNoSlots has a member name former members with all slots: a newcomer gets one of them nonetheless.
func TestNamedTakeNoSlots(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	var s state
	for i := range byte(Slots - 2) {
		l, g := p.join(ID{7, i}, "")
		require.NotNil(t, g, i)
		p.step(Down{Link: l})
		s.Peers = append(s.Peers, hint{ID: ID{7, i}, Slot: 2 + int(i)})
		p.wait(2 * time.Minute)
	}
	l, g := p.join(ID{1}, "one")
	s.Slot, s.Order, s.Ports = g.Slot, g.Order, g.Ports
	p.say(l, message{State: &s})
	_, g = p.join(ID{9}, "")
	require.NotNil(t, g)
}

// TestAnotherOrderElsewhere has a member say over another connection that it is older than it was: that one is closed, and the first one
// stays.
func TestAnotherOrderElsewhere(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	other, _ := p.up(ID{1})
	out := p.say(other, message{State: &state{Slot: 1, Order: 1, Ports: At(1)}})
	assert.Equal(t, []Close{{Link: other, Reason: Broken}}, of[Close](out))
	require.Len(t, p.plan.Members(), 1)
	assert.Equal(t, l, p.plan.Members()[0].Link)
}

// TestAloneAfterGoodbyes has all others say goodbye: nobody can be connected from our place, so a newcomer finds us on it.
func TestAloneAfterGoodbyes(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "one")
	p.step(Down{Link: l, Reason: Left})
	l, _ = p.up(ID{2})
	for _, m := range sent(t, p.say(l, message{State: &state{Slot: -1}}), l) {
		if m.State != nil {
			assert.Equal(t, 0, m.State.Slot)
		}
	}
}
