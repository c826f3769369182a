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
		err := b.Receive(0, ann, &wire.ExtensionObject{Op: wire.KindObjectCreate, Object: wire.ObjectID{Creator: ann, Number: n}, Owner: ann})
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

// TestMaxOctets fills a table with large states.
func TestMaxOctets(t *testing.T) {
	b := table(cid, ann)
	large := make([]byte, object.MaxState)
	n := 0
	for ; ; n++ {
		if _, err := b.Create(0, large); err != nil {
			require.ErrorIs(t, err, object.ErrFull)
			break
		}
	}
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
