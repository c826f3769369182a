package object_test

import (
	"math"
	"testing"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStateLimits: the largest states are taken, one octet more is not.
func TestStateLimits(t *testing.T) {
	b := table(ben, ann)
	_, err := b.Create(0, make([]byte, object.MaxState+1))
	assert.ErrorIs(t, err, object.ErrTooLarge)
	id, err := b.Create(0, make([]byte, object.MaxState))
	require.NoError(t, err)
	assert.ErrorIs(t, b.Update(0, id, make([]byte, object.MaxUpdate+1)), object.ErrTooLarge)
	require.NoError(t, b.Update(0, id, make([]byte, object.MaxUpdate)))
	require.Empty(t, b.Check())
}

// TestUpdateFitsDatagram: the largest UPDATE is no longer than an Ethernet takes in one piece, with all headers.
func TestUpdateFitsDatagram(t *testing.T) {
	m := message(wire.KindObjectUpdate, ben, 1, 1, string(make([]byte, object.MaxUpdate)))
	b, err := wire.AppendMessage(nil, wire.DX9, wire.NewExtension(ben, m))
	require.NoError(t, err)
	assert.Equal(t, 60, wire.SPHeaderSize+len(b)-object.MaxUpdate)
	assert.LessOrEqual(t, 20+8+wire.SPHeaderSize+len(b), 1500)
}

// TestMaxCreated: a machine makes no more than that, and destroying makes room. From others twice as many are taken.
func TestMaxCreated(t *testing.T) {
	b := table(ben)
	var last wire.ObjectID
	for range object.MaxCreated {
		id, err := b.Create(0, nil)
		require.NoError(t, err)
		last = id
	}
	_, err := b.Create(0, nil)
	assert.ErrorIs(t, err, object.ErrFull)
	require.NoError(t, b.Destroy(0, last))
	_, err = b.Create(0, nil)
	require.NoError(t, err)
	for n := range uint32(2*object.MaxCreated + 1) {
		err := b.Receive(0, ann, &wire.ExtensionObject{Op: wire.KindObjectCreate,
			Object: wire.ObjectID{Creator: ann, Number: n}, Owner: ann})
		require.Equal(t, n == 2*object.MaxCreated, err != nil)
	}
	assert.Equal(t, 3*object.MaxCreated, b.Len())
}

// TestMaxObjects fills a table with what many creators made. A new owner without room does not become one.
func TestMaxObjects(t *testing.T) {
	b := table(ben, ann)
	m := wire.ExtensionObject{Op: wire.KindObjectMigrate, Owner: ann, Counter: 1}
	for n := range object.MaxObjects {
		m.Object = wire.ObjectID{Creator: wire.PlayerID(10 + n%16), Number: uint32(n)}
		require.NoError(t, b.Receive(0, ann, &m))
	}
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectMigrate, ann, 1, 0, "")), object.ErrFull)
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectInstruct, ben, 1, 0, "")), object.ErrFull)
	_, err := b.Create(0, nil)
	assert.ErrorIs(t, err, object.ErrFull)
	assert.Equal(t, object.MaxObjects, b.Len())
	m.Counter = 2
	require.NoError(t, b.Receive(0, ann, &m), "what is known may migrate")
	require.Empty(t, b.Check())
}

// fills has a machine make objects with the largest states until a table takes no more, and returns how many and the reason.
func fills(b *object.Table, maker wire.PlayerID) (n int, err error) {
	for ; err == nil; n++ {
		err = b.Receive(0, maker, &wire.ExtensionObject{Op: wire.KindObjectCreate, Owner: maker,
			Object: wire.ObjectID{Creator: maker, Number: uint32(n)}, State: make([]byte, object.MaxState)})
	}
	return n - 1, err
}

// TestMaxOctets fills a table with large states. One machine cannot.
func TestMaxOctets(t *testing.T) {
	b := table(cid, ann, 11, 12, 13, 14, 15, 16, 17, 18)
	large := make([]byte, object.MaxState)
	n, err := fills(b, 11)
	assert.Equal(t, 2*object.MaxMade/object.MaxState, n)
	assert.ErrorIs(t, err, object.ErrShare)
	for p := wire.PlayerID(12); p <= 18; p++ {
		more, _ := fills(b, p)
		n += more
	}
	for _, err = b.Create(0, large); err == nil; _, err = b.Create(0, large) {
		n++
	}
	assert.ErrorIs(t, err, object.ErrFull)
	assert.NotErrorIs(t, err, object.ErrShare)
	assert.Equal(t, object.MaxOctets/object.MaxState, n)
	rest := object.MaxOctets % object.MaxState
	for rest > 0 {
		k := min(rest, object.MaxUpdate)
		_, err := b.Create(0, large[:k])
		require.NoError(t, err)
		rest -= k
	}
	empty, err := b.Create(0, nil)
	require.NoError(t, err)
	assert.ErrorIs(t, b.Update(0, empty, []byte{1}), object.ErrFull)
	require.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectMigrate, ann, 1, 0, "x")), object.ErrFull)
	receive(t, b, ann, message(wire.KindObjectMigrate, ann, 1, 0, ""))
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectUpdate, ann, 1, 1, "x")), object.ErrFull)
}

// TestMaxTombstones: the one that would go first makes room.
func TestMaxTombstones(t *testing.T) {
	b := table(ben, ann)
	for n := range uint32(object.MaxTombstones + 1) {
		m := wire.ExtensionObject{Op: wire.KindObjectDestroy, Object: wire.ObjectID{Creator: ann, Number: 1<<20 - n}, Owner: ann}
		require.NoError(t, b.Receive(time.Duration(n), ann, &m))
	}
	assert.Equal(t, object.MaxTombstones, b.Tombstones())
	_, first := b.Ranks()[wire.ObjectID{Creator: ann, Number: 1 << 20}]
	assert.False(t, first)
	require.Empty(t, b.Check())
}

// TestMaxDecisions: a host decides about so many unknown objects and no more.
func TestMaxDecisions(t *testing.T) {
	a := table(ann, ben)
	for n := range uint32(object.MaxObjects + 1) {
		m := wire.ExtensionObject{Op: wire.KindObjectRequest, Object: wire.ObjectID{Creator: ben, Number: n}, Owner: ben}
		require.Equal(t, n == object.MaxObjects, a.Receive(0, ben, &m) != nil)
	}
}

// TestNewestTombstoneStays: of tombstones that would go at once the new one is not the one that goes, whatever its id,
// and the CREATE that it is to stop is not accepted.
func TestNewestTombstoneStays(t *testing.T) {
	for _, low := range []bool{false, true} {
		b := table(ben, ann, cid)
		m := wire.ExtensionObject{Op: wire.KindObjectDestroy, Owner: cid}
		for n := range uint32(object.MaxTombstones) {
			m.Object = wire.ObjectID{Creator: cid, Number: 10 + n}
			require.NoError(t, b.Receive(0, ann, &m))
		}
		m.Object.Number++
		if low {
			m.Object.Number = 1
		}
		require.NoError(t, b.Receive(0, ann, &m))
		m.Op = wire.KindObjectCreate
		assert.ErrorIs(t, b.Receive(0, cid, &m), object.ErrDestroyed, "low: %v", low)
		assert.Equal(t, object.MaxTombstones, b.Tombstones())
		require.Empty(t, b.Check())
	}
}

// TestDecisionOctets: what a host was sent with REQUEST counts as the states of objects do. It refuses what goes
// beyond MaxOctets, and has all room again when nobody announced what nobody has, or when it is host no more.
func TestDecisionOctets(t *testing.T) {
	large := make([]byte, object.MaxState)
	for _, end := range []func(a *object.Table){
		func(a *object.Table) {
			for a.Next() != object.Never {
				a.Look(a.Next())
			}
		},
		func(a *object.Table) { a.SetHost(0, ben) },
	} {
		a := table(ann, ben, cid)
		m := wire.ExtensionObject{Op: wire.KindObjectRequest, Owner: ben, State: large}
		const each = object.MaxMade / object.MaxState
		for n := range uint32(object.MaxOctets/object.MaxState + 1) {
			m.Object = wire.ObjectID{Creator: 9, Number: n}
			from := wire.PlayerID(20 + n/each)
			require.Equal(t, n == object.MaxOctets/object.MaxState, a.Receive(0, from, &m) != nil)
			if n%each == each-1 {
				m.Object.Number += 1000
				require.ErrorIs(t, a.Receive(0, from, &m), object.ErrShare, "of one machine no more is kept")
			}
		}
		assert.ErrorIs(t, a.Receive(0, ben, &m), object.ErrFull)
		_, err := a.Create(0, large)
		assert.ErrorIs(t, err, object.ErrFull)
		require.Empty(t, a.Check())
		end(a)
		n, _ := a.Pending()
		assert.Zero(t, n)
		require.Empty(t, a.Check())
		for range object.MaxMade / object.MaxState { // some it has made its own
			_, err := a.Create(0, large)
			require.NoError(t, err)
		}
	}
}

// TestDecisionOfKnownObject: the host keeps no state for an object of which it has the newest itself, however its
// owner changes that until the new owner announces itself: then the state in the decision would be nobody's.
func TestDecisionOfKnownObject(t *testing.T) {
	a := table(ann, ben, cid)
	large, small := string(make([]byte, object.MaxState)), string(make([]byte, object.MaxUpdate))
	receive(t, a, ben, message(wire.KindObjectCreate, ben, 0, 0, large))
	out := receive(t, a, ben, message(wire.KindObjectRequest, cid, 0, 0, large))
	require.Equal(t, []object.Send{reliable(cid, message(wire.KindObjectInstruct, cid, 1, 0, large))}, out.Sends)
	require.Equal(t, object.MaxState, a.Octets(), "once, not twice")
	receive(t, a, ben, message(wire.KindObjectUpdate, ben, 0, 1, small))
	require.Equal(t, object.MaxUpdate, a.Octets())
	require.Empty(t, a.Check())

	receive(t, a, cid, message(wire.KindObjectRequest, cid, 1, 5, large)) // it knows of a migration that we do not
	require.Equal(t, object.MaxUpdate+object.MaxState, a.Octets())
	require.Empty(t, a.Check())
	receive(t, a, cid, message(wire.KindObjectMigrate, cid, 2, 5, large))
	require.Equal(t, object.MaxState, a.Octets())
	n, _ := a.Pending()
	require.Zero(t, n)
	require.Empty(t, a.Check())
}

// TestNumbers begin where the caller says, skip what is known, and end.
func TestNumbers(t *testing.T) {
	b := object.New(object.Config{Self: ben, First: math.MaxUint32 - 2})
	require.NoError(t, b.Receive(0, ann, &wire.ExtensionObject{Op: wire.KindObjectMigrate,
		Object: wire.ObjectID{Creator: ben, Number: math.MaxUint32 - 1}, Owner: ann, Counter: 1}))
	for _, want := range []uint32{math.MaxUint32 - 2, math.MaxUint32} {
		id, err := b.Create(0, nil)
		require.NoError(t, err)
		assert.Equal(t, wire.ObjectID{Creator: ben, Number: want}, id)
	}
	_, err := b.Create(0, nil)
	assert.ErrorIs(t, err, object.ErrExhausted)
}

// TestExhausted: counters and sequences do not wrap.
func TestExhausted(t *testing.T) {
	a := table(ann, ben)
	id, err := a.Create(0, nil)
	require.NoError(t, err)
	a.SetCounters(id, math.MaxUint32, math.MaxUint32)
	assert.ErrorIs(t, a.Update(0, id, nil), object.ErrExhausted)
	assert.ErrorIs(t, a.Migrate(0, id, ben), object.ErrExhausted)

	a = table(ann, ben, cid)
	receive(t, a, ben, message(wire.KindObjectMigrate, ben, math.MaxUint32-1, 0, ""))
	require.NoError(t, a.Migrate(0, stone, cid))
	a.Leave(0, cid) // the last counter was given
	n, _ := a.Pending()
	assert.Zero(t, n)
	a.Leave(0, ben)
	a.Look(object.DefaultPatience)
	require.Empty(t, a.Check())
}
