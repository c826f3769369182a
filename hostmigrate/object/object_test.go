package object_test

import (
	"testing"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	ann wire.PlayerID = 1 // host in most tests
	ben wire.PlayerID = 2
	cid wire.PlayerID = 3
)

var stone = wire.ObjectID{Creator: ben, Number: 7}

// table returns one of self with the others as peers and ann as host, with empty outputs.
func table(self wire.PlayerID, peers ...wire.PlayerID) *object.Table {
	t := object.New(object.Config{Self: self})
	for _, p := range peers {
		t.Join(0, p)
	}
	t.SetHost(0, ann)
	t.Take()
	return t
}

// message is one about stone.
func message(op wire.ExtensionKind, owner wire.PlayerID, counter, sequence uint32, state string) *wire.ExtensionObject {
	m := &wire.ExtensionObject{Op: op, Object: stone, Owner: owner, Counter: counter, Sequence: sequence}
	if state != "" {
		m.State = []byte(state)
	}
	return m
}

func reliable(to wire.PlayerID, m *wire.ExtensionObject) object.Send {
	return object.Send{To: to, Reliable: true, Message: *m}
}

func datagram(to wire.PlayerID, m *wire.ExtensionObject) object.Send {
	return object.Send{To: to, Message: *m}
}

// receive has a table receive a message and gives what it wants done.
func receive(t *testing.T, table *object.Table, from wire.PlayerID, m *wire.ExtensionObject) object.Output {
	t.Helper()
	require.NoError(t, table.Receive(0, from, m))
	return table.Take()
}

// TestLife takes an object through its life, and checks every message and every event.
func TestLife(t *testing.T) {
	a, b := table(ann, ben), table(ben, ann)
	state := []byte("new")
	id, err := b.Create(0, state)
	require.NoError(t, err)
	stone := wire.ObjectID{Creator: ben, Number: 0}
	require.Equal(t, stone, id)
	state[0] = '!' // it was copied
	say := func(op wire.ExtensionKind, owner wire.PlayerID, counter, sequence uint32, state string) *wire.ExtensionObject {
		m := message(op, owner, counter, sequence, state)
		m.Object = stone
		return m
	}
	create := say(wire.KindObjectCreate, ben, 0, 0, "new")
	require.Equal(t, object.Output{Sends: []object.Send{reliable(ann, create)}}, b.Take())

	out := receive(t, a, ben, create)
	assert.Equal(t, []object.Event{object.ObjectCreated{ID: stone, Owner: ben, State: []byte("new")}}, out.Events)
	assert.Equal(t, []object.Send{reliable(ben, say(wire.KindObjectAck, ben, 0, 0, ""))}, out.Sends)

	require.NoError(t, b.Update(0, stone, []byte("one")))
	require.Empty(t, b.Take().Sends, "not to one that has not acknowledged")
	out = receive(t, b, ann, &out.Sends[0].Message)
	update := say(wire.KindObjectUpdate, ben, 0, 1, "one")
	require.Equal(t, []object.Send{datagram(ann, update)}, out.Sends)
	b.Look(object.DefaultResend - 1)
	require.Empty(t, b.Take().Sends)
	require.Equal(t, object.DefaultResend, b.Next())
	b.Look(object.DefaultResend)
	require.Equal(t, []object.Send{datagram(ann, update)}, b.Take().Sends, "again, as it was not acknowledged")

	ack := say(wire.KindObjectAck, ben, 0, 1, "")
	out = receive(t, a, ben, update)
	assert.Equal(t, []object.Event{object.ObjectUpdated{ID: stone, Owner: ben, State: []byte("one")}}, out.Events)
	assert.Equal(t, []object.Send{datagram(ben, ack)}, out.Sends)
	out = receive(t, a, ben, update)
	assert.Empty(t, out.Events, "a repetition")
	assert.Equal(t, []object.Send{datagram(ben, ack)}, out.Sends, "the acknowledgement may have been lost")
	out = receive(t, b, ann, ack)
	assert.Empty(t, out.Sends)
	b.Look(time.Hour)
	require.Empty(t, b.Take().Sends)
	require.Equal(t, object.Never, b.Next())

	require.NoError(t, b.Migrate(0, stone, ann)) // the host itself becomes owner
	request := say(wire.KindObjectRequest, ann, 0, 1, "one")
	require.Equal(t, []object.Send{reliable(ann, request)}, b.Take().Sends)
	out = receive(t, a, ben, request)
	migrate := say(wire.KindObjectMigrate, ann, 1, 1, "one")
	assert.Equal(t, []object.Send{reliable(ben, migrate)}, out.Sends)
	moved := []object.Event{object.ObjectMigrated{ID: stone, From: ben, To: ann, Counter: 1, State: []byte("one")}}
	assert.Equal(t, moved, out.Events)
	out = receive(t, b, ann, migrate)
	assert.Equal(t, moved, out.Events)
	assert.Equal(t, []object.Send{reliable(ann, say(wire.KindObjectAck, ann, 1, 1, ""))}, out.Sends)
	assert.ErrorIs(t, b.Update(0, stone, nil), object.ErrNotOwner)
	assert.ErrorIs(t, b.Destroy(0, stone), object.ErrNotOwner)

	want := []object.Object{{ID: stone, Owner: ann, Counter: 1, Sequence: 1, State: []byte("one")}}
	assert.Equal(t, want, a.Objects())
	assert.Equal(t, want, b.Objects())
	a.Objects()[0].State[0] = '!' // a copy
	assert.Equal(t, want, a.Objects())

	require.NoError(t, a.Destroy(0, stone))
	destroy := say(wire.KindObjectDestroy, ann, 1, 0, "")
	require.Equal(t, []object.Send{reliable(ben, destroy)}, a.Take().Sends)
	out = receive(t, b, ann, destroy)
	assert.Equal(t, []object.Event{object.ObjectDestroyed{ID: stone, Owner: ann}}, out.Events)
	assert.Empty(t, out.Sends)
	assert.Zero(t, b.Len())
	assert.Equal(t, 1, b.Tombstones())
	_, ok := b.Object(stone)
	assert.False(t, ok)
	for _, err := range []error{b.Update(0, stone, nil), b.Destroy(0, stone), b.Migrate(0, stone, ann)} {
		assert.ErrorIs(t, err, object.ErrDestroyed)
	}
	b.Look(object.DefaultTombstone - 1)
	assert.Equal(t, 1, b.Tombstones())
	require.Equal(t, object.DefaultTombstone, b.Next())
	b.Look(object.DefaultTombstone)
	assert.Zero(t, b.Tombstones())
	for _, err := range []error{b.Update(0, stone, nil), b.Destroy(0, stone), b.Migrate(0, stone, ann)} {
		assert.ErrorIs(t, err, object.ErrUnknown)
	}
}

// TestIgnored receives what has to be ignored, by a member that knows the stone at counter 2, owned by cid, at
// sequence 5; and says why.
func TestIgnored(t *testing.T) {
	large := string(make([]byte, object.MaxState+1))
	for _, c := range []struct {
		from wire.PlayerID
		m    *wire.ExtensionObject
		want error
	}{
		{ben, message(wire.KindObjectMigrate, ben, 3, 0, ""), object.ErrSender}, // ourselves
		{cid, message(wire.KindHello, cid, 3, 0, ""), object.ErrOp},
		{cid, message(wire.KindObjectCreate, cid, 0, 0, ""), object.ErrSender}, // not its creator
		{cid, message(wire.KindObjectMigrate, ann, 3, 0, ""), object.ErrSender},
		{cid, message(wire.KindObjectMigrate, cid, 0, 0, ""), object.ErrOld}, // 0 is of CREATE
		{cid, message(wire.KindObjectMigrate, cid, 1, 9, ""), object.ErrOld},
		{4, message(wire.KindObjectMigrate, 4, 2, 9, ""), object.ErrOld}, // the lower id wins
		{cid, message(wire.KindObjectMigrate, cid, 3, 0, large), object.ErrTooLarge},
		{cid, message(wire.KindObjectUpdate, ann, 2, 6, ""), object.ErrSender},
		{cid, message(wire.KindObjectUpdate, cid, 3, 6, ""), object.ErrEarly},
		{cid, message(wire.KindObjectUpdate, cid, 1, 6, ""), object.ErrOld},
		{4, message(wire.KindObjectUpdate, 4, 2, 6, ""), object.ErrOld},
		{cid, message(wire.KindObjectUpdate, cid, 2, 6, large), object.ErrTooLarge},
		{ann, message(wire.KindObjectDestroy, cid, 1, 0, ""), object.ErrOld},
		{cid, message(wire.KindObjectAck, cid, 2, 5, ""), object.ErrNotOwner},
		{cid, message(wire.KindObjectRequest, ben, 2, 5, ""), object.ErrNotHost},
		{ann, message(wire.KindObjectInstruct, ann, 3, 5, ""), object.ErrSender},
		{cid, message(wire.KindObjectInstruct, ben, 3, 5, ""), object.ErrNotHost},
		{ann, message(wire.KindObjectInstruct, ben, 0, 5, ""), object.ErrOld},
		{ann, message(wire.KindObjectInstruct, ben, 2, 5, ""), object.ErrOld},
		{ann, message(wire.KindObjectInstruct, ben, 9, 5, large), object.ErrTooLarge},
	} {
		b := table(ben, ann, cid)
		receive(t, b, cid, message(wire.KindObjectMigrate, cid, 2, 5, "known"))
		before := b.Objects()
		err := b.Receive(0, c.from, c.m)
		require.ErrorIs(t, err, c.want, "%v", c)
		assert.Contains(t, err.Error(), c.m.Op.String()+" of 0x00000002/7 from "+c.from.String()+": ")
		assert.Equal(t, object.Output{}, object.Output{Sends: append([]object.Send(nil), b.Take().Sends...)})
		assert.Equal(t, before, b.Objects())
	}
	b := table(ben, ann)
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectUpdate, ann, 1, 1, "")), object.ErrEarly)
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectAck, ann, 1, 1, "")), object.ErrUnknown)
}

// TestAck: acknowledgements that an owner cannot use.
func TestAck(t *testing.T) {
	b := table(ben, ann, cid)
	receive(t, b, ann, message(wire.KindObjectInstruct, ben, 3, 5, "here"))
	for _, c := range []struct {
		from wire.PlayerID
		m    *wire.ExtensionObject
		want error
	}{
		{ann, message(wire.KindObjectAck, ben, 2, 5, ""), object.ErrOld},
		{ann, message(wire.KindObjectAck, cid, 3, 5, ""), object.ErrOld},
		{ann, message(wire.KindObjectAck, ben, 4, 5, ""), object.ErrEarly},
		{ann, message(wire.KindObjectAck, ben, 3, 6, ""), object.ErrEarly},
		{9, message(wire.KindObjectAck, ben, 3, 5, ""), object.ErrNoPeer},
	} {
		assert.ErrorIs(t, b.Receive(0, c.from, c.m), c.want, "%v", c.m)
	}
	receive(t, b, ann, message(wire.KindObjectAck, ben, 3, 5, ""))
	assert.Equal(t, []wire.PlayerID{cid}, b.Lacking())
	b.Leave(0, cid)
	assert.Empty(t, b.Lacking())
	b.Leave(0, cid) // it is gone already
	b.Join(0, ben)  // ourselves
	assert.Empty(t, b.Take().Sends)
}

// TestToldAgain: a claim that we know, of a peer that came back, brings a newer state and is acknowledged.
func TestToldAgain(t *testing.T) {
	b := table(ben, ann)
	receive(t, b, ann, message(wire.KindObjectMigrate, ann, 1, 1, "one"))
	out := receive(t, b, ann, message(wire.KindObjectMigrate, ann, 1, 2, "two"))
	assert.Equal(t, []object.Event{object.ObjectUpdated{ID: stone, Owner: ann, State: []byte("two")}}, out.Events)
	assert.Equal(t, []object.Send{reliable(ann, message(wire.KindObjectAck, ann, 1, 2, ""))}, out.Sends)
	out = receive(t, b, ann, message(wire.KindObjectMigrate, ann, 1, 1, "one"))
	assert.Empty(t, out.Events)
	assert.Equal(t, []object.Send{reliable(ann, message(wire.KindObjectAck, ann, 1, 2, ""))}, out.Sends)
}

// TestTie: two hosts gave the same counter to two owners. The lower id wins, in both orders.
func TestTie(t *testing.T) {
	one, two := message(wire.KindObjectMigrate, ann, 4, 1, "ann's"), message(wire.KindObjectMigrate, cid, 4, 9, "cid's")
	b := table(ben, ann, cid)
	receive(t, b, cid, two)
	receive(t, b, ann, one)
	c := table(ben, ann, cid)
	receive(t, c, ann, one)
	assert.ErrorIs(t, c.Receive(0, cid, two), object.ErrOld)
	assert.Equal(t, b.Objects(), c.Objects())
	assert.Equal(t, ann, b.Objects()[0].Owner)
	assert.ErrorIs(t, b.Receive(0, cid, message(wire.KindObjectDestroy, cid, 4, 0, "")), object.ErrOld, "the loser's")
}

// TestTombstone: DESTROY leaves one where the object is unknown; it keeps older claims out and tells their senders;
// a newer claim brings the object back.
func TestTombstone(t *testing.T) {
	b := table(cid, ann, ben)
	destroy := message(wire.KindObjectDestroy, ann, 1, 0, "")
	out := receive(t, b, ann, destroy)
	assert.Empty(t, out.Events)
	assert.ErrorIs(t, b.Receive(0, ann, destroy), object.ErrDestroyed)
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectUpdate, ann, 1, 1, "")), object.ErrDestroyed)
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectMigrate, ann, 1, 1, "")), object.ErrDestroyed)
	assert.Empty(t, b.Take().Sends, "who destroyed it knows")
	assert.ErrorIs(t, b.Receive(0, ben, message(wire.KindObjectCreate, ben, 0, 0, "late")), object.ErrDestroyed)
	assert.Equal(t, []object.Send{reliable(ben, destroy)}, b.Take().Sends)
	assert.ErrorIs(t, b.Receive(0, ann, message(wire.KindObjectInstruct, cid, 2, 0, "")), object.ErrDestroyed)
	assert.Equal(t, []object.Send{reliable(ann, destroy)}, b.Take().Sends, "the host did not know")
	out = receive(t, b, ben, message(wire.KindObjectMigrate, ben, 2, 3, "back"))
	assert.Equal(t, []object.Event{object.ObjectCreated{ID: stone, Owner: ben, Counter: 2, State: []byte("back")}}, out.Events)
	assert.Equal(t, 1, b.Len())
	assert.Zero(t, b.Tombstones())
}

// TestNewcomer is told what we own and what we destroyed, and nothing else.
func TestNewcomer(t *testing.T) {
	b := table(ben, ann)
	receive(t, b, ann, message(wire.KindObjectInstruct, ben, 3, 5, "mine"))
	first, err := b.Create(0, nil)
	require.NoError(t, err)
	gone, err := b.Create(0, nil)
	require.NoError(t, err)
	require.NoError(t, b.Destroy(0, gone))
	require.NoError(t, b.Receive(0, ann, &wire.ExtensionObject{Op: wire.KindObjectCreate,
		Object: wire.ObjectID{Creator: ann}, Owner: ann}))
	b.Take()
	b.Join(0, cid)
	assert.Equal(t, []object.Send{
		{To: cid, Reliable: true, Message: wire.ExtensionObject{Op: wire.KindObjectCreate, Object: first, Owner: ben}},
		{To: cid, Reliable: true, Message: wire.ExtensionObject{Op: wire.KindObjectDestroy, Object: gone, Owner: ben}},
		reliable(cid, message(wire.KindObjectMigrate, ben, 3, 5, "mine")),
	}, b.Take().Sends)
}

// TestLateOwner: an owner comes back when some have forgotten that its object was destroyed, and others have not. It is
// no more for anybody: its owner is told by those, and tells these (found by seed 102786 of the simulator).
func TestLateOwner(t *testing.T) {
	forgot, knows, owner := table(ann, ben, cid), table(ben, ann, cid), table(cid, ann, ben)
	migrate := message(wire.KindObjectMigrate, cid, 2, 0, "old")
	end := message(wire.KindObjectDestroy, ben, 3, 0, "")
	receive(t, owner, ann, message(wire.KindObjectInstruct, cid, 2, 0, "old"))
	require.NoError(t, knows.Receive(0, ann, end))
	require.Len(t, receive(t, forgot, cid, migrate).Events, 1)

	require.ErrorIs(t, knows.Receive(0, cid, migrate), object.ErrDestroyed)
	require.Equal(t, []object.Send{reliable(cid, end)}, knows.Take().Sends)
	out := receive(t, owner, ben, end)
	require.Equal(t, []object.Event{object.ObjectDestroyed{ID: stone, Owner: ben}}, out.Events)
	require.Equal(t, []object.Send{reliable(ann, end)}, out.Sends, "not to who said so")
	out = receive(t, forgot, cid, end)
	require.Equal(t, []object.Event{object.ObjectDestroyed{ID: stone, Owner: ben}}, out.Events)
	require.Empty(t, out.Sends)
}
