// Package fragment cuts large messages into fragments and puts them together (3.1.4.18): PACKET without acknowledgements, PACKET2_DATA
// with. It sends nothing and has no clock: its methods are told the time, and return what is to be sent.
package fragment

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// The packetize timer (3.1.2.4, 3.1.6.1).
const (
	First       = 900 * time.Millisecond // until the first round trip is known
	Least       = 37500 * time.Microsecond
	Sends       = 16               // a message is given up after so many of one fragment
	GiveUp      = 60 * time.Second // and after so long
	MaxOutgoing = 1024             // messages on their way at a time
)

// A Sender has the messages that go out in acknowledged fragments, one at a time to each machine. The zero Sender has none.
type Sender struct {
	out []*outgoing // in order
}

// A Send is a fragment for a machine; without one the message for it was given up.
type Send struct {
	To       netip.AddrPort
	Fragment *wire.Packet2Data // its data is part of the message
}

// An outgoing message goes to one machine.
type outgoing struct {
	id       wire.GUID
	to       netip.AddrPort
	message  []byte // from its signature, or its ids
	step     int    // octets a fragment
	index    int    // of the fragment that is out
	sends    int    // of that fragment
	first    time.Duration
	last     time.Duration // when it was sent last
	deadline time.Duration
	timer    time.Duration
}

// Room reports whether n more messages may be on their way.
func (s *Sender) Room(n int) bool { return len(s.out)+n <= MaxOutgoing }

// Send begins a message, and returns its first fragment. It keeps the message. Whether there is room was asked before.
func (s *Sender) Send(now time.Duration, id wire.GUID, to netip.AddrPort, message []byte, step int) *wire.Packet2Data {
	w := &outgoing{id: id, to: to, message: message, step: step, timer: First}
	s.out = append(s.out, w)
	return w.send(now)
}

// Acknowledged takes an acknowledgement, and returns the next fragment, nil if there is none. A redundant one is to be ignored (3.1.5.29).
func (s *Sender) Acknowledged(now time.Duration, from netip.AddrPort, m *wire.Packet2Ack) *wire.Packet2Data {
	i := slices.IndexFunc(s.out, func(w *outgoing) bool { return w.id == m.ID })
	if i < 0 || int(m.Index) != s.out[i].index || s.out[i].to != from {
		return nil
	}
	if w := s.out[i]; !w.acknowledged(now) {
		return w.send(now)
	}
	s.out = slices.Delete(s.out, i, i+1)
	return nil
}

// Due returns the fragments that are to be sent again, and the messages that are given up because nobody acknowledges them.
func (s *Sender) Due(now time.Duration) (all []Send) {
	s.out = slices.DeleteFunc(s.out, func(w *outgoing) bool {
		switch {
		case w.deadline > now:
		case w.sends >= Sends && now-w.first >= GiveUp:
			all = append(all, Send{To: w.to})
			return true
		default:
			all = append(all, Send{w.to, w.send(now)})
		}
		return false
	})
	return all
}

// Next returns the time of the next Due, or never.
func (s *Sender) Next(never time.Duration) time.Duration {
	for _, w := range s.out {
		never = min(never, w.deadline)
	}
	return never
}

// Forget drops the messages for a machine.
func (s *Sender) Forget(to netip.AddrPort) {
	s.out = slices.DeleteFunc(s.out, func(w *outgoing) bool { return w.to == to })
}

// Waiting returns how many messages are on their way.
func (s *Sender) Waiting() int { return len(s.out) }

// Cut returns the fragments of a message without acknowledgements, of step octets each. Their data is part of the message.
func Cut(id wire.GUID, message []byte, step int) []wire.Packet {
	all := make([]wire.Packet, pieces(len(message), step))
	for i := range all {
		all[i] = wire.Packet{
			ID: id, Index: uint32(i), Offset: uint32(i * step), Total: uint32(len(all)), MessageSize: uint32(len(message)),
			Data: wire.Inner{Octets: message[i*step : min((i+1)*step, len(message))]},
		}
	}
	return all
}

func pieces(n, step int) uint32 { return uint32((n + step - 1) / step) }

// send returns the fragment that is due, for the first time or again.
func (w *outgoing) send(now time.Duration) *wire.Packet2Data {
	if w.sends == 0 {
		w.first = now
	}
	w.sends++
	w.last, w.deadline = now, now+w.timer
	at := w.index * w.step
	return &wire.Packet2Data{
		ID: w.id, Index: uint32(w.index), Offset: uint32(at), Total: pieces(len(w.message), w.step), MessageSize: uint32(len(w.message)),
		Data: wire.Inner{Octets: w.message[at:min(at+w.step, len(w.message))]},
	}
}

// acknowledged notes that the fragment that is out came, and reports whether it was the last one.
func (w *outgoing) acknowledged(now time.Duration) bool {
	if w.sends == 1 { // of a fragment that was sent again it is not clear which one was acknowledged
		w.timer = max(Least, (now-w.last)*3/2)
	}
	w.index++
	w.sends = 0
	return w.index*w.step >= len(w.message)
}
