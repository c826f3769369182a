package plan

import (
	"fmt"
	"slices"
	"testing"
	"time"
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
	w      *world
	all    []*machine
	away   *machine
	asleep bool
	wrong  []string
}

// trips runs a session of four, of which each in turn is away, cut off or asleep.
func trips(t *testing.T, run func(*trip)) {
	each(t, 5, func(seed uint64) []string {
		for who := range 4 {
			for _, asleep := range []bool{false, true} {
				w, all := four(seed)
				w.leave(all[who], asleep)
				c := &trip{w: w, all: all, away: all[who], asleep: asleep}
				if run(c); len(c.wrong) > 0 {
					return append(c.wrong, fmt.Sprintf("with %s away, asleep %v", c.away.name, asleep))
				}
			}
		}
		return nil
	})
}

// four makes a session of four.
func four(seed uint64) (w *world, all []*machine) {
	w = newWorld(seed)
	all = append(all, w.add(Config{Found: true}))
	for range 3 {
		w.run(w.between(2*time.Second, 4*time.Second))
		all = append(all, w.add(Config{}))
	}
	w.run(10 * time.Second)
	return w, all
}

// holds notes what does not.
func (c *trip) holds(ok bool, format string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}

// ends waits until all agree again, and checks who had to move. Nobody loses those that were there all the time.
func (c *trip) ends(moved ...*machine) {
	c.w.back(c.away)
	for _, m := range c.w.machines {
		m.fell = nil
	}
	c.w.run(2 * time.Minute)
	c.wrong = append(c.wrong, c.w.wrongInTheEnd()...)
	for _, m := range c.w.machines {
		c.holds(slices.Contains(moved, m) == (m.moves > 0), "%s moved %d times", m.name, m.moves)
		for _, id := range m.fell {
			c.holds(m == c.away || id == c.away.id, "%s lost %s", m.name, c.w.find(id).name)
		}
	}
}

// TestAwayForLong has a machine be away for minutes, and a newcomer get its slot. When it comes back it is the one that moves, not
// the newcomer, whose game is connected to the others.
func TestAwayForLong(t *testing.T) {
	trips(t, func(c *trip) {
		c.w.run(time.Minute)
		late := c.w.add(Config{})
		c.w.run(c.w.between(time.Minute, 5*time.Minute))
		c.holds(c.away.placed == late.placed, "the newcomer is on %v", late.placed)
		c.ends(c.away)
	})
}

// TestAwayAndBack has nobody take its slot: it has it again, however long it was away, and keeps it meanwhile.
func TestAwayAndBack(t *testing.T) {
	trips(t, func(c *trip) {
		c.w.run(c.w.between(time.Second, 2*time.Minute))
		c.holds(c.away.plan.Self().Slot == c.away.placed.Slot, "it has none")
		c.ends()
	})
}

// TestAwayForAMoment has a newcomer come while a machine is away for so short a time that its slot is kept.
func TestAwayForAMoment(t *testing.T) {
	trips(t, func(c *trip) {
		c.w.run(c.w.between(time.Second, 12*time.Second))
		c.w.add(Config{})
		c.w.run(c.w.between(time.Second, 15*time.Second))
		c.ends()
	})
}

// TestAllAway has all be cut off, each alone, or sleep, and come back one after the other: each has its slot.
func TestAllAway(t *testing.T) {
	trips(t, func(c *trip) {
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

// TestTwoHalves has two halves of a session go on, and a newcomer in one. Both played on, so who came first has its slot.
func TestTwoHalves(t *testing.T) {
	each(t, 1, func(seed uint64) []string {
		w, all := four(seed)
		for _, a := range []*machine{all[0], all[3]} {
			w.block(a, all[1])
			w.block(a, all[2])
		}
		w.run(time.Minute)
		late := w.add(Config{}) // it comes in where it is answered, with a slot of the other half
		w.run(10 * time.Second)
		c := &trip{w: w}
		c.holds(late.placed.Slot >= 0 && late.placed.Slot < len(all), "the newcomer is on %v", late.placed)
		w.mend()
		w.run(2 * time.Minute)
		c.wrong = append(c.wrong, w.wrongInTheEnd()...)
		for _, m := range w.machines {
			c.holds((m == late) == (m.moves > 0), "%s moved %d times", m.name, m.moves)
		}
		return c.wrong
	})
}
