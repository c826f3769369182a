package view_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dplay4/hostmigrate/view"
	"dplay4/internal/testkit"
	"dplay4/playerlist"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failed reports a seed that does not hold, with the end of its trace.
func failed(t *testing.T, seed uint64, w *world) {
	t.Helper()
	lines := w.trace[max(0, len(w.trace)-testkit.Number(t, "DPLAY_VIEW_TRACE", 40)):]
	t.Errorf("seed %d: %v\n%+v\n%s", seed, w.wrong, w.options, strings.Join(lines, "\n"))
}

// TestSeeds runs sessions with faults: those that ever failed, and DPLAY_VIEW_SEEDS from DPLAY_VIEW_BASE on. DPLAY_VIEW_TRACE is how many
// lines of its trace a seed that fails shows.
func TestSeeds(t *testing.T) {
	base, n := uint64(testkit.Number(t, "DPLAY_VIEW_BASE", 1)), uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 100))
	seeds := kept(t)
	for i := range n {
		seeds = append(seeds, base+i)
	}
	bad := 0
	for _, seed := range seeds {
		w := try(seed, drawn(seed))
		if w.wrong == nil {
			continue
		}
		if bad++; bad <= testkit.Number(t, "DPLAY_VIEW_SHOWN", 1) {
			failed(t, seed, w)
		} else {
			t.Errorf("seed %d: %v", seed, w.wrong)
		}
	}
	t.Logf("%d of %d seeds fail", bad, len(seeds))
}

// kept returns the seeds that ever failed.
func kept(t *testing.T) (seeds []uint64) {
	b, err := os.ReadFile("testdata/failed-seeds.txt")
	require.NoError(t, err)
	for _, line := range strings.Split(string(b), "\n") {
		if text, _, _ := strings.Cut(line, "#"); strings.TrimSpace(text) != "" {
			seed, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
			require.NoError(t, err)
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// leader returns the program that leads the others' view.
func (w *world) leader() *program {
	for _, p := range w.in() {
		if p.core.Leads() {
			return p
		}
	}
	return nil
}

// TestBadPair cuts one pair, whichever it is. It costs at most the member that cannot reach the leader, and never the leader.
func TestBadPair(t *testing.T) {
	for _, n := range []int{3, 4, 5} {
		for a := range n {
			for b := range a {
				w := newWorld(uint64(n), options{programs: n})
				leads := w.leader()
				w.cut[[2]int{a, b}], w.cut[[2]int{b, a}] = true, true
				w.run(w.now + 60*time.Second)
				require.NoError(t, w.wrong)
				assert.True(t, leads.core.Leads(), "%d: %d and %d", n, a, b)
				out := n - len(leads.core.Members())
				if a == leads.n || b == leads.n {
					assert.Equal(t, 1, out, "%d: %d and %d", n, a, b)
				} else {
					assert.Zero(t, out, "%d: %d and %d", n, a, b)
				}
				w.mend()
				w.run(w.now + calm)
				w.whole()
				require.NoError(t, w.wrong, "%d: %d and %d", n, a, b)
			}
		}
	}
}

// TestHostDiesAfterHeal has a session in two parts, and kills one of the leaders just after these can reach each other again.
func TestHostDiesAfterHeal(t *testing.T) {
	for seed := range uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 300) / 4) {
		w := newWorld(seed, options{programs: 6})
		w.split(func(n int) int { return n % 2 })
		w.run(w.now + 30*time.Second)
		w.mend()
		var leaders []*program
		for _, p := range w.in() {
			if p.core.Leads() {
				leaders = append(leaders, p)
			}
		}
		require.Len(t, leaders, 2)
		w.run(w.now + time.Duration(w.r.IntN(4000))*time.Millisecond)
		w.kill(leaders[w.r.IntN(2)])
		w.run(w.now + calm)
		w.whole()
		if w.wrong != nil {
			failed(t, seed, w)
			return
		}
		for _, p := range w.running() {
			assert.Len(t, p.core.Members(), 5, "seed %d", seed)
		}
	}
}

// TestManyHeal cuts a session of many programs in half, and has it heal. No program may send much at once.
func TestManyHeal(t *testing.T) {
	n := testkit.Number(t, "DPLAY_VIEW_PROGRAMS", 24)
	w := newWorld(1, options{programs: n})
	for _, p := range w.in() {
		for range 3 {
			p.change()
		}
	}
	w.run(w.now + 10*time.Second)
	w.split(func(n int) int { return n % 2 })
	w.run(w.now + 20*time.Second)
	w.mend()
	sent := map[*program]map[time.Duration]int{}
	w.noticed = func(p *program, e view.Effect) {
		if s, ok := e.(view.Send); ok && !s.Datagram {
			if sent[p] == nil {
				sent[p] = map[time.Duration]int{}
			}
			sent[p][w.now.Truncate(time.Second)]++
		}
	}
	w.run(w.now + calm)
	w.whole()
	require.NoError(t, w.wrong)
	most := 0
	for _, all := range sent {
		for _, n := range all {
			most = max(most, n)
		}
	}
	t.Logf("%d programs: each sends at most %d messages over connections in a second", n, most)
	assert.Less(t, most, 5*n)
}

// FuzzHandle gives a member's core any message.
func FuzzHandle(f *testing.F) {
	w := newWorld(1, options{programs: 3})
	f.Add([]byte{}, uint32(0))
	w.noticed = func(_ *program, e view.Effect) {
		if s, ok := e.(view.Send); ok {
			b, err := wire.AppendMessage(nil, wire.DX9, wire.NewExtension(1, s.Message))
			if err == nil {
				f.Add(b, uint32(s.Message.From.System))
			}
		}
	}
	w.at[0].down = true
	w.run(w.now + 30*time.Second)
	f.Fuzz(func(t *testing.T, b []byte, via uint32) {
		_, m, err := new(wire.Decoder).DecodeMessage(b)
		if err != nil {
			return
		}
		x, ok := m.(*wire.Extension)
		if !ok {
			return
		}
		v, ok := x.Body.(*wire.ExtensionView)
		if !ok {
			return
		}
		p := newWorld(1, options{programs: 3}).in()[1+int(via%2)]
		for range 2 {
			p.core.Handle(p.w.now, wire.PlayerID(via), v)
			p.core.Take()
			p.core.Tick(p.w.now + 10*period)
			p.core.Take()
		}
		_ = fmt.Sprint(p.core.Kept())
	})
}

// TestCandidateLeaves kills the leader, and has the next in line say that it leaves, before it or after it came to lead. The one after it
// leads soon after that.
func TestCandidateLeaves(t *testing.T) {
	for after := time.Duration(0); after < 4*time.Second; after += 20 * time.Millisecond {
		w := newWorld(1, options{programs: 4})
		leads := w.leader()
		order := slices.DeleteFunc(w.in(), func(p *program) bool { return p == leads })
		slices.SortFunc(order, func(a, b *program) int { return cmp.Compare(w.joined(a), w.joined(b)) })
		w.kill(leads)
		began := w.now
		w.run(began + after)
		order[0].leave()
		for !order[1].core.Leads() {
			w.run(w.now + 100*time.Millisecond)
			require.NoError(t, w.wrong)
			require.Less(t, w.now-began, max(silence, after)+period, "it waits for a program that left after %v", after)
		}
		w.run(w.now + calm)
		w.whole()
		require.NoError(t, w.wrong)
	}
}

// TestLeaderDiesWhileManyJoin kills the leader, or all of its members as well, while programs join, so that some know of a newcomer that
// others do not know of. Nobody who answers is left out of the next view, and never two lead.
func TestLeaderDiesWhileManyJoin(t *testing.T) {
	for seed := range uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 300)) {
		w := newWorld(seed, options{programs: 1 + int(seed%3)})
		old := w.running()
		w.at = append(w.at, make([]*program, 4)...)
		for n := len(old); n < len(w.at); n++ {
			w.start(n)
		}
		begun := func() int {
			return len(slices.DeleteFunc(w.running(), func(p *program) bool { return p.core == nil }))
		}
		for n := len(old) + 1 + w.r.IntN(4); begun() < n; {
			w.run(w.now + time.Millisecond)
		}
		w.run(w.now + time.Duration(w.r.IntN(60))*time.Millisecond)
		if seed%2 == 0 {
			old = []*program{w.leader()}
		}
		for _, p := range old {
			w.kill(p)
			for _, q := range w.running() {
				w.breakUp(p, q) // what it numbered last did not go to all
			}
		}
		if len(w.in()) == 0 {
			continue // the core leaves it to its caller what newcomers do that nobody can let in
		}
		if !slices.ContainsFunc(w.in(), func(p *program) bool { return !w.heardOf(p, p.was) }) { // such a newcomer leads itself first
			w.noticed = func(p *program, e view.Effect) {
				for _, q := range w.in() {
					if _, is := e.(view.Install); is && q != p && q.core.Leads() && p.core.Leads() {
						w.fail("%v leads, and %v does", p, q)
					}
				}
			}
		}
		w.run(w.now + calm)
		w.whole()
		if w.wrong != nil {
			failed(t, seed, w)
			return
		}
	}
}

// TestCandidateAsksNewcomer has the next in line miss that a program joined. Another member knows, and it is asked like all members.
func TestCandidateAsksNewcomer(t *testing.T) {
	w := newWorld(1, options{programs: 3})
	leads := w.leader()
	order := slices.DeleteFunc(w.in(), func(p *program) bool { return p == leads })
	slices.SortFunc(order, func(a, b *program) int { return cmp.Compare(w.joined(a), w.joined(b)) })
	w.at = append(w.at, nil)
	p := w.start(3)
	for p.core == nil || p.core.List() == nil || len(order[1].core.Members()) < 4 {
		w.breakUp(p, order[0])
		w.breakUp(leads, order[0])
		w.run(w.now + time.Millisecond)
	}
	require.Len(t, order[0].core.Members(), 3)
	w.kill(leads)
	w.breakUp(leads, order[0])
	w.breakUp(p, order[0])
	w.run(w.now + calm)
	w.whole()
	require.NoError(t, w.wrong)
}

// TestUnspecifiedAddress has a part with the newest log come to another one. Its leader and that of the other part do not know their own
// addresses, so that both lists give none for them; they are not one machine.
func TestUnspecifiedAddress(t *testing.T) {
	w := newWorld(1, options{programs: 2})
	w.at = append(w.at, nil)
	other := w.start(2)
	other.host(1)
	from, to := w.at[0], other
	if to.core.View().Newer(from.core.View()) {
		from, to = to, from
	}
	from.core.AskIn(w.now, to.member())
	from.after()
	w.run(w.now + calm)
	w.whole()
	require.NoError(t, w.wrong)
	assert.Len(t, from.core.Members(), 3)
}

// TestNewcomerFollows lets a program in that does not reach its leader any more before it has a view, while the other member that it
// knows comes to follow a leader of which the newcomer never heard.
func TestNewcomerFollows(t *testing.T) {
	w := newWorld(1, options{programs: 4})
	w.split(func(n int) int { return n / 2 })
	w.run(w.now + 30*time.Second)
	leads := w.leader()
	require.Len(t, leads.core.Members(), 2)
	w.at = append(w.at, nil)
	p := w.start(4)
	for other := range 4 {
		if other/2 != leads.n/2 {
			w.cut[[2]int{4, other}], w.cut[[2]int{other, 4}] = true, true
		}
	}
	for p.core == nil {
		w.run(w.now + time.Millisecond)
	}
	core := p.core
	w.mend()
	w.breakUp(leads, p) // and with it the INSTALL
	w.cut[[2]int{4, leads.n}], w.cut[[2]int{leads.n, 4}] = true, true
	w.run(w.now + 7*period)
	assert.NotNil(t, core.List(), "the newcomer is in the session")
	w.mend()
	w.run(w.now + calm)
	w.whole()
	require.NoError(t, w.wrong)
}

// joined returns the number of the operation with which a program joined.
func (w *world) joined(p *program) uint32 {
	e, _ := w.leader().list.Look(p.self)
	return e.Added
}

// TestAnewDuringMerge has programs end and begin anew at their addresses while two parts come together. Each list has one of the two.
func TestAnewDuringMerge(t *testing.T) {
	for seed := range uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 100)) {
		w := newWorld(seed, options{programs: 5, kills: true, cuts: true})
		w.split(func(n int) int { return n % 2 })
		w.run(w.now + 20*time.Second)
		w.mend()
		mended := w.now
		for range 1 + w.r.IntN(3) {
			w.after(time.Duration(w.r.IntN(4000))*time.Millisecond, func() {
				all := w.in()
				if len(all) < 3 {
					return
				}
				p := all[w.r.IntN(len(all))]
				w.kill(p)
				w.after(time.Duration(w.r.IntN(300))*time.Millisecond, func() { w.start(p.n).live() })
			})
		}
		w.run(mended + calm)
		w.whole()
		if w.wrong != nil {
			failed(t, seed, w)
			return
		}
	}
}

// TestNewcomerLosesHost has a newcomer lose its host before it has a view. The view has the host, and so has the newcomer's list.
func TestNewcomerLosesHost(t *testing.T) {
	w := newWorld(1, options{programs: 2})
	w.at = append(w.at, nil)
	p := w.start(2)
	for p.core == nil {
		w.run(w.now + time.Millisecond)
	}
	require.Nil(t, p.core.List())
	host := w.leader().self
	p.remove(host)
	for p.core.List() == nil {
		w.run(w.now + time.Millisecond)
	}
	player, _ := p.list.Kind(host)
	assert.True(t, player)
	w.run(w.now + calm)
	w.whole()
	require.NoError(t, w.wrong)
}

// TestUnconfirmed sends a member changes that the leader does not get, and that their maker does not send again. The member drops them once
// the leader has told twice that they are in no log, or has answered an OWN where its datagrams are lost. It does not bring back a player
// that its owner deleted.
func TestUnconfirmed(t *testing.T) {
	w := newWorld(1, options{programs: 3})
	w.mended = true
	leads := w.leader()
	all := slices.DeleteFunc(w.in(), func(p *program) bool { return p == leads })
	maker, p := all[0], all[1]
	const stays, goes = wire.PlayerID(0x80000010), wire.PlayerID(0x80000020)
	for _, id := range []wire.PlayerID{stays, goes} {
		require.True(t, maker.do(playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, System: maker.self, ShortName: wire.NewText("before")}}))
	}
	w.run(w.now + 4*period)
	name := func() string {
		e, _ := p.list.Look(stays)
		return string(e.ShortName)
	}
	before := name()
	for _, muted := range []bool{false, true} {
		w.muted[[2]int{leads.n, p.n}] = muted
		p.hear(maker.self, playerlist.SetName{ID: stays, ShortName: wire.NewText("after")})
		p.hear(maker.self, playerlist.DeletePlayer{ID: goes})
		w.run(w.now + period)
		assert.NotEqual(t, before, name())
		w.run(w.now + 2*period + probe)
		assert.Equal(t, muted, before != name(), "the leader tells where it is")
		w.run(w.now + 4*period)
		assert.Equal(t, before, name(), "the leader is asked")
	}
	w.muted[[2]int{leads.n, p.n}] = false
	_, there := p.list.Look(goes)
	assert.False(t, there, "its owner deleted it")
	maker.do(playerlist.DeletePlayer{ID: goes})
	maker.said[stays] = &saying{name: wire.NewText("before")}
	w.run(w.now + calm)
	w.whole()
	require.NoError(t, w.wrong)
}

// TestFormerHostRemoves: the host that let a newcomer in loses the other machines, and tells it so. Then the newcomer gets the view of one
// of those. That one, which leads, stays in the newcomer's list, and so do its members: only the leader removes one.
func TestFormerHostRemoves(t *testing.T) {
	const newcomer = 0x70000000
	list, err := playerlist.New(playerlist.Session{Name: wire.NewText("views")})
	require.NoError(t, err)
	who := make([]wire.ViewMember, 4) // the former host, the leader, another member, the newcomer
	for i := range who {
		id := wire.PlayerID(newcomer)
		if i < 3 {
			id, _ = list.IDs(1).Reserve()
		}
		_, err := list.Apply(playerlist.AddPlayer{Entry: systemEntry(id, i)})
		require.NoError(t, err)
		who[i] = wire.ViewMember{System: id, Incarnation: wire.Incarnation(i + 1), Stream: address(i), Datagram: address(i)}
	}
	host, leader, member, self := who[0], who[1], who[2], who[3]
	core := lone(self, list)
	core.Join(0, self.System)
	core.Meet(0, leader)
	for _, m := range []wire.ViewMember{leader, member} {
		core.Did(0, host.System, playerlist.DeletePlayer{ID: m.System})
	}
	core.AskIn(0, leader)
	core.Take()
	v := wire.View{Epoch: 2, Join: 1, Leader: leader.System, Incarnation: leader.Incarnation}
	core.Handle(0, leader.System, &wire.ExtensionView{Step: wire.ViewPrepare, From: leader, View: v, Nonce: 9, Members: who})
	token := uint32(0)
	for _, e := range core.Take() {
		if s, ok := e.(view.Send); ok && s.Message.Step == wire.ViewAck {
			token = s.Message.Base
		}
	}
	m := &wire.ExtensionView{Step: wire.ViewInstall, From: leader, View: v, Members: who, Index: list.Version(), Nonce: token,
		Ops: [][]byte{packed(t, 0, playerlist.SetDesc{Session: list.Session()})}}
	for e := range list.EachPlayer() {
		m.Ops = append(m.Ops, packed(t, e.Added, playerlist.AddPlayer{Entry: e}))
	}
	core.Handle(0, leader.System, m)
	var installed *playerlist.List
	for _, e := range core.Take() {
		if x, ok := e.(view.Install); ok {
			installed = x.List
		}
	}
	require.NotNil(t, installed)
	for _, m := range []wire.ViewMember{leader, member} {
		_, in := installed.Look(m.System)
		assert.True(t, in, "%v", m.System)
	}
}

// lone returns the core of a program outside a world.
func lone(self wire.ViewMember, list *playerlist.List) *view.Core {
	return view.New(view.Config{Self: self, Period: period, Probe: probe, Patience: patience, Random: func() uint32 { return 7 },
		List:  func() *playerlist.List { return list },
		Admit: func(playerlist.Session) bool { return true },
		Room:  func(*playerlist.List) func(playerlist.Op) bool { return func(playerlist.Op) bool { return true } },
		IDs:   func(l *playerlist.List) *playerlist.IDs { return l.IDs(1) }})
}

// TestDoubles: two parts came together, and the list has a machine that never introduced itself at the listener of a member. That machine is
// lost if the member answers there, and stays if another program answers.
func TestDoubles(t *testing.T) {
	for _, answers := range []wire.Incarnation{2, 3} {
		list, err := playerlist.New(playerlist.Session{Name: wire.NewText("views")})
		require.NoError(t, err)
		var ids []wire.PlayerID
		for _, n := range []int{0, 1, 1} { // the leader, the member, the machine
			id, _ := list.IDs(1).Reserve()
			_, err := list.Apply(playerlist.AddPlayer{Entry: systemEntry(id, n)})
			require.NoError(t, err)
			ids = append(ids, id)
		}
		member := wire.ViewMember{System: ids[1], Incarnation: 2, Stream: address(1), Datagram: address(1)}
		core := lone(wire.ViewMember{System: ids[0], Incarnation: 1, Stream: address(0), Datagram: address(0)}, list)
		core.Host(0, list)
		core.Meet(0, member)
		core.Take()
		core.Tick(period)
		nonce := uint32(0)
		for _, e := range core.Take() {
			if s, ok := e.(view.Send); ok && s.Message.Step == wire.ViewAsk && s.To.Stream == member.Stream {
				nonce = s.Message.Nonce
			}
		}
		require.NotZero(t, nonce)
		from := wire.ViewMember{System: ids[1], Incarnation: answers, Stream: address(1)}
		core.Handle(period, 0, &wire.ExtensionView{Step: wire.ViewAnswer, From: from, View: core.View(), Nonce: nonce})
		loses := view.Effect(view.Lose{ID: ids[2], Reason: "its program began anew", Anew: true})
		if answers == member.Incarnation {
			assert.Contains(t, core.Take(), loses)
		} else {
			assert.NotContains(t, core.Take(), loses)
		}
	}
}
