package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFullSession(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	var links []Link
	for i := byte(1); i < Slots; i++ {
		l, g := p.join(ID{i}, "")
		links = append(links, l)
		require.Equal(t, &grant{Slot: int(i), Order: uint64(i) + 1, Ports: At(int(i))}, g)
		p.wait(time.Second)
	}
	l, _ := p.up(ID{200})
	out := p.say(l, message{State: &state{Slot: -1}})
	assert.Equal(t, []Close{{Link: l, Reason: Full}}, of[Close](out))
	assert.Len(t, p.plan.Members(), Slots-1)

	p.step(Down{Link: links[4], Reason: Left})
	_, g := p.join(ID{201}, "")
	assert.Equal(t, 5, g.Slot, "the only one, though it rests")
}

func TestSlotsRest(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	left, _ := p.join(ID{1}, "")
	lost, _ := p.join(ID{2}, "")
	p.step(Down{Link: left, Reason: Left})
	p.step(Down{Link: lost})
	_, g := p.join(ID{3}, "")
	assert.Equal(t, 3, g.Slot, "1 rests, and 2 may come back")
	p.wait(quarantine)
	_, g = p.join(ID{4}, "")
	assert.Equal(t, 1, g.Slot)
	out := p.wait(patience)
	assert.Contains(t, of[Gone](out), Gone{Machine: Machine{ID: ID{2}, Place: Place{2, At(2)}, Order: 3}, Reason: Lost})
	p.wait(quarantine)
	_, g = p.join(ID{5}, "")
	assert.Equal(t, 2, g.Slot)
}

// TestOwnPorts has games that run already.
func TestOwnPorts(t *testing.T) {
	for _, c := range []struct {
		name string
		wish Ports
		want grant
	}{
		{"those of a free slot", At(7), grant{Slot: 7, Ports: At(7)}},
		{"those of our slot", At(0), grant{Slot: 1, Ports: At(1)}},
		{"of two slots", Ports{TCP: 2305, UDP: 2356}, grant{Slot: 1, Ports: Ports{TCP: 2305, UDP: 2356}}},
		{"one of ours", Ports{TCP: 2305, UDP: 2350}, grant{Slot: 1, Ports: At(1)}},
	} {
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		l, _ := p.up(ID{1})
		m := sent(t, p.say(l, message{State: &state{Slot: -1, Ports: c.wish}}), l)
		require.Len(t, m, 2, c.name)
		c.want.Order = 2
		assert.Equal(t, &c.want, m[1].Grant, c.name)
	}
	// A game that is elsewhere gets a slot's ports, and is translated.
	lone := newPuppet(t, Config{Found: true, Ports: Ports{TCP: 2375, UDP: 2399}})
	assert.Equal(t, []Entered{{Slot: 0, Ports: At(0)}}, of[Entered](lone.step(Tick{})))
	// A slot whose ports a game has that is on another slot is not given.
	p := newPuppet(t, Config{Found: true, Ports: Ports{TCP: 2301, UDP: 2352}})
	assert.Equal(t, []Entered{{Slot: 0, Ports: Ports{TCP: 2301, UDP: 2352}}}, of[Entered](p.step(Tick{})))
	_, g := p.join(ID{1}, "")
	assert.Equal(t, 3, g.Slot)
}

func TestAsk(t *testing.T) {
	p := newPuppet(t, Config{Found: true, Ask: true})
	p.step(Tick{})
	l, _ := p.up(ID{1})
	out := p.say(l, message{State: &state{Name: "one", Slot: -1}})
	assert.Equal(t, []Asked{{Machine: Machine{ID: ID{1}, Name: "one", Place: Place{Slot: -1}}}}, of[Asked](out))
	assert.True(t, sent(t, out, l)[1].Wait)

	// Who says that it is in, with a slot and an order, is asked about as well: it does not stand.
	liar, _ := p.up(ID{2})
	out = p.say(liar, message{State: &state{Slot: 9, Order: 1, Ports: At(9), Keeper: true}})
	assert.Len(t, of[Asked](out), 1)
	assert.Empty(t, of[Stands](append(out, p.wait(time.Minute)...)))
	assert.Equal(t, ID{100}, p.plan.Keeper())

	out = p.step(Answer{ID: ID{1}, Yes: true})
	assert.Equal(t, 1, sent(t, out, l)[0].Grant.Slot)
	out = p.step(Answer{ID: ID{2}})
	assert.Equal(t, []Close{{Link: liar, Reason: Refused}}, of[Close](out))
	again, out := p.up(ID{2})
	assert.Equal(t, []Close{{Link: again, Reason: Kicked}}, of[Close](out))
	assert.Empty(t, p.step(Answer{ID: ID{50}, Yes: true}))
}

func TestKick(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "bad")
	other, _ := p.join(ID{2}, "good")
	p.wait(time.Second)
	out := p.step(Kick{ID: ID{1}, Reason: "be\x1b[2J nice"})
	assert.Equal(t, []Close{{Link: l, Reason: "kicked: be[2J nice"}}, of[Close](out))
	assert.Len(t, of[Falls](out), 1)
	assert.Len(t, of[Gone](out), 1)
	assert.Equal(t, []ID{{1}}, sent(t, append(out, p.wait(time.Second)...), other)[0].State.Kicked)
	assert.Empty(t, p.step(Kick{ID: ID{100}}), "ourselves")
}

// TestSentAwayByOne: who is no keeper sends only itself away from us, and we do not say of it that it was sent away.
func TestSentAwayByOne(t *testing.T) {
	for _, reason := range []string{Cut, Kicked} { // as it is cut off, and when it comes again
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		l, _ := p.join(ID{1}, "angry")
		p.wait(time.Second)
		out := p.step(Down{Link: l, Reason: reason})
		gone := of[Gone](out)
		require.Len(t, gone, 1)
		assert.Equal(t, Refused, gone[0].Reason)
		assert.Empty(t, of[Ended](out))
	}
}

// TestCutOff has a machine that is no keeper not want another one: that is all that happens.
func TestCutOff(t *testing.T) {
	p := newPuppet(t, Config{})
	p.step(Tick{})
	keeper, _ := p.up(ID{1})
	p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true, Peers: []hint{{ID: ID{2}, Slot: 1}}}})
	p.say(keeper, message{Grant: &grant{Slot: 2, Order: 3, Ports: At(2)}})
	bad, _ := p.up(ID{2})
	p.say(bad, message{State: &state{Slot: 1, Order: 2, Ports: At(1)}})
	out := p.step(Kick{ID: ID{2}, Reason: "be nice"})
	assert.Equal(t, []Close{{Link: bad, Reason: "cut: be nice"}}, of[Close](out))
	require.Len(t, of[Gone](out), 1)
	assert.Equal(t, "cut: be nice", of[Gone](out)[0].Reason)
	for _, m := range sent(t, append(out, p.wait(time.Second)...), keeper) {
		assert.Empty(t, m.State.Kicked)
	}
	_, out = p.up(ID{2})
	assert.Len(t, of[Close](out), 1)
}

// TestSentAwayTellsSo: who was sent away leaves the others with that word, and they tell that it was, whoever speaks first.
func TestSentAwayTellsSo(t *testing.T) {
	p := newPuppet(t, Config{})
	keeper, _ := p.up(ID{1})
	p.say(keeper, message{State: &state{Slot: 0, Order: 1, Ports: At(0), Keeper: true}})
	other, _ := p.up(ID{2})
	out := p.step(Down{Link: keeper, Reason: Kicked})
	assert.Equal(t, []Close{{Link: other, Reason: Out}}, of[Close](out))

	p = newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "angry")
	p.wait(time.Second)
	gone := of[Gone](p.step(Down{Link: l, Reason: Out}))
	require.Len(t, gone, 1)
	assert.Equal(t, Kicked, gone[0].Reason)
}

// TestKicksOfOthers obeys a keeper about who came after it, and nobody about who was there before.
func TestKicksOfOthers(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	p.wait(time.Minute)
	honest, _ := p.join(ID{9}, "")
	p.wait(time.Second)
	// It says that it is keeper of another part, and goes before us: order 1, and a lower ID.
	liar, _ := p.up(ID{1})
	kicks := state{Slot: 7, Order: 1, Ports: At(7), Keeper: true, Kicked: []ID{{9}, {100}, {1}, {3}}}
	out := p.say(liar, message{State: &kicks})
	assert.Equal(t, ID{1}, p.plan.Keeper())
	assert.Empty(t, of[Close](out))
	assert.Empty(t, of[Ended](out))
	late, out := p.up(ID{3})
	assert.Equal(t, []Close{{Link: late, Reason: Kicked}}, of[Close](out), "that it may decide")
	out = p.step(Kick{ID: ID{1}})
	assert.Equal(t, []Close{{Link: liar, Reason: Cut}}, of[Close](out), "for us alone")
	assert.Equal(t, ID{100}, p.plan.Keeper())
	assert.Empty(t, of[Close](p.say(honest, message{State: &state{Slot: 1, Order: 2, Ports: At(1)}})))
}

// TestOnlyOnesOwn has members say what is not theirs to say.
func TestOnlyOnesOwn(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	one, _ := p.join(ID{1}, "one")
	two, _ := p.join(ID{2}, "two")
	p.wait(time.Second)
	before := p.plan.Members()
	out := p.say(two, message{State: &state{Name: "two", Slot: 1, Order: 3, Ports: At(1), // the slot of the other one
		Peers: []hint{{ID: ID{1}, Slot: 5}, {ID: ID{100}, Slot: 5}}}})
	assert.Equal(t, []Falls{{Machine: before[1].Machine}}, of[Falls](out), "it is nowhere, and the other one stays")
	assert.Empty(t, of[Stands](out))
	assert.Equal(t, before[0], p.plan.Members()[0])
	assert.Equal(t, 0, p.plan.Self().Slot)

	out = p.say(two, message{Grant: &grant{Slot: 30, Order: 1, Ports: At(30)}})
	assert.Empty(t, out, "who is no keeper grants nothing")
	out = p.say(two, message{State: &state{Slot: 2, Order: 1, Ports: At(2)}})
	assert.Equal(t, []Close{{Link: two, Reason: Broken}}, of[Close](out), "nobody gets older")
	out = p.say(one, message{State: &state{Slot: 0, Order: 2, Ports: At(0)}})
	assert.Len(t, of[Falls](out), 1)
	assert.Equal(t, 0, p.plan.Self().Slot, "ours is ours")
}

func TestNonsense(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":            `nonsense`,
		"not the state":      `{"version":1,"least":1,"wait":true}`,
		"slot":               `{"least":1,"state":{"slot":50,"order":2,"ports":{"tcp":2300,"udp":2350}}}`,
		"slot without order": `{"least":1,"state":{"slot":1,"ports":{"tcp":2300,"udp":2350}}}`,
		"no ports":           `{"least":1,"state":{"slot":1,"order":2}}`,
		"ports":              `{"least":1,"state":{"slot":1,"order":2,"ports":{"tcp":80,"udp":2350}}}`,
		"a port of UDP":      `{"least":1,"state":{"slot":1,"order":2,"ports":{"tcp":2350,"udp":2351}}}`,
		"a port of TCP":      `{"least":1,"state":{"slot":1,"order":2,"ports":{"tcp":2301,"udp":2349}}}`,
		"half the ports":     `{"least":1,"state":{"slot":1,"order":2,"ports":{"tcp":2300}}}`,
		"order":              `{"least":1,"state":{"slot":-1,"order":9007199254740993}}`,
		"id":                 `{"least":1,"state":{"slot":-1,"peers":[{"id":"00"}]}}`,
		"address":            `{"least":1,"state":{"slot":-1,"at":["there"]}}`,
		"peer's slot":        `{"least":1,"state":{"slot":-1,"peers":[{"id":"00000000000000000000000000000001","slot":99}]}}`,
		"peer's ports":       `{"least":1,"state":{"slot":-1,"peers":[{"id":"00000000000000000000000000000001","slot":9,"ports":{"tcp":80}}]}}`,
		"type":               `{"least":1,"state":{"slot":"x"}}`,
	} {
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		l, _ := p.up(ID{1})
		assert.Equal(t, []Close{{Link: l, Reason: Broken}}, of[Close](p.step(Heard{Link: l, Data: []byte(text)})), name)
	}
	for _, text := range []string{`{"version":2,"least":2,"state":{"slot":"of another form"}}`, `{"version":2,"least":2}`} {
		p := newPuppet(t, Config{Found: true})
		p.step(Tick{})
		l, _ := p.up(ID{1})
		assert.Equal(t, []Close{{Link: l, Reason: Later}}, of[Close](p.step(Heard{Link: l, Data: []byte(text)})))
	}
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.up(ID{1})
	out := p.step(Heard{Link: l, Data: []byte(`{"version":9,"least":1,"new":{"x":1},"state":{"slot":-1,"order":0,"newer":[]}}`)})
	assert.NotNil(t, sent(t, out, l)[1].Grant, "a later version that we understand")
}

func TestTooMuch(t *testing.T) {
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "")
	var closed []Close
	for range 100 {
		p.now = p.now.Add(-9 * time.Millisecond)
		closed = append(closed, of[Close](p.say(l, message{State: &state{Slot: 1, Order: 2, Ports: At(1)}}))...)
	}
	assert.Equal(t, []Close{{Link: l, Reason: Broken}}, closed)
	silent, _ := p.up(ID{2})
	assert.Equal(t, []Close{{Link: silent, Reason: Broken}}, of[Close](p.wait(hearing+time.Second)), "who says nothing")
}

// TestBounds has a member name as many machines as it can, and be as many.
func TestBounds(t *testing.T) {
	t.Parallel()
	p := newPuppet(t, Config{Found: true})
	p.step(Tick{})
	l, _ := p.join(ID{1}, "")
	for i := range 50 {
		s := state{Slot: 1, Order: 2, Ports: At(1)}
		for j := range maxPeers {
			s.Peers = append(s.Peers, hint{ID: ID{7, byte(i), byte(j)}, Slot: -1})
		}
		for j := range maxKicked {
			s.Kicked = append(s.Kicked, ID{8, byte(i), byte(j)})
		}
		p.say(l, message{State: &s})
		p.wait(200 * time.Millisecond)
	}
	assert.LessOrEqual(t, len(p.plan.peers), maxHinted)
	for i := range 600 {
		n, _ := p.up(ID{9, byte(i), byte(i >> 8)})
		p.say(n, message{State: &state{Slot: 3, Order: uint64(i + 5), Ports: At(3)}})
		if i%100 == 0 {
			p.wait(time.Second)
		}
	}
	assert.LessOrEqual(t, len(p.plan.peers), maxKnown)
	assert.LessOrEqual(t, len(p.plan.links), 2*maxKnown)
	assert.LessOrEqual(t, len(p.plan.in), 2*maxKnown+1)
	assert.LessOrEqual(t, len(p.plan.says()), MaxMessage)
	for i := range 5000 {
		p.plan.never.add(ID{1, byte(i), byte(i >> 8)})
	}
	assert.Len(t, p.plan.never.ids, len(p.plan.never.ring))
	assert.False(t, p.plan.never.has(ID{1}))
	assert.True(t, p.plan.never.has(ID{1, byte(4999 & 0xff), 4999 >> 8}))
}

func TestCleanName(t *testing.T) {
	for name, want := range map[string]string{
		" Ann ":                  "Ann",
		"J\u00fcrgen \u2603":     "J\u00fcrgen \u2603",
		"a\x1b[31mb\r\nc\u202ed": "a[31mbcd",
		"\xff\xfeab":             "ab",
		"0123456789012345678901234567890123456789": "01234567890123456789012345678901",
		"": "",
	} {
		assert.Equal(t, want, CleanName(name), "%q", name)
	}
}

// FuzzHeard has a member say anything.
func FuzzHeard(f *testing.F) {
	s := state{Name: "x", Slot: 3, Order: 5, Ports: At(3), Keeper: true, Ask: true, Kicked: []ID{{2}},
		Peers: []hint{{ID: ID{3}, Slot: 4, Ports: At(7)}}}
	whole := encode(message{State: &s, Grant: &grant{Slot: 9, Order: 8, Ports: At(9)}, Wait: true, AskWays: true,
		Ways: []Way{{ID: ID{2}, Up: true, Direct: true, RTT: time.Millisecond, Loss: 0.5}}})
	for n := range len(whole) + 1 {
		f.Add(whole[:n], whole)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for _, found := range []bool{true, false} {
			p := newPuppet(t, Config{Found: found})
			p.step(Tick{})
			p.join(ID{2}, "two")
			l, _ := p.up(ID{1})
			p.step(AskWays{})
			for _, data := range [][]byte{first, second, first} {
				for _, o := range p.step(Heard{Link: l, Data: data}) {
					if s, ok := o.(Send); ok {
						_, err := decode(s.Data)
						assert.NoError(t, err, "we understand what we say")
					}
					if told, ok := o.(WaysTold); ok {
						assert.LessOrEqual(t, len(told.Ways), maxPeers)
					}
				}
			}
			p.wait(5 * time.Second)
			p.step(Down{Link: l})
			p.wait(2 * patience)
			if self := p.plan.Self(); self.Slot >= Slots || self.Slot < -1 || self.Slot >= 0 && !self.Ports.usable() {
				t.Errorf("%+v", self)
			}
		}
	})
}

// TestQuiet has the keeper fall silent and come back, while its link is up.
func TestQuiet(t *testing.T) {
	w := newWorld(3)
	first := w.add(Config{Found: true})
	second := w.add(Config{})
	w.run(time.Second)
	w.block(first, second)
	w.run(800 * time.Millisecond)
	assert.Equal(t, first.id, second.plan.Keeper())
	for l := range second.cables {
		second.step(Quiet{Link: l, On: true})
		assert.Equal(t, second.id, second.plan.Keeper())
		assert.Len(t, second.stands, 1, "nobody falls for it")
		second.step(Quiet{Link: l})
	}
	assert.Equal(t, first.id, second.plan.Keeper())
}
