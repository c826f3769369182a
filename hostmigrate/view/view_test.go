package view_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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
	base, n := uint64(testkit.Number(t, "DPLAY_VIEW_BASE", 1)), uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 300))
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
		for a := range 6 {
			for b := range 6 {
				if a%2 != b%2 {
					w.cut[[2]int{a, b}] = true
				}
			}
		}
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
	for a := range n {
		for b := range n {
			if a%2 != b%2 {
				w.cut[[2]int{a, b}] = true
			}
		}
	}
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

// hostile returns a message that a program may get from a peer that means it ill, made of what others sent.
func hostile(r *rand.Rand, seen []*wire.ExtensionView) *wire.ExtensionView {
	pick := func() *wire.ExtensionView { return seen[r.IntN(len(seen))] }
	m := *pick()
	for range 1 + r.IntN(4) {
		o := pick()
		switch r.IntN(16) {
		case 0:
			m.Step = wire.ViewStep(r.IntN(18))
		case 1:
			m.From = o.From
		case 2:
			m.View = o.View
		case 3:
			m.Place = o.Place
		case 4:
			m.Index = []uint32{0, 1, math.MaxUint32, math.MaxUint32 - 1, o.Index, r.Uint32()}[r.IntN(6)]
		case 5:
			m.Base = []uint32{0, 1, math.MaxUint32, o.Base, o.Index, r.Uint32()}[r.IntN(6)]
		case 6:
			m.Nonce = o.Nonce
		case 7:
			m.Part, m.Parts = uint16(r.IntN(4)), uint16([]int{0, 1, 2, 3, 65535}[r.IntN(5)])
		case 8:
			m.Members = append(append([]wire.ViewMember{}, m.Members...), o.Members...)
		case 9:
			m.Lost = o.Members
		case 10:
			m.Left = append(append([]wire.Incarnation{}, m.Left...), o.From.Incarnation)
		case 11:
			m.Ops = append(append([][]byte{}, m.Ops...), o.Ops...)
		case 12:
			m.Ops = nil
		case 13:
			m.View.Epoch = []uint32{0, 1, math.MaxUint32, math.MaxUint32 - 1, o.View.Epoch + 1, r.Uint32()}[r.IntN(6)]
		case 14:
			m.Renamed = []wire.ViewRenamed{{Old: o.From.System, New: m.From.System}}
		case 15:
			m.From.System = o.From.System
		}
	}
	return &m
}

// TestHostile sends a program messages that are made of others'. It does not panic, and keeps no more than its bounds.
func TestHostile(t *testing.T) {
	for seed := range uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 300) / 10) {
		var seen []*wire.ExtensionView
		w := newWorld(seed, options{programs: 4})
		w.noticed = func(_ *program, e view.Effect) {
			if s, ok := e.(view.Send); ok {
				m := *s.Message
				seen = append(seen, &m)
			}
		}
		w.options = options{programs: 4, cuts: true, joins: true, breaks: true}
		for range 60 {
			w.act()
			w.run(w.now + 300*time.Millisecond)
			require.NoError(t, w.wrong)
		}
		p := w.in()[0]
		w.noticed = nil
		now := w.now
		for range 3000 {
			m := hostile(w.r, seen)
			via := wire.PlayerID(0)
			if w.r.IntN(3) > 0 {
				via = m.From.System
			}
			p.core.Handle(now, via, m)
			for _, e := range p.core.Take() {
				switch e := e.(type) {
				case view.Install:
					p.list, p.self = e.List, e.Self
				case view.Show:
					if _, err := p.list.Apply(e.Op); err != nil {
						p.core.Refused()
					}
				}
			}
			if w.chance(5) {
				now += time.Duration(w.r.IntN(1000)) * time.Millisecond
				if p.core.Next() <= now {
					p.core.Tick(now)
				}
			}
			if w.chance(5) {
				p.core.Did(now, m.From.System, playerlist.SetData{ID: p.self, Data: []byte("x")})
			}
			for what, n := range p.core.Kept() {
				if most, ok := view.Bounds[what]; ok {
					require.LessOrEqual(t, n, most, what)
				}
			}
		}
	}
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
