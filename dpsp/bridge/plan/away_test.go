package plan

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leave has a machine reach nobody for a while: it is cut off, or sleeps.
func (w *world) leave(m *machine, asleep bool) {
	if m.off {
		return
	}
	m.off, m.asleep = true, asleep
	for _, c := range m.all() {
		w.silent(c)
	}
}

// back ends that. Who slept finds its cables as they were, and notices after a while that nothing comes.
func (w *world) back(m *machine) {
	slept, missed := m.asleep, m.missed
	m.off, m.asleep, m.missed = false, false, nil
	w.hear(m)
	if !slept {
		return
	}
	m.step(Slept{})
	for _, in := range missed {
		m.step(in)
	}
	for _, c := range m.all() {
		w.silent(c)
	}
}

// A trip is a machine that reaches nobody for a while, and what happens meanwhile.
type trip struct {
	*testing.T
	w      *world
	all    []*machine
	away   *machine
	asleep bool
}

// trips runs a session of four, of which each in turn is away, cut off or asleep, for many seeds.
func trips(t *testing.T, run func(trip)) {
	t.Parallel()
	for seed := range uint64(*seeds) {
		for who := range 4 {
			for _, asleep := range []bool{false, true} {
				w := newWorld(seed + 1)
				all := []*machine{w.add(Config{Found: true})}
				for range 3 {
					w.run(w.between(2*time.Second, 4*time.Second))
					all = append(all, w.add(Config{}))
				}
				w.run(10 * time.Second)
				w.leave(all[who], asleep)
				run(trip{t, w, all, all[who], asleep})
				if t.Failed() {
					t.Fatalf("seed %d, machine %d, asleep %v", seed+1, who, asleep)
				}
			}
		}
	}
}

// ends waits until all agree again, and checks who had to move. Nobody loses those that were there all the time.
func (c trip) ends(moved ...*machine) {
	c.w.back(c.away)
	for _, m := range c.w.machines {
		m.fell = nil
	}
	c.w.run(2 * time.Minute)
	require.Empty(c, c.w.wrongInTheEnd())
	for _, m := range c.w.machines {
		assert.Equal(c, slices.Contains(moved, m), m.moves > 0, "%s moved", m.name)
		if m != c.away {
			assert.Subset(c, []ID{c.away.id}, m.fell, m.name)
		}
	}
}

// TestAwayForLong has a machine be away for minutes, and a newcomer get its slot. When it comes back it is the one that moves, not
// the newcomer, whose game is connected to the others.
func TestAwayForLong(t *testing.T) {
	trips(t, func(c trip) {
		c.w.run(time.Minute)
		late := c.w.add(Config{})
		c.w.run(c.w.between(time.Minute, 5*time.Minute))
		require.Equal(c, c.away.placed, late.placed)
		c.ends(c.away)
	})
}

// TestAwayAndBack has nobody take its slot: it has it again, however long it was away, and keeps it meanwhile.
func TestAwayAndBack(t *testing.T) {
	trips(t, func(c trip) {
		place := c.away.placed
		c.w.run(c.w.between(time.Second, 2*time.Minute))
		assert.Equal(c, place.slot, c.away.plan.Self().Slot)
		c.ends()
	})
}

// TestAwayForAMoment has a newcomer come while a machine is away for so short a time that its slot is kept.
func TestAwayForAMoment(t *testing.T) {
	trips(t, func(c trip) {
		c.w.run(c.w.between(time.Second, 12*time.Second))
		c.w.add(Config{})
		c.w.run(c.w.between(time.Second, 15*time.Second))
		c.ends()
	})
}

// TestAllAway has all be cut off, each alone, and come back one after the other: each has its slot.
func TestAllAway(t *testing.T) {
	trips(t, func(c trip) {
		for _, m := range c.all {
			c.w.leave(m, c.asleep)
		}
		c.w.run(c.w.between(time.Second, 5*time.Minute))
		for _, m := range c.all {
			c.w.back(m)
			c.w.run(c.w.between(0, time.Minute))
		}
		c.w.run(2 * time.Minute)
		c.ends()
	})
}

// TestTwoHalves has two halves of a session go on, and a newcomer in each. Both played on, so who came first has its slot.
func TestTwoHalves(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*seeds) {
		w := newWorld(seed + 1)
		all := []*machine{w.add(Config{Found: true})}
		for range 3 {
			w.run(3 * time.Second)
			all = append(all, w.add(Config{}))
		}
		w.run(10 * time.Second)
		for i, a := range all {
			for _, b := range all[i+1:] {
				if (a == all[0] || a == all[3]) != (b == all[0] || b == all[3]) {
					w.block(a, b)
				}
			}
		}
		w.run(time.Minute)
		late := w.add(Config{}) // it comes in where it is answered, with a slot of the other half
		w.run(10 * time.Second)
		require.GreaterOrEqual(t, late.placed.slot, 0)
		w.mend()
		w.run(2 * time.Minute)
		require.Empty(t, w.wrongInTheEnd(), "seed %d", seed+1)
		assert.Equal(t, 1, late.moves)
		for _, m := range all {
			assert.Zero(t, m.moves, "seed %d: %s", seed+1, m.name)
		}
	}
}
