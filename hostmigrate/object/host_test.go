package object_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRequestRefused: wishes that a host that knows the stone at counter 2, owned by ben, does not fulfil.
func TestRequestRefused(t *testing.T) {
	large := string(make([]byte, object.MaxState+1))
	for _, c := range []struct {
		m    *wire.ExtensionObject
		want error
	}{
		{message(wire.KindObjectRequest, cid, 1, 9, ""), object.ErrOld},
		{message(wire.KindObjectRequest, 9, 2, 9, ""), object.ErrNoPeer},
		{message(wire.KindObjectRequest, cid, 2, 9, large), object.ErrTooLarge},
		{message(wire.KindObjectRequest, cid, math.MaxUint32, 9, ""), object.ErrExhausted},
		{message(wire.KindObjectRequest, ben, 2, 5, ""), nil}, // it has it
	} {
		a := table(ann, ben, cid)
		receive(t, a, ben, message(wire.KindObjectMigrate, ben, 2, 5, "x"))
		require.ErrorIs(t, a.Receive(0, cid, c.m), c.want)
		assert.Empty(t, a.Take().Sends)
	}
	a := table(ann, ben, cid)
	receive(t, a, ben, message(wire.KindObjectMigrate, ben, 2, 5, "x"))
	receive(t, a, ben, message(wire.KindObjectRequest, cid, 2, 5, "x"))
	assert.ErrorIs(t, a.Receive(0, cid, message(wire.KindObjectRequest, ann, 2, 5, "x")), object.ErrPending)
	assert.ErrorIs(t, a.Migrate(0, stone, ann), object.ErrPending)
	receive(t, a, ben, message(wire.KindObjectDestroy, ben, 2, 0, ""))
	assert.ErrorIs(t, a.Receive(0, cid, message(wire.KindObjectRequest, ann, 2, 5, "x")), object.ErrDestroyed)
	assert.Equal(t, []object.Send{reliable(cid, message(wire.KindObjectDestroy, ben, 2, 0, ""))}, a.Take().Sends)
}

// TestFresher: host and asker have different states; the new owner goes on from the newest of these and its own.
func TestFresher(t *testing.T) {
	a := table(ann, ben, cid)
	receive(t, a, ben, message(wire.KindObjectMigrate, ben, 2, 5, "five"))
	out := receive(t, a, ben, message(wire.KindObjectRequest, cid, 2, 6, "six"))
	instruct := message(wire.KindObjectInstruct, cid, 3, 6, "six")
	require.Equal(t, []object.Send{reliable(cid, instruct)}, out.Sends)
	for _, c := range []struct {
		known *wire.ExtensionObject
		want  *wire.ExtensionObject
	}{
		{nil, message(wire.KindObjectMigrate, cid, 3, 6, "six")},
		{message(wire.KindObjectMigrate, ben, 1, 9, "before"), message(wire.KindObjectMigrate, cid, 3, 6, "six")},
		{message(wire.KindObjectMigrate, ben, 2, 5, "five"), message(wire.KindObjectMigrate, cid, 3, 6, "six")},
		{message(wire.KindObjectMigrate, ben, 2, 7, "seven"), message(wire.KindObjectMigrate, cid, 3, 7, "seven")},
	} {
		n := table(cid, ann, ben)
		if c.known != nil {
			receive(t, n, ben, c.known)
		}
		out := receive(t, n, ann, instruct)
		assert.Equal(t, []object.Send{reliable(ann, c.want), reliable(ben, c.want)}, out.Sends)
	}
}

// TestNewOwnerGone: the host decides again beyond the counter that it gave, for the owner that there still is; and
// with a fresher state if it has heard one.
func TestNewOwnerGone(t *testing.T) {
	a := table(ann, ben, cid)
	receive(t, a, ben, message(wire.KindObjectCreate, ben, 0, 0, "x"))
	require.NoError(t, a.Migrate(0, stone, cid))
	a.Take()
	receive(t, a, ben, message(wire.KindObjectUpdate, ben, 0, 1, "y"))
	a.Leave(0, cid)
	assert.Equal(t, 1, a.Given(), "only ben is there")
	assert.Equal(t, []object.Send{reliable(ben, message(wire.KindObjectInstruct, ben, 2, 1, "y"))}, a.Take().Sends)
	out := receive(t, a, ben, message(wire.KindObjectMigrate, ben, 2, 1, "y"))
	assert.Equal(t, []object.Event{object.ObjectMigrated{ID: stone, From: ben, To: ben, Counter: 2, State: []byte("y")}}, out.Events)
	n, _ := a.Pending()
	assert.Zero(t, n)
}

// TestNothingAnnounced: a new owner that does not announce itself is passed over after a time. An owner that is the
// last to be asked, and does not answer either, leaves it to the host.
func TestNothingAnnounced(t *testing.T) {
	a := table(ann, ben, cid)
	receive(t, a, cid, &wire.ExtensionObject{Op: wire.KindObjectCreate, Object: wire.ObjectID{Creator: cid}, Owner: cid})
	a.Leave(0, cid)
	a.Take() // ann has it
	receive(t, a, ben, message(wire.KindObjectCreate, ben, 0, 0, "x"))
	require.NoError(t, a.Migrate(0, wire.ObjectID{Creator: cid}, ben))
	a.Take()
	require.Equal(t, object.DefaultPatience, a.Next())
	a.Look(object.DefaultPatience)
	o, ok := a.Object(wire.ObjectID{Creator: cid})
	require.True(t, ok)
	assert.Equal(t, object.Object{ID: wire.ObjectID{Creator: cid}, Owner: ann, Counter: 3}, o)
	require.NoError(t, a.Migrate(0, stone, ben), "ben has it")
	assert.Equal(t, ben, a.Take().Sends[0].To)
}

// TestNobodyHasIt: a host that does not know an object instructs three machines, one after the other, and gives it up;
// who has it after all may ask again. An object that it knows is not given up.
func TestNobodyHasIt(t *testing.T) {
	for _, known := range []bool{false, true} {
		a := table(ann, ben, cid)
		_, err := a.Create(0, nil) // with one it is not who has the fewest
		require.NoError(t, err)
		if known {
			receive(t, a, ben, message(wire.KindObjectMigrate, ben, 4, 0, "x"))
		}
		request := message(wire.KindObjectRequest, cid, 4, 0, "x")
		a.Take()
		instructed := slices.Clone(receive(t, a, ben, request).Sends)
		for range 9 {
			a.Look(a.Next())
			instructed = append(instructed, a.Take().Sends...)
		}
		if known {
			assert.Len(t, instructed, 10)
			assert.NotEqual(t, object.Never, a.Next())
			continue
		}
		instruct := func(to wire.PlayerID, counter uint32) object.Send {
			return reliable(to, message(wire.KindObjectInstruct, to, counter, 0, "x"))
		}
		require.Equal(t, []object.Send{instruct(cid, 5), instruct(ben, 6), instruct(cid, 7)}, instructed)
		assert.Equal(t, object.Never, a.Next())
		require.Equal(t, []object.Send{instruct(cid, 5)}, receive(t, a, ben, request).Sends)
	}
}

// TestOwnerGone: the host gives what a machine owned to those with the fewest, the lowest ids first.
func TestOwnerGone(t *testing.T) {
	a := table(ann, ben, cid, 4)
	for n := range uint32(4) {
		receive(t, a, 4, &wire.ExtensionObject{Op: wire.KindObjectCreate, Object: wire.ObjectID{Creator: 4, Number: n}, Owner: 4})
	}
	receive(t, a, cid, &wire.ExtensionObject{Op: wire.KindObjectCreate, Object: wire.ObjectID{Creator: cid}, Owner: cid})
	a.Leave(0, 4)
	out := a.Take()
	require.Len(t, out.Events, 2, "ours")
	var to []wire.PlayerID
	for _, s := range out.Sends {
		if s.Message.Op == wire.KindObjectInstruct {
			to = append(to, s.To)
		}
	}
	assert.Equal(t, []wire.PlayerID{ben, ben}, to, "in turn with ann: when all have one the lowest is next, and so on")
}

// TestBalance evens the loads out, counting what is on its way.
func TestBalance(t *testing.T) {
	a := table(ann, ben, cid)
	var ids []wire.ObjectID
	for range 7 {
		id, err := a.Create(0, nil)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	a.Take()
	assert.Equal(t, 4, a.Balance(0))
	var to []wire.PlayerID
	for _, s := range a.Take().Sends {
		to = append(to, s.To)
		assert.Contains(t, ids[3:], s.Message.Object, "the youngest")
	}
	assert.Equal(t, []wire.PlayerID{ben, cid, ben, cid}, to)
	assert.Zero(t, a.Balance(0), "it is decided")
	assert.Zero(t, table(ben, ann).Balance(0), "not the host")
}

// TestNewHost decides about what has no owner; who knew what the dead had destroyed tells it.
func TestNewHost(t *testing.T) {
	a, b := table(ben, ann, cid, 4), table(cid, ann, ben, 4)
	destroy := message(wire.KindObjectDestroy, 4, 1, 0, "")
	receive(t, b, 4, destroy)
	rock := wire.ObjectID{Creator: ann}
	receive(t, a, ann, &wire.ExtensionObject{Op: wire.KindObjectCreate, Object: rock, Owner: ann})
	for _, t := range []*object.Table{a, b} {
		t.Leave(0, 4)
		t.Leave(0, ann)
		t.Take()
	}
	b.SetHost(0, ben)
	require.Equal(t, []object.Send{reliable(ben, destroy)}, b.Take().Sends)
	a.SetHost(0, ben)
	a.SetHost(0, ben) // we know
	out := a.Take()
	assert.Equal(t, []object.Event{object.ObjectMigrated{ID: rock, From: ann, To: ben, Counter: 1}}, out.Events)
	assert.Equal(t, []object.Send{{To: cid, Reliable: true,
		Message: wire.ExtensionObject{Op: wire.KindObjectMigrate, Object: rock, Owner: ben, Counter: 1}}}, out.Sends)
	a.Join(0, 5)
	a.Take()
	out = receive(t, a, cid, destroy)
	assert.Equal(t, []object.Send{reliable(5, destroy)}, out.Sends, "all but who told it")
	a.Join(0, 6)
	assert.Contains(t, a.Take().Sends, reliable(6, destroy), "a newcomer as well")
}

// TestOrphan: a member that misses an owner asks the host, with what it has, and again; the host, which never heard
// of the object, finds an owner.
func TestOrphan(t *testing.T) {
	b := table(ben, ann, cid)
	receive(t, b, cid, message(wire.KindObjectMigrate, cid, 1, 3, "x"))
	b.Leave(time.Second, cid)
	require.Empty(t, b.Take().Sends)
	request := message(wire.KindObjectRequest, wire.IDAll, 1, 3, "x")
	for i := range time.Duration(3) {
		at := time.Second + (i+1)*object.DefaultPatience
		require.Equal(t, at, b.Next())
		b.Look(at - 1)
		require.Empty(t, b.Take().Sends)
		b.Look(at)
		require.Equal(t, []object.Send{reliable(ann, request)}, b.Take().Sends)
	}
	a := table(ann, ben)
	out := receive(t, a, ben, request)
	assert.Equal(t, []object.Event{object.ObjectCreated{ID: stone, Owner: ann, Counter: 2, State: []byte("x")}}, out.Events)
	assert.Equal(t, []object.Send{reliable(ben, message(wire.KindObjectMigrate, ann, 2, 3, "x"))}, out.Sends)

	b.Join(0, cid) // it comes back instead
	b.Look(time.Hour)
	assert.Empty(t, b.Take().Sends)
}

// TestOrphanAtHost: a claim of a machine that the host does not know is followed by one that it decides on, unless
// that machine turns up.
func TestOrphanAtHost(t *testing.T) {
	for _, turnsUp := range []bool{false, true} {
		a := table(ann)
		receive(t, a, ben, message(wire.KindObjectCreate, ben, 0, 0, "x"))
		if turnsUp {
			a.Join(0, ben)
		}
		a.Look(object.DefaultPatience)
		o, _ := a.Object(stone)
		assert.Equal(t, !turnsUp, o.Owner == ann)
	}
}

// TestNoHost: without a host, or with one that knows nothing of objects, there is nobody to ask.
func TestNoHost(t *testing.T) {
	b := table(ben, cid) // ann is host but did not join
	id, err := b.Create(0, nil)
	require.NoError(t, err)
	assert.ErrorIs(t, b.Migrate(0, id, cid), object.ErrNoHost)
	assert.ErrorIs(t, b.Migrate(0, id, 9), object.ErrNoPeer)
	receive(t, b, cid, &wire.ExtensionObject{Op: wire.KindObjectDestroy, Object: stone, Owner: cid})
	receive(t, b, cid, &wire.ExtensionObject{Op: wire.KindObjectCreate, Object: wire.ObjectID{Creator: cid}, Owner: cid})
	b.Leave(0, cid)
	b.Look(object.DefaultPatience)
	assert.Empty(t, b.Take().Sends)
	assert.Equal(t, 2, b.Len())
}
