package dpsp

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/arrived"
	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// viewing makes a session of a host and n machines.
func viewing(t *testing.T, flags wire.SessionFlags, n int) (*world, []*node, []wire.PlayerID) {
	w, all, ids := session(t, flags, n, Config{Period: time.Second, Probes: 3})
	w.run(w.now + 10*time.Second)
	return w, all, ids
}

// apart lets nothing through between two parts, or nothing that one machine says to others, until the session is in two parts.
func (w *world) apart(cut func(from, to *node) bool, lost *node, of []*node) (mend func()) {
	w.cut = func(from, to *node, _ Outgoing) bool { return to != nil && cut(from, to) }
	return func() {
		w.run(w.now + time.Minute)
		for _, p := range of {
			assert.Nil(w.t, p.peerByID(lost.self), "%s lost %s", p.name, lost.name)
		}
		w.cut = nil
		w.run(w.now + 2*time.Minute)
	}
}

// One incarnation is what a program is known by: in views, and where messages are counted.
func TestOneIncarnation(t *testing.T) {
	_, n, _ := viewing(t, migrating, 2)
	for _, p := range n {
		for _, q := range n {
			if p != q {
				x := p.peerByID(q.self)
				assert.NotZero(t, x.incarnation)
				assert.EqualValues(t, x.incarnation, theirs(x).Incarnation, "%s of %s", p.name, q.name)
			}
		}
	}
}

// A broken connection loses nothing.
func TestViewsCount(t *testing.T) {
	w, n, ids := viewing(t, migrating, 2)
	found := w.loses(n[1], n[2])
	w.must(n[1], Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte("lost")})
	found()
	w.breaks(n[1], n[2], true)
	assert.Equal(t, []string{"lost"}, textsOf(n[2]))
	assert.Equal(t, []ConnectionRenewed{{System: n[2].self}}, eventsOf[ConnectionRenewed](n[1].events))
}

// What two programs said to each other when one lost the other one, or both did, arrives when they meet again, in order and once. What
// changed the list meanwhile is in the view in which they meet.
func TestKept(t *testing.T) {
	for _, flags := range []wire.SessionFlags{migrating, migrating | wire.SessionDirectPlayProtocol} {
		for name, oneWay := range map[string]bool{"both lose": false, "one does": true} {
			t.Run(fmt.Sprint(name, flags&wire.SessionDirectPlayProtocol != 0), func(t *testing.T) {
				w, n, ids := viewing(t, flags, 3)
				n[3].events = nil
				cut := func(from, to *node) bool { return (from == n[3]) != (to == n[3]) && !(oneWay && to == n[3]) }
				mend := w.apart(cut, n[3], n[:3])
				var want [4][]string
				say := func(from, to int, text string) {
					w.step(n[from], Input{Kind: Request, Token: 5, Command: Send{From: ids[from], To: ids[to], Guaranteed: true, Payload: []byte(text)}})
					w.settle()
					want[to] = append(want[to], text)
				}
				for i := range 3 {
					say(3, 0, fmt.Sprint("to the host ", i))
					say(3, 1, fmt.Sprint("to a member ", i))
					say(0, 3, fmt.Sprint("from the host ", i))
				}
				w.step(n[3], Input{Kind: Request, Token: 6, Command: SetName{ID: ids[3], ShortName: "other"}})
				w.settle()
				flash := wire.PlayerID(0)
				if !oneWay {
					flash = w.must(n[1], CreatePlayer{ShortName: "flash"}) // n[3] is to be told, and is not
					w.run(w.now + 30*time.Second)
					w.must(n[1], DeletePlayer{ID: flash})
				}
				if oneWay {
					for n[1].peerByID(n[3].self) != nil {
						w.run(w.now + 100*time.Millisecond)
					}
					require.NotNil(t, n[3].peerByID(n[1].self), "it does not know")
					say(3, 1, "while it is lost")
				}
				mend()
				for _, c := range eventsOf[PlayerCreated](n[3].events) {
					assert.NotEqual(t, flash, c.ID, "it is gone")
				}
				for to := range n {
					assert.Equal(t, want[to], textsOf(n[to]), n[to].name)
				}
				agree(t, n, 4)
				for _, p := range n {
					x, _ := p.list.Look(ids[3])
					short, _ := Names(&x)
					assert.Equal(t, "other", short)
				}
				w.must(n[3], Send{From: ids[3], To: wire.IDAll, Guaranteed: true, Payload: []byte("later")})
				for _, p := range n[:3] {
					assert.Equal(t, []string{"later"}, textsOf(p))
				}
			})
		}
	}
}

// A program that began anew at the address of one that is lost gets nothing of what was for that one, and is heard at once.
func TestKeptAnew(t *testing.T) {
	w, n, ids := viewing(t, migrating, 2)
	w.kill(n[2])
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("for the former one")})
	w.run(w.now + 30*time.Second)
	require.Nil(t, n[1].peerByID(n[2].self))
	require.Len(t, n[1].views.kept, 1)
	anew := w.add("anew", Config{Period: time.Second, Probes: 3})
	anew.addr = n[2].addr
	w.join(anew, n[0], "")
	id := w.must(anew, CreatePlayer{ShortName: "anew"})
	n[1].events = nil
	w.must(anew, Send{From: id, To: wire.IDAll, Guaranteed: true, Payload: []byte("at once")})
	assert.Equal(t, []string{"at once"}, textsOf(n[1]))
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("for all")})
	w.run(w.now + 30*time.Second)
	assert.Equal(t, []string{"for all"}, textsOf(anew))
}

// Who leaves does not come back: nothing is kept for it.
func TestKeptNotOfLeavers(t *testing.T) {
	w, n, _ := viewing(t, migrating, 2)
	w.must(n[2], Leave{})
	w.run(w.now + 10*time.Second)
	assert.Empty(t, n[0].views.kept)
	assert.Empty(t, n[1].views.kept)
}

// A member whose id is another one's in the other part gets another id. Its own part's machines go on with the links to it.
func TestKeptRenamed(t *testing.T) {
	w, n, _ := viewing(t, migrating, 3)
	left := []*node{n[0], n[1]}
	w.cut = func(from, to *node, _ Outgoing) bool {
		return to != nil && slices.Contains(left, from) != slices.Contains(left, to)
	}
	w.run(w.now + time.Minute)
	require.True(t, n[2].hosting() || n[3].hosting())
	other := n[2]
	if n[3].hosting() {
		other = n[3]
	}
	come := func(h *node) *node {
		p := w.add(fmt.Sprint("new", len(w.nodes)), Config{Period: time.Second, Probes: 3})
		if h == n[0] {
			left = append(left, p)
		}
		w.join(p, h, "")
		w.must(p, CreatePlayer{ShortName: "new"})
		return p
	}
	n[0].admission.IDs, other.admission.IDs = n[0].list.IDs(500), other.list.IDs(500)
	one, two := come(n[0]), come(other)
	for range 2 { // these get what the machines of the other part have left free
		one, two = come(n[0]), come(other)
	}
	require.Equal(t, one.self, two.self, "both parts gave an id")
	was := one.self
	before := map[*node]arrived.End{one: theirs(n[0].peerByID(was)), two: theirs(other.peerByID(was))}
	w.cut = nil
	w.run(w.now + 2*time.Minute)
	renamed, by := one, n[0]
	if one.self == was {
		renamed, by = two, other
	}
	require.NotEqual(t, was, renamed.self)
	agree(t, w.nodes, len(w.nodes))
	require.NotZero(t, before[renamed])
	assert.Equal(t, before[renamed], theirs(by.peerByID(renamed.self)), "they did not meet anew")
}

// What is kept is bounded by count, time and octets.
func TestKeptBounded(t *testing.T) {
	fr := frame.New(frame.Config{})
	var all keptLinks
	add := func(i int, octets int) {
		over := netip.AddrPortFrom(netip.IPv4Unspecified(), 1)
		l := arrived.New(arrived.End{Incarnation: 1, Meeting: 1})
		l.Take(0, arrived.Note{Mine: arrived.End{Incarnation: 2, Meeting: 1}, Yours: arrived.End{Incarnation: 1, Meeting: 1}, Connection: 1, Next: 1}, over)
		require.True(t, l.Counts())
		l.Put(0, make([]byte, octets))
		all.add(&fr, keptLink{incarnation: wire.Incarnation(i), until: fr.Now + keptLife, messages: l})
	}
	for i := range 2 * maxKept {
		add(1+i, 1)
	}
	assert.Len(t, all, maxKept)
	assert.EqualValues(t, 1+maxKept, all[0].incarnation, "the oldest make room")
	for i := range 10 {
		add(1000+i, maxKeptOctets/5)
	}
	octets := 0
	for i := range all {
		octets += all[i].octets()
	}
	assert.LessOrEqual(t, octets, maxKeptOctets)
	assert.Len(t, all, 4)
	add(1009, 1)
	assert.Len(t, all, 4, "one program once")
	fr.Now = keptLife
	assert.True(t, all.expire(&fr))
	assert.Empty(t, all)
}

// A machine of the view that did not say HELLO is greeted once more, however late. Messages for it wait until then.
func TestKeptUntilHello(t *testing.T) {
	w := newWorld(t)
	cfg := Config{Period: time.Second, Probes: 3}
	h, a, b := w.add("host", cfg), w.add("a", cfg), w.add("b", cfg)
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating})
	w.join(a, h, "")
	w.cut = func(from, to *node, out Outgoing) bool { // HELLO between a and b
		d := wire.Decoder{}
		if from == h || to == nil || to == h || out.Transport != TCP {
			return false
		}
		env, err := d.DecodeStream(out.Data)
		x, ok := env.Message.(*wire.Extension)
		return err == nil && ok && x.Kind == wire.KindHello
	}
	w.join(b, h, "")
	from, to := w.must(a, CreatePlayer{ShortName: "a"}), w.must(b, CreatePlayer{ShortName: "b"})
	w.run(w.now + 20*time.Second)
	pair := w.cut
	w.cut = func(from, to *node, out Outgoing) bool { return from == b || to == b || pair(from, to, out) }
	w.run(w.now + 30*time.Second)
	require.Nil(t, a.peerByID(b.self))
	w.cut = pair
	w.run(w.now + 2*time.Minute)
	require.True(t, a.peerByID(b.self).modern, "by the view")
	require.False(t, a.peerByID(b.self).link.Counts())
	found := w.loses(a, b)
	w.must(a, Send{From: from, To: to, Guaranteed: true, Payload: []byte("one")})
	found()
	w.must(a, Send{From: from, To: to, Guaranteed: true, Payload: []byte("two")})
	w.run(w.now + 5*time.Second)
	assert.True(t, a.peerByID(b.self).link.Counts())
	assert.Equal(t, []string{"one", "two"}, textsOf(b))
}

// A machine whose links of frames are out of step with ours begins them anew, and the program is told that messages may be lost.
func TestKeptOutOfStep(t *testing.T) {
	w, n, ids := viewing(t, migrating|wire.SessionDirectPlayProtocol, 2)
	p := n[1].peerByID(n[2].self)
	say := func(text string) {
		w.must(n[1], Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte(text)})
	}
	say("before")
	l := p.frameLinks.Links[len(p.frameLinks.Links)-1]
	l.Close()
	n[1].ran(l, &reliable.Output{Lost: true})
	assert.Contains(t, n[1].out.Events, Event(ConnectionRenewed{System: n[2].self, Lost: true}))
	n[1].out.Events = nil
	for _, s := range slices.Clone(n[1].out.Sends) {
		w.queue = append(w.queue, packet{n[1], s.To, s.Transport != TCP, slices.Clone(s.Data)})
	}
	w.run(w.now + 5*time.Second)
	say("after")
	w.run(w.now + 5*time.Second)
	assert.Contains(t, eventsOf[ConnectionRenewed](n[2].events), ConnectionRenewed{System: n[1].self, Lost: true})
	assert.Equal(t, []string{"before", "after"}, textsOf(n[2]))
}

// What counts over a connection of a lost program is read by nobody, until another program speaks there.
func TestKeptAway(t *testing.T) {
	over := func(port uint16) origin { return origin{from: netip.AddrPortFrom(netip.IPv4Unspecified(), port)} }
	all := keptLinks{{incarnation: 7, system: 3}}
	assert.False(t, all.away(over(1)))
	all.speaks(over(1), 7, 0)
	all.speaks(over(2), 7, 0)
	assert.True(t, all.away(over(1)) && all.away(over(2)))
	all.speaks(over(1), 0, 3) // its HELLO
	assert.True(t, all.away(over(1)))
	all.speaks(over(1), 0, 4)
	all.speaks(over(2), 8, 0)
	assert.False(t, all.away(over(1)) || all.away(over(2)))
}

// A host that lost a member before it read that the member counts reads what the member said since, when both meet again.
func TestKeptUnread(t *testing.T) {
	w, n, ids := session(t, migrating, 1, Config{Period: time.Second, Probes: 3})
	h, first := n[0], n[1]
	p := w.add("late", Config{Period: time.Second, Probes: 3})
	counts := func() bool {
		q := h.peerByID(p.self)
		return q != nil && q.link.Counts()
	}
	unread, cut := false, false
	w.cut = func(from, to *node, _ Outgoing) bool {
		unread = unread || from == p && to == h && counts()
		return unread && from == p || cut && to == p
	}
	w.join(p, h, "")
	w.run(w.now + time.Second/2) // the member reads the host's greeting
	require.True(t, unread)
	cut = true
	for h.peerByID(p.self) != nil || !p.hosting() {
		w.run(w.now + time.Second)
	}
	w.must(p, CreatePlayer{ShortName: "late"})
	w.cut = nil
	letGo := w.hold(func(from, to *node, out Outgoing) bool { // the answer to its greeting
		m, err := new(wire.Decoder).DecodeStream(out.Data)
		x, ok := m.Message.(*wire.Extension)
		return from == h && to == p && out.Transport == TCP && err == nil && ok && x.Kind == wire.KindArrived
	})
	for p.peerByID(h.self) == nil {
		w.run(w.now + time.Second)
	}
	w.step(p, Input{Kind: Request, Command: Send{From: playerOf(t, p), To: ids[0], Guaranteed: true, Payload: []byte("x")}})
	w.settle()
	letGo()
	w.run(w.now + 10*time.Second)
	assert.Equal(t, []string{"x"}, textsOf(h))
	agree(t, []*node{h, first, p}, 3)
}

// Where one program forgot the links to the other one, and that one did not, they begin anew.
func TestKeptExpired(t *testing.T) {
	w, n, ids := viewing(t, migrating|wire.SessionDirectPlayProtocol, 2)
	say := func(from, to int, text string) {
		w.must(n[from], Send{From: ids[from], To: ids[to], Guaranteed: true, Payload: []byte(text)})
	}
	for i := range 40 {
		say(2, 1, fmt.Sprint(i))
		say(1, 2, fmt.Sprint(i))
	}
	mend := w.apart(func(from, to *node) bool { return (from == n[2]) != (to == n[2]) }, n[2], n[:2])
	for n[1].peerByID(n[2].self) != nil || n[2].peerByID(n[1].self) != nil {
		w.run(w.now + time.Second)
	}
	require.Len(t, n[1].views.kept, 1)
	require.Len(t, n[2].views.kept, 2)
	n[1].views.kept[0].until = w.now
	mend()
	n[1].events, n[2].events = nil, nil
	say(2, 1, "to the one that forgot")
	say(1, 2, "from it")
	w.run(w.now + 5*time.Second)
	assert.Equal(t, []string{"to the one that forgot"}, textsOf(n[1]))
	assert.Equal(t, []string{"from it"}, textsOf(n[2]))
}
