package view_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"dplay4/hostmigrate/view"
	"dplay4/internal/testkit"
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
