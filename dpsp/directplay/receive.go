package directplay

import (
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
	if r := o.ready(); r != wire.OK {
		return r
	}
	r := o.mayCount(id)
	o.mu.Unlock()
	switch {
	case count == nil:
		return wire.ErrInvalidParams
	case r != wire.OK:
		return r
	}
	n, _ := o.sink.Count(0, id)
	*count = uint32(n)
	return wire.OK
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
	if r := o.ready(); r != wire.OK {
		return r
	}
	r := o.queueAsked(from, to, flags)
	n, size := 0, 0
	for _, m := range o.sends.waiting {
		if (from == 0 || m.From == from) && (to == 0 || m.To == to) {
			n++
			size += int(m.Size)
		}
	}
	o.mu.Unlock()
	if r != wire.OK {
		return r
	}
	if flags&QueueReceive != 0 {
		n, size = o.sink.Count(from, to)
	}
	if messages != nil {
		*messages = uint32(n)
	}
	if octets != nil {
		*octets = uint32(size)
	}
	return wire.OK
}

// queueAsked makes the checks of GetMessageQueue. Who has a queue is ours: the sender of one to be sent, the addressee of one
// to be received. The object is locked.
func (o *Object) queueAsked(from, to wire.PlayerID, flags uint32) wire.HResult {
	if flags != 0 && flags != QueueSend && flags != QueueReceive {
		return wire.ErrInvalidFlags
	}
	for _, id := range []wire.PlayerID{from, to} {
		if r := o.mayCount(id); r != wire.OK {
			return r
		}
	}
	ours := from
	if flags == QueueReceive {
		ours = to
	}
	if e := o.roster.get(ours, false); ours != 0 && flags != 0 && !e.mine {
		return wire.ErrInvalidPlayer
	}
	return wire.OK
}
