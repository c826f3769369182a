package object_test

import (
	"slices"
	"testing"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// octets returns the states in messages of one kind, by addressee.
func octets(out object.Output, op wire.ExtensionKind) map[wire.PlayerID]int {
	all := map[wire.PlayerID]int{}
	for _, s := range out.Sends {
		if s.Message.Op == op && len(s.Message.State) > 0 {
			all[s.To] += len(s.Message.State)
		}
	}
	return all
}

// acknowledge has a peer acknowledge what it is told in an output, and returns what the table wants then.
func acknowledge(t *testing.T, a *object.Table, peer wire.PlayerID, out object.Output) object.Output {
	t.Helper()
	for _, s := range out.Sends {
		if s.To == peer && (s.Message.Op == wire.KindObjectCreate || s.Message.Op == wire.KindObjectMigrate) {
			ack := s.Message
			ack.Op, ack.State = wire.KindObjectAck, nil
			require.NoError(t, a.Receive(0, peer, &ack))
		}
	}
	return a.Take()
}

// TestShareOfStates: a machine makes objects with so many octets and no more. From others a table takes twice as many, also as
// states grow, and of those that departed machines made as many as one machine may bring.
func TestShareOfStates(t *testing.T) {
	b := table(ben, ann)
	const each = object.MaxMade / object.MaxState
	ids := make([]wire.ObjectID, each)
	for i := range ids {
		var err error
		ids[i], err = b.Create(0, make([]byte, object.MaxState))
		require.NoError(t, err)
	}
	_, err := b.Create(0, make([]byte, object.MaxState))
	require.ErrorIs(t, err, object.ErrShare)
	assert.ErrorIs(t, err, object.ErrFull)
	assert.ErrorContains(t, err, "2048 KiB")
	require.NoError(t, b.Destroy(0, ids[0]))
	_, err = b.Create(0, make([]byte, object.MaxState))
	require.NoError(t, err, "there is room again")

	n, err := fills(b, ann)
	assert.Equal(t, 2*each+1, n)
	require.ErrorIs(t, err, object.ErrShare)
	grown := &wire.ExtensionObject{Op: wire.KindObjectMigrate, Owner: ann, Counter: 1, State: make([]byte, object.MaxState),
		Object: wire.ObjectID{Creator: ann, Number: 1000}}
	assert.ErrorIs(t, b.Receive(0, ann, grown), object.ErrShare)
	grown.State = nil
	require.NoError(t, b.Receive(0, ann, grown))
	grown.Counter, grown.State = 2, make([]byte, object.MaxState)
	assert.ErrorIs(t, b.Receive(0, ann, grown), object.ErrShare)

	kept := 0
	for m := *grown; err == nil || kept == 0; kept++ { // each of another machine, of which nobody knows
		m.Object.Creator = wire.PlayerID(1000 + kept)
		err = b.Receive(0, ann, &m)
	}
	assert.ErrorIs(t, err, object.ErrShare)
	assert.Equal(t, object.MaxKept/object.MaxState, kept-1)
	require.Empty(t, b.Check())
}

// TestShareOfSite: machines of one site have a share together, of what they made and of what they bring of departed machines. Others have
// theirs.
func TestShareOfSite(t *testing.T) {
	site := func(p wire.PlayerID) any { return p >= 10 && p < 20 }
	b := object.New(object.Config{Self: ben, Site: site})
	b.SetHost(0, ann)
	for _, p := range []wire.PlayerID{ann, 10, 11, 12, 13} {
		b.Join(0, p)
	}
	n := 0
	for _, p := range []wire.PlayerID{10, 11, 12} {
		more, err := fills(b, p)
		require.ErrorIs(t, err, object.ErrShare)
		n += more
	}
	assert.Equal(t, object.MaxSite/object.MaxState, n)
	n, err := fills(b, ann)
	assert.Equal(t, 2*object.MaxMade/object.MaxState, n, "of another site")
	require.ErrorIs(t, err, object.ErrShare)
	_, err = b.Create(0, make([]byte, object.MaxState))
	require.NoError(t, err)

	kept := 0
	for err = nil; err == nil; kept++ {
		p := wire.PlayerID(10 + kept%4)
		err = b.Receive(0, p, &wire.ExtensionObject{Op: wire.KindObjectMigrate, Owner: p, Counter: 1,
			Object: wire.ObjectID{Creator: wire.PlayerID(1000 + kept)}, State: make([]byte, object.MaxState)})
	}
	assert.ErrorIs(t, err, object.ErrShare)
	assert.Equal(t, object.MaxKept/object.MaxState, kept-1)
	require.Empty(t, b.Check())
}

// TestFlow: a peer is told of large objects as it acknowledges them, and others do not wait for it. What is destroyed meanwhile it is not
// told of.
func TestFlow(t *testing.T) {
	a := table(ann, ben, cid)
	const size, many = object.Window / 3, 30
	var ids []wire.ObjectID
	for range many {
		id, err := a.Create(0, make([]byte, size))
		require.NoError(t, err)
		ids = append(ids, id)
	}
	small, err := a.Create(0, []byte("small"))
	require.NoError(t, err)
	out := a.Take()
	assert.Equal(t, map[wire.PlayerID]int{ben: 3 * size, cid: 3 * size}, octets(out, wire.KindObjectCreate))
	told := 3
	for told < many+1 {
		out = acknowledge(t, a, ben, out)
		got := octets(out, wire.KindObjectCreate)
		assert.Zero(t, got[cid])
		assert.LessOrEqual(t, got[ben], object.Window)
		require.NotZero(t, got[ben], "told of %d", told)
		for _, s := range out.Sends {
			if s.To == ben && s.Message.Op == wire.KindObjectCreate {
				told++
			}
		}
	}
	acknowledge(t, a, ben, out)
	assert.Equal(t, []wire.PlayerID{cid}, dedupe(a.Lacking()))
	// The rest is destroyed, but for one. It is told of at once, and nobody waits for what cid did not acknowledge.
	for _, id := range slices.Backward(ids[:many-1]) {
		require.NoError(t, a.Destroy(0, id))
	}
	assert.Equal(t, map[wire.PlayerID]int{cid: size + len("small")}, octets(a.Take(), wire.KindObjectCreate))
	require.NoError(t, a.Destroy(0, small))
	a.Take()

	// One that never acknowledges is told again by audits, of one window each.
	require.NoError(t, a.Destroy(0, ids[many-1]))
	for range many {
		_, err := a.Create(0, make([]byte, size))
		require.NoError(t, err)
	}
	a.Take()
	for range 3 {
		a.Audit()
		assert.LessOrEqual(t, octets(a.Take(), wire.KindObjectCreate)[cid], object.Window)
	}
	// One that comes back is told all anew.
	a.Leave(0, cid)
	a.Join(0, cid)
	assert.Equal(t, 3*size, octets(a.Take(), wire.KindObjectCreate)[cid])
	require.Empty(t, a.Check())
}

func dedupe(all []wire.PlayerID) []wire.PlayerID {
	seen := map[wire.PlayerID]bool{}
	var once []wire.PlayerID
	for _, p := range all {
		if !seen[p] {
			once = append(once, p)
		}
		seen[p] = true
	}
	return once
}

// departs has a machine leave that made so many objects of a size, with ann as host among others.
func departs(t *testing.T, many, size int, others ...wire.PlayerID) (*object.Table, object.Output) {
	t.Helper()
	const gone = wire.PlayerID(9)
	a := table(ann, append(others, gone)...)
	for n := range uint32(many) {
		require.NoError(t, a.Receive(0, gone, &wire.ExtensionObject{Op: wire.KindObjectCreate, Owner: gone,
			Object: wire.ObjectID{Creator: gone, Number: n}, State: make([]byte, size)}))
	}
	a.Take()
	a.Leave(0, gone)
	return a, a.Take()
}

// announce has the addressees of INSTRUCT announce what they were given, but for one machine.
func announce(t *testing.T, a *object.Table, now time.Duration, out object.Output, but wire.PlayerID) {
	t.Helper()
	for _, s := range out.Sends {
		if s.Message.Op == wire.KindObjectInstruct && s.To != but {
			m := s.Message
			m.Op, m.Owner = wire.KindObjectMigrate, s.To
			require.NoError(t, a.Receive(now, s.To, &m))
		}
	}
}

// TestHandOver: the objects of a machine that leaves are handed over bit by bit, as their new owners announce themselves. One that does
// not holds up nobody, and in the end all have an owner.
func TestHandOver(t *testing.T) {
	for _, silent := range []wire.PlayerID{0, cid} {
		const many = 2 * object.MaxMade / object.MaxState
		a, out := departs(t, many, object.MaxState, ben, cid)
		now, given := time.Duration(0), map[wire.PlayerID]int{}
		for now < time.Minute {
			for to, n := range octets(out, wire.KindObjectInstruct) {
				assert.LessOrEqual(t, n, object.Window)
				given[to] += n / object.MaxState
			}
			for to, n := range octets(out, wire.KindObjectMigrate) {
				assert.LessOrEqual(t, n, object.Window, "told to %v", to)
			}
			pending, _ := a.Pending()
			assert.LessOrEqual(t, pending, 2)
			require.Empty(t, a.Check())
			announce(t, a, now, out, silent)
			a.Look(now)
			if out = a.Take(); len(out.Sends) > 0 {
				continue
			}
			require.Greater(t, a.Next(), now)
			if now = a.Next(); now == object.Never {
				break
			}
			a.Look(now)
			out = a.Take()
		}
		assert.Zero(t, a.Given(), "no decision is open")
		owned := map[wire.PlayerID]int{}
		for _, o := range a.Objects() {
			owned[o.Owner]++
		}
		assert.Zero(t, owned[9], "all have an owner")
		assert.Equal(t, many, owned[ann]+owned[ben]+owned[cid])
		if silent == 0 {
			assert.Positive(t, owned[ann])
			assert.InDelta(t, owned[cid], owned[ben], 1)
		} else {
			assert.Zero(t, owned[cid])
			assert.Greater(t, owned[ben], many/2)
		}
	}
}

// TestHandOverOfSmallObjects: what fits is handed over at once.
func TestHandOverOfSmallObjects(t *testing.T) {
	a, out := departs(t, 600, 100, ben, cid)
	n := 0
	for _, s := range out.Sends {
		if s.Message.Op == wire.KindObjectInstruct {
			n++
		}
	}
	assert.Equal(t, 400, n)
	assert.Equal(t, 600, a.Len())
}

// TestRequestsArePaced: a member that misses the owners of many objects asks the host about some at a time, and a host that is at work
// on them is not disturbed.
func TestRequestsArePaced(t *testing.T) {
	const many, gone = 30, wire.PlayerID(9)
	b := table(ben, ann, gone)
	for n := range uint32(many) {
		require.NoError(t, b.Receive(0, gone, &wire.ExtensionObject{Op: wire.KindObjectCreate, Owner: gone,
			Object: wire.ObjectID{Creator: gone, Number: n}, State: make([]byte, object.MaxState)}))
	}
	b.Leave(0, gone)
	b.Take()
	asked := 0
	var last *wire.ExtensionObject
	for b.Next() < object.DefaultPatience*2 {
		b.Look(b.Next())
		out := b.Take()
		n := octets(out, wire.KindObjectRequest)[ann]
		assert.LessOrEqual(t, n, object.Window)
		asked += n
		for i := range out.Sends {
			last = &out.Sends[i].Message
		}
	}
	assert.Positive(t, asked)
	assert.Less(t, asked, 12*object.MaxState)

	a, _ := departs(t, many, object.MaxState, ben, cid)
	last.Object.Number = many - 1
	assert.ErrorIs(t, a.Receive(0, ben, last), object.ErrPending)
	assert.Empty(t, a.Take().Sends)
}

// TestBalanceIsPaced: one call moves so many octets to a machine.
func TestBalanceIsPaced(t *testing.T) {
	a := table(ann, ben, cid)
	many, _ := fills(a, cid)
	a.Take()
	const most = 16 * object.Window / object.MaxState
	require.Greater(t, many/3, most)
	assert.Equal(t, 2*most, a.Balance(0), "ann has as many by herself")
	assert.Equal(t, most*object.MaxState, octets(a.Take(), wire.KindObjectInstruct)[ben])
}
