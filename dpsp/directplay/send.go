package directplay

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/reliable"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A Sending is what SendEx is told. Size is what the game said of the data.
type Sending struct {
	From, To  wire.PlayerID
	Flags     uint32
	Data      []byte
	Size      uint32
	Priority  uint32 // at most dpsp.MaxPriority
	TimeoutMS uint32
	Context   uint64 // the game's own, for DPSYS_SENDCOMPLETE
}

// sends are the messages of which the game is to hear what became.
type sends struct {
	last    uint32
	waiting map[uint32]*Sending
}

// went has the errors of SendEx about players. A player that went while we sent was there when we looked.
var went = codes{{dpsp.ErrNoSession, wire.ErrInvalidPlayer}, {dpsp.ErrLost, wire.ErrInvalidPlayer}, {dpsp.ErrNoID, wire.ErrInvalidPlayer}}

// fates has the errors that DPSYS_SENDCOMPLETE tells.
var fates = codes{{reliable.ErrTimeout, wire.ErrTimeout}, {reliable.ErrCanceled, wire.ErrCancelled},
	{reliable.ErrLost, wire.ErrConnectionLost}, {reliable.ErrFull, wire.ErrBusy}}

// everySend are the flags of SendEx.
const everySend = SendGuaranteed | SendHighPriority | SendSigned | SendEncrypted | SendLobby | SendAsync | SendNoComplete |
	0x18 // streams, which no version has

// Send sends a message of a player of ours to a player, a group or everybody (0).
func (o *Object) Send(from, to wire.PlayerID, flags uint32, data []byte, size uint32) wire.HResult {
	return o.SendEx(Sending{From: from, To: to, Flags: flags &^ (SendAsync | SendNoComplete), Data: data, Size: size}, nil)
}

// SendEx is Send with priority and time-out, which count in sessions with DIRECTPLAYPROTOCOL. With DPSEND_ASYNC it returns
// DPERR_PENDING and puts the message's number into id, unless that is nil; what became of it, DPSYS_SENDCOMPLETE tells.
func (o *Object) SendEx(m Sending, id *uint32) wire.HResult {
	c := dpsp.Send{From: m.From, To: m.To, Guaranteed: m.Flags&SendGuaranteed != 0, Payload: m.Data,
		Priority: int(m.Priority), Timeout: time.Duration(m.TimeoutMS) * time.Millisecond}
	if m.Flags&SendHighPriority != 0 {
		c.Priority = cmp.Or(c.Priority, dpsp.MaxPriority)
	}
	r := o.send(&m, func() {
		switch {
		case o.state == lost:
			o.amongOurs(&m)
		case m.Flags&SendAsync != 0:
			c.Notify = uint64(o.sends.add(m))
		}
	}, func(s *sock.Session) error { return s.SendWith(o.ctx, c) })
	switch {
	case c.Notify == 0:
		return r
	case r != wire.OK:
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.sends.waiting, uint32(c.Notify))
		return r
	}
	store(id, uint32(c.Notify))
	return wire.ErrPending
}

// send makes the checks for a message, and sends it by command. A message to its sender makes neither traffic nor a message (facts,
// 3.14), and one in a session that was lost no traffic. before is called first, with the object locked.
func (o *Object) send(m *Sending, before func(), command func(*sock.Session) error) wire.HResult {
	others := o.neighbours()
	var s *sock.Session
	var in state
	r := o.locked(func() wire.HResult {
		r := o.maySend(m)
		if r == wire.OK && m.From != m.To {
			before()
			others = o.addressees(others, m.To)
			s, in = o.sess, o.state
		}
		return r
	})
	if s == nil || in == lost {
		return r
	}
	err := command(s)
	o.catchUp(s)
	if err == nil {
		settle(others)
	}
	return went.of(err, o.result)
}

// maySend makes the checks of SendEx, in order. The object is locked.
func (o *Object) maySend(m *Sending) wire.HResult {
	from, r := o.find(m.From, false)
	switch {
	case r != wire.OK:
		return r
	case m.Flags&^everySend != 0:
		return wire.ErrInvalidFlags
	case m.Flags&(SendSigned|SendEncrypted) != 0, m.Size == 0, uint64(len(m.Data)) != uint64(m.Size):
		return wire.ErrInvalidParams
	case m.Priority > dpsp.MaxPriority:
		return wire.ErrInvalidPriority
	case !from.mine:
		return wire.ErrAccessDenied
	case len(m.Data) > dpsp.MaxPayload:
		return wire.ErrSendTooBig
	case m.To == wire.IDAll || o.roster.all[m.To] != nil:
		return wire.OK
	case slices.Contains(o.roster.gone, m.To):
		return wire.ErrInvalidPlayer // so a game takes a player for lost
	}
	return wire.ErrInvalidParams
}

// amongOurs delivers a message in a session that was lost: to players of this machine. The object is locked.
func (o *Object) amongOurs(m *Sending) {
	for _, e := range o.roster.hearers(m.From, m.To) {
		o.queue(e, &Message{From: m.From, To: e.id, Data: slices.Clone(m.Data)})
	}
}

// add gives a message a number, and keeps what the game is to hear of it.
func (s *sends) add(m Sending) uint32 {
	for s.last++; s.last == 0 || s.waiting[s.last] != nil; s.last++ {
	}
	m.Data = nil
	s.waiting[s.last] = &m
	return s.last
}

// delivered tells the game what became of a message. The object is locked.
func (o *Object) delivered(d dpsp.Delivered) {
	m := deref(o.sends.waiting[uint32(d.Notify)]) // one that does not wait is from nobody
	delete(o.sends.waiting, uint32(d.Notify))
	e := o.roster.our(m.From)
	if e == nil || m.Flags&SendNoComplete != 0 {
		return
	}
	o.queue(e, &Message{To: m.From, System: &SendComplete{From: m.From, To: m.To, Flags: m.Flags, Priority: m.Priority,
		TimeoutMS: m.TimeoutMS, Context: m.Context, ID: uint32(d.Notify), Result: became(d.Err),
		SentMS: uint32(d.Took.Milliseconds())}})
}

// became returns the code for what became of a message.
func became(err error) wire.HResult {
	return fates.of(err, func(error) wire.HResult { return wire.ErrAborted })
}

// CancelMessage gives up a message that waits to be sent, or all if id is 0.
func (o *Object) CancelMessage(id, flags uint32) wire.HResult {
	if flags != 0 {
		return wire.ErrInvalidFlags
	}
	return o.cancel(func(number uint32, m *Sending) bool { return id == 0 || number == id })
}

// CancelPriority gives up the messages that wait with a priority between two.
func (o *Object) CancelPriority(low, high, flags uint32) wire.HResult {
	switch {
	case flags != 0:
		return wire.ErrInvalidFlags
	case low > high || high > dpsp.MaxPriority:
		return wire.ErrInvalidPriority
	}
	return o.cancel(func(_ uint32, m *Sending) bool { return low <= m.Priority && m.Priority <= high })
}

// cancel gives up messages. Only with DIRECTPLAYPROTOCOL any wait; elsewhere they are handed on at once.
func (o *Object) cancel(which func(uint32, *Sending) bool) wire.HResult {
	var s *sock.Session
	var numbers []uint32
	r := o.locked(func() wire.HResult {
		s = o.sess
		numbers = slices.Sorted(maps.Keys(o.sends.waiting)) // what the game is told does not depend on the order of a map
		numbers = slices.DeleteFunc(numbers, func(n uint32) bool { return !which(n, o.sends.waiting[n]) })
		switch {
		case o.state != inside:
			return wire.ErrNoSessions
		case len(numbers) == 0:
			return wire.ErrUnknownMessage
		}
		return wire.OK
	})
	if r != wire.OK {
		return r
	}
	for _, n := range numbers {
		if err := s.Cancel(o.ctx, dpsp.Cancel{Notify: uint64(n)}); err != nil && !errors.Is(err, context.Canceled) {
			r = wire.ErrCancelFailed
		}
	}
	o.catchUp(s)
	return r
}

// SendChatMessage sends text from a player of ours to a player, a group or everybody (0).
func (o *Object) SendChatMessage(from, to wire.PlayerID, flags uint32, text *string) wire.HResult {
	m := Sending{From: from, To: to, Flags: flags, Data: []byte{0}, Size: 1}
	if text == nil {
		m.Size = 0
	}
	return o.send(&m, func() {}, func(s *sock.Session) error {
		return s.Chat(o.ctx, from, to, dpsp.Text(*text), flags&SendGuaranteed != 0)
	})
}
