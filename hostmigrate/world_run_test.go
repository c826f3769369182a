package hostmigrate_test

import (
	"testing"

	"dplay4/hostmigrate"
	"dplay4/internal/testkit"
	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

var rules = []hostmigrate.Rule{hostmigrate.DPlay4, hostmigrate.Modern}

// newestOf returns the newest version among some machines.
func newestOf(versions map[wire.PlayerID]uint32, nodes []*node) (newest uint32) {
	for _, n := range nodes {
		newest = max(newest, versions[n.id])
	}
	return newest
}

func (w *world) versions() map[wire.PlayerID]uint32 {
	v := map[wire.PlayerID]uint32{}
	for _, n := range w.nodes {
		v[n.id] = n.table.Version()
	}
	return v
}

// TestMigrationLosesNothing has the host of one to five members at different versions die, and draws the order of all
// arrivals and notices ([MC-DPL8CS] 3.2.5.4): nobody is dropped, and all end with the table of the newest member.
func TestMigrationLosesNothing(t *testing.T) {
	for seed := range testkit.Part(uint64(3000)) {
		r := seeded(seed)
		w := newWorld(t, r, rules[seed%2], 1+int(seed/2%5))
		w.play(r.IntN(14), true)
		before := w.versions()
		require.True(t, w.run(0), "seed %d does not end", seed)
		alive := w.survivors()
		require.Len(t, alive, len(w.nodes)-1)
		require.Zero(t, w.drops, "seed %d", seed)
		newest := newestOf(before, alive)
		version := alive[0].table.Version()
		require.GreaterOrEqual(t, version, newest)
		if newest > 0 { // otherwise the table may be of what DirectPlay 4 told
			require.Equal(t, w.log[version], alive[0].table.Replica().State(), "the table that the host had then")
		}
	}
}

// TestLeaderDiesAtEveryMoment kills the first candidate after each number of events, in several orders of them.
func TestLeaderDiesAtEveryMoment(t *testing.T) {
	for seed := range testkit.Part(uint64(40)) {
		for after := range 60 {
			r := seeded(seed)
			w := newWorld(t, r, rules[seed%2], 2+int(seed/2%4))
			w.play(6, seed%3 == 0)
			w.work = seed%5 < 2
			before := w.versions()
			w.first, w.after = w.nodes[1].id, after
			if w.rule == hostmigrate.DPlay4 {
				for _, n := range w.nodes[1:] {
					w.first = min(w.first, n.id)
				}
			}
			require.True(t, w.run(0), "seed %d after %d does not end", seed, after)
			alive := w.survivors()
			require.Zero(t, w.drops, "seed %d after %d", seed, after)
			require.GreaterOrEqual(t, alive[0].table.Version(), newestOf(before, alive))
		}
	}
}

// TestAnybodyDiesAtAnyTime has up to three more machines die while the tables are resynchronised, and new hosts number
// operations at once. All who are left agree, and what any of them knew is there.
func TestAnybodyDiesAtAnyTime(t *testing.T) {
	for seed := range testkit.Part(uint64(6000)) {
		r := seeded(seed)
		w := newWorld(t, r, rules[seed%2], 2+int(seed/2%4))
		w.play(r.IntN(14), true)
		w.work, w.death = seed%3 != 0, 1+r.IntN(3)
		before := w.versions()
		require.True(t, w.run(0), "seed %d does not end", seed)
		alive := w.survivors()
		require.GreaterOrEqual(t, alive[0].table.Version(), newestOf(before, alive), "seed %d", seed)
		require.Zero(t, w.drops, "seed %d", seed)
	}
}

// TestImpatience has time pass at any moment, so that peers and candidates are dropped that are only slow. Whoever is
// not dropped agrees all the same.
func TestImpatience(t *testing.T) {
	drops := 0
	for seed := range testkit.Part(uint64(3000)) {
		r := seeded(seed)
		w := newWorld(t, r, rules[seed%2], 2+int(seed/2%4))
		w.play(r.IntN(14), true)
		w.work, w.death = seed%3 != 0, r.IntN(2)
		require.True(t, w.run(10+r.IntN(20)), "seed %d does not end", seed)
		alive := 0
		for _, n := range w.nodes {
			if n.alive {
				alive++
			}
		}
		if alive > 0 {
			w.survivors()
		}
		drops += w.drops
	}
	require.Greater(t, drops, testkit.Part(300), "too few are dropped to mean anything")
}
