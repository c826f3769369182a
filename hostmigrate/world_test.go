package hostmigrate_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

// A world is a session's machines with reliable connections in order between them. What happens next is drawn: a
// message arrives, a machine notices that another one is gone, a machine dies. Time passes only when nothing else can
// happen, or when impatient.
type world struct {
	t     testing.TB
	r     *rand.Rand
	rule  hostmigrate.Rule
	now   time.Duration
	nodes []*node
	queue map[[2]wire.PlayerID][][]byte
	drops int
	work  bool // new hosts number operations of their own
	death int  // machines that may still die
	first wire.PlayerID
	after int // that one dies after so many events; negative: it does not
	log   map[uint32]playerlist.State
}

// A node is a machine, as far as package dpsp would drive its table.
type node struct {
	id       wire.PlayerID
	table    *hostmigrate.Table
	alive    bool
	host     wire.PlayerID
	known    []wire.PlayerID // machines that it knows to be gone
	highest  uint32          // version that it had
	complete bool
}

func newWorld(t testing.TB, r *rand.Rand, rule hostmigrate.Rule, n int) *world {
	w := &world{t: t, r: r, rule: rule, queue: map[[2]wire.PlayerID][][]byte{}, after: -1, log: map[uint32]playerlist.State{}}
	ids := []wire.PlayerID{3, 4, 5, 6, 7, 8}
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for _, id := range ids[:n+1] {
		c := hostmigrate.Config{Self: id, Rule: rule}
		w.nodes = append(w.nodes, &node{id: id, table: hostmigrate.NewTable(c), alive: true, host: ids[0]})
	}
	return w
}

func (w *world) node(id wire.PlayerID) *node {
	i := slices.IndexFunc(w.nodes, func(n *node) bool { return n.id == id })
	return w.nodes[i]
}

// play has the first node be host until each member has what it has, and die then.
func (w *world) play(ops int, forget bool) {
	host := w.nodes[0]
	l := newList(w.t)
	e := system(host.id)
	e.Flags |= wire.PlayerNameServer
	apply(w.t, l, playerlist.AddPlayer{Entry: e})
	host.table.Lead(0, l, nil)
	for _, n := range w.nodes[1:] {
		apply(w.t, l, playerlist.AddPlayer{Entry: system(n.id)})
	}
	for _, n := range w.nodes[1:] {
		n.table.Follow(0, host.id)
		host.table.Admit(0, n.id)
		w.take(host)
		if forget && w.r.IntN(2) == 0 { // its log begins here
			w.deliver(host.id, n.id)
		}
	}
	w.log[l.Version()] = l.State()
	for range ops {
		_, _ = l.Apply(randomChange(w.r))
		w.log[l.Version()] = l.State()
		host.table.Sync(0)
		w.take(host)
	}
	for _, n := range w.nodes[1:] {
		q := len(w.queue[[2]wire.PlayerID{host.id, n.id}])
		for range w.r.IntN(q + 1) {
			w.deliver(host.id, n.id)
		}
	}
	host.alive = false
}

// take does what a table wants done.
func (w *world) take(n *node) {
	for {
		o := n.table.Take()
		for _, s := range o.Sends {
			require.NotEqual(w.t, n.id, s.To)
			if w.node(s.To).alive && !slices.Contains(n.known, s.To) {
				k := [2]wire.PlayerID{n.id, s.To}
				w.queue[k] = append(w.queue[k], s.Message)
			}
		}
		for _, e := range o.Events {
			w.event(n, e)
		}
		require.GreaterOrEqual(w.t, n.table.Version(), n.highest, "a table never goes back")
		n.highest = n.table.Version()
		if len(o.Events) == 0 {
			return
		}
	}
}

func (w *world) event(n *node, e hostmigrate.Event) {
	switch e := e.(type) {
	case hostmigrate.LeaderKnown:
		require.NotEqual(w.t, n.id, e.ID)
		n.host, n.complete = e.ID, false
	case hostmigrate.Complete:
		n.complete = true
		if n.host != n.id {
			return
		}
		if e.List == nil { // nobody had a table: what DirectPlay 4 told becomes one
			n.table.Lead(w.now, w.live(), w.peers(n))
			return
		}
		if w.work {
			apply(w.t, e.List, playerlist.SetData{ID: n.id, Data: []byte{byte(e.Version), byte(n.id)}})
			n.table.Sync(w.now)
		}
	case hostmigrate.Drop:
		w.drops++
		w.node(e.ID).alive = false // a machine that is told so leaves
		w.notice(n, e.ID)
	}
}

// notice tells a machine that another one is gone; what that one said and has not arrived is lost.
func (w *world) notice(n *node, gone wire.PlayerID) {
	delete(w.queue, [2]wire.PlayerID{gone, n.id})
	if slices.Contains(n.known, gone) {
		return
	}
	n.known = append(n.known, gone)
	n.table.Lost(w.now, gone)
	if gone != n.host {
		return
	}
	n.host, _ = hostmigrate.Candidate(w.rule, w.live(), n.known...)
	n.complete = false
	n.table.Begin(w.now, gone, n.host, w.peers(n))
}

// live is the list that DirectPlay 4 told everybody.
func (w *world) live() *playerlist.List {
	l := newList(w.t)
	for _, x := range w.nodes {
		apply(w.t, l, playerlist.AddPlayer{Entry: system(x.id)})
	}
	return l
}

// peers are the machines that one does not know to be gone.
func (w *world) peers(n *node) (all []wire.PlayerID) {
	for _, x := range w.nodes {
		if x != n && !slices.Contains(n.known, x.id) {
			all = append(all, x.id)
		}
	}
	return all
}

func (w *world) deliver(from, to wire.PlayerID) {
	k := [2]wire.PlayerID{from, to}
	b := w.queue[k][0]
	if w.queue[k] = w.queue[k][1:]; len(w.queue[k]) == 0 {
		delete(w.queue, k)
	}
	n := w.node(to)
	_ = n.table.Receive(w.now, from, b) // what is ignored is no mistake here
	w.take(n)
}

// choices lists what can happen: arrivals as pairs, notices as pairs that begin with 0.
func (w *world) choices() (all [][3]wire.PlayerID) {
	for _, n := range w.nodes {
		if !n.alive {
			continue
		}
		for _, x := range w.nodes {
			if len(w.queue[[2]wire.PlayerID{x.id, n.id}]) > 0 && !slices.Contains(n.known, x.id) {
				all = append(all, [3]wire.PlayerID{1, x.id, n.id})
			}
			if !x.alive && !slices.Contains(n.known, x.id) {
				all = append(all, [3]wire.PlayerID{0, x.id, n.id})
			}
		}
	}
	return all
}

// run goes on until nothing is left to happen. It is false if it did not end.
func (w *world) run(impatient int) bool {
	for step := range 5000 {
		if step == w.after {
			w.node(w.first).alive = false
		}
		if w.death > 0 && w.r.IntN(12) == 0 {
			w.kill()
		}
		c := w.choices()
		if len(c) == 0 || impatient > 0 && w.r.IntN(impatient) == 0 {
			if !w.pass() && len(c) == 0 {
				return true
			}
			continue
		}
		e := c[w.r.IntN(len(c))]
		n := w.node(e[2])
		if e[0] == 0 {
			w.notice(n, e[1])
			w.take(n)
		} else {
			w.deliver(e[1], e[2])
		}
	}
	return false
}

// kill has a machine die, if one is left then.
func (w *world) kill() {
	var alive []*node
	for _, n := range w.nodes {
		if n.alive {
			alive = append(alive, n)
		}
	}
	if len(alive) > 1 {
		w.death--
		alive[w.r.IntN(len(alive))].alive = false
	}
}

// pass goes to the next moment that somebody waits for; false if nobody does.
func (w *world) pass() bool {
	next := hostmigrate.Never
	for _, n := range w.nodes {
		if n.alive {
			next = min(next, n.table.Next())
		}
	}
	if next == hostmigrate.Never {
		return false
	}
	w.now = max(w.now, next)
	for _, n := range w.nodes {
		if n.alive {
			n.table.Look(w.now)
			w.take(n)
		}
	}
	return true
}

// survivors checks that all who are left have the same host and the same table.
func (w *world) survivors() []*node {
	var alive []*node
	leaders := 0
	for _, n := range w.nodes {
		if n.alive {
			alive = append(alive, n)
		}
	}
	for _, n := range alive {
		require.True(w.t, n.complete, "%v waits", n.id)
		require.False(w.t, n.table.Migrating())
		require.Equal(w.t, alive[0].host, n.host)
		require.Equal(w.t, n.host, n.table.Host())
		if n.host == n.id {
			leaders++
		}
		a, b := alive[0].table.Replica(), n.table.Replica()
		require.Equal(w.t, a == nil, b == nil)
		if a != nil {
			require.True(w.t, playerlist.Equal(a, b), "%v has version %d, %v has %d", alive[0].id, a.Version(), n.id, b.Version())
		}
	}
	require.Equal(w.t, 1, leaders)
	return alive
}
