package object_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dplay4/hostmigrate/object"
	"dplay4/internal/testkit"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fill has a table hear of as many objects as it takes, all of one owner, and gives their ids.
func fill(t *testing.T, table *object.Table, owner wire.PlayerID) []wire.ObjectID {
	t.Helper()
	ids := make([]wire.ObjectID, object.MaxObjects)
	for n := range ids {
		ids[n] = wire.ObjectID{Creator: wire.PlayerID(100 + n/object.MaxCreated), Number: uint32(n)}
		require.NoError(t, table.Receive(0, owner, &wire.ExtensionObject{Op: wire.KindObjectMigrate, Object: ids[n],
			Owner: owner, Counter: 1}))
	}
	table.Take()
	return ids
}

// TestLargestTable: whatever makes a host find owners for all objects of the largest table, it visits each of them
// once to know what machines own, not once for each of them; and all machines that are left get the same number.
func TestLargestTable(t *testing.T) {
	const gone = wire.PlayerID(9)
	peers := []wire.PlayerID{2, 3, 4, 5, 6, 7, 8}
	given := func(a *object.Table, ids []wire.ObjectID) {
		for _, id := range ids {
			require.NoError(t, a.Migrate(0, id, gone))
		}
		a.Take()
	}
	for _, c := range []struct {
		name   string
		before func(t *testing.T, a *object.Table)
		do     func(a *object.Table)
	}{
		{"the owner leaves", func(t *testing.T, a *object.Table) { a.Join(0, gone); fill(t, a, gone) },
			func(a *object.Table) { a.Leave(0, gone) }},
		{"who is to be the owner leaves, and the owner has", func(t *testing.T, a *object.Table) {
			a.Join(0, gone)
			a.Join(0, 10)
			given(a, fill(t, a, 10))
			a.Leave(0, 10)
		}, func(a *object.Table) { a.Leave(0, gone) }},
		{"a new host", func(t *testing.T, a *object.Table) { a.SetHost(0, 2); fill(t, a, gone) },
			func(a *object.Table) { a.SetHost(0, ann) }},
		{"the owner does not come", func(t *testing.T, a *object.Table) { fill(t, a, gone) },
			func(a *object.Table) { a.Look(object.DefaultPatience) }},
		{"who is to be the owner does not announce it", func(t *testing.T, a *object.Table) {
			ids := fill(t, a, 10) // who is not there
			a.Join(0, gone)
			given(a, ids)
		}, func(a *object.Table) { a.Look(object.DefaultPatience) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := table(ann, peers...)
			c.before(t, a)
			a.Take()
			before := a.Visits()
			c.do(a)
			assert.Equal(t, object.MaxObjects, a.Visits()-before)
			share := map[wire.PlayerID]int{}
			for _, s := range a.Take().Sends {
				if s.Message.Op == wire.KindObjectInstruct {
					share[s.To]++
				}
			}
			for _, p := range peers {
				assert.Equal(t, object.MaxObjects/(len(peers)+1), share[p], "machine %v", p)
			}
			before = a.Visits()
			a.Join(0, 11)
			a.Leave(0, 11)
			assert.Equal(t, before, a.Visits(), "nothing to decide")
			require.Empty(t, a.Check())
		})
	}
}

// TestCarriedLoads: loads that are carried along are those that counting gives after every decision, also where it is
// refused: a counter is at its end, or there is no room; and where the object is unknown to the host, or destroyed.
func TestCarriedLoads(t *testing.T) {
	for seed := range testkit.Part(byte(50)) {
		r := rand.New(rand.NewChaCha8([32]byte{seed}))
		peers := []wire.PlayerID{2, 3, 4, 5}
		a := table(ann, peers...)
		some := func() wire.PlayerID { return wire.PlayerID(1 + r.IntN(7)) } // 6 and 7 are not there
		var ids []wire.ObjectID
		for n := range uint32(120) { // of each object twice: some are asked for that were destroyed
			id := wire.ObjectID{Creator: 2, Number: n % 60}
			ids = append(ids, id)
			m := &wire.ExtensionObject{Object: id, Counter: uint32(1 + r.IntN(3)), Owner: some(), State: make([]byte, r.IntN(9))}
			from := m.Owner
			switch m.Op = wire.KindObjectMigrate; r.IntN(8) {
			case 0:
				m.Op, m.State = wire.KindObjectDestroy, nil
			case 1:
				m.Op, from = wire.KindObjectRequest, 2
			case 2:
				m.Counter = math.MaxUint32 - uint32(r.IntN(2))
			}
			_ = a.Receive(0, from, m)
			_ = a.Migrate(0, ids[r.IntN(len(ids))], some())
		}
		if r.IntN(2) == 0 { // no room for states that a decision keeps
			for size := object.MaxState; size > 0; size /= 2 {
				for err := error(nil); err == nil; {
					_, err = a.Create(0, make([]byte, size))
				}
			}
		}
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = append(ids, ids...)
		id, differs := a.Carried(0, ids)
		require.False(t, differs, "seed %d: after %v", seed, id)
		require.Empty(t, a.Check())
	}
}
