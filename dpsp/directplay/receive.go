package directplay

import (
	"cmp"
	"math"

	"dplay4/wire"
)

// Receive takes the first message that waits, or the first to or from a player. Who it is from and for is put into from and
// to. It waits for nobody. It reads the Queue of the object: who gave it a Sink of its own reads that.
func (o *Object) Receive(from, to *wire.PlayerID, flags uint32, b *Buffer, f Face) wire.HResult {
	if !o.connected.Load() {
		return wire.ErrUninitialized
	}
	q, ok := o.sink.(*Queue)
	switch {
	case !ok:
		return wire.ErrUnsupported
	case from == nil, to == nil, b == nil, !b.Null && b.Size > math.MaxInt32: // nobody has so much room
		return wire.ErrInvalidParams
	}
	return q.receive(from, to, flags, b, f)
}

// GetMessageCount tells how many messages wait for a player, or for all of ours (0).
func (o *Object) GetMessageCount(id wire.PlayerID, count *uint32) wire.HResult {
	r := o.locked(func() wire.HResult {
		if count == nil {
			return wire.ErrInvalidParams
		}
		return o.mayCount(id)
	})
	if r != wire.OK {
		return r
	}
	n, _ := o.sink.Count(0, id)
	return store(count, uint32(n))
}

// mayCount reports whether an id is a player, or 0. The object is locked.
func (o *Object) mayCount(id wire.PlayerID) wire.HResult {
	if id == 0 {
		return wire.OK
	}
	_, r := o.find(id, false)
	return r
}

// GetMessageQueue tells how many messages wait, and how many octets: to be received, or to be sent (which is what 0 means). Id
// 0 is everybody. What is not asked for is nil.
func (o *Object) GetMessageQueue(from, to wire.PlayerID, flags uint32, messages, octets *uint32) wire.HResult {
	n, size := 0, 0
	r := o.locked(func() wire.HResult {
		for _, m := range o.sends.waiting {
			if between(from, to, m.From, m.To) {
				n++
				size += int(m.Size)
			}
		}
		return o.queueAsked(from, to, flags)
	})
	if r != wire.OK {
		return r
	}
	if flags == QueueReceive {
		n, size = o.sink.Count(from, to)
	}
	store(messages, uint32(n))
	store(octets, uint32(size))
	return wire.OK
}

// between reports whether a message from x to y is one from and to the players that are asked about. 0 asks about everybody.
func between(from, to, x, y wire.PlayerID) bool {
	return (from == 0 || x == from) && (to == 0 || y == to)
}

// queueAsked makes the checks of GetMessageQueue. The owner of the queue has to be ours: the sender of messages to be sent, the
// addressee of messages to be received. The object is locked.
func (o *Object) queueAsked(from, to wire.PlayerID, flags uint32) wire.HResult {
	owner, known := map[uint32]wire.PlayerID{0: 0, QueueSend: from, QueueReceive: to}[flags]
	if !known {
		return wire.ErrInvalidFlags
	}
	r := cmp.Or(o.mayCount(from), o.mayCount(to))
	if r == wire.OK && owner != 0 && !o.roster.all[owner].mine {
		return wire.ErrInvalidPlayer
	}
	return r
}
