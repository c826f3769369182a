package dpsp

import (
	"net/netip"
	"time"

	"dplay4/wire"
)

// An outgoing message goes to one machine in acknowledged fragments, one at a time (3.1.4.18).
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

// The packetize timer (3.1.2.4, 3.1.6.1).
const (
	packetFirst = 900 * time.Millisecond
	packetLeast = 37500 * time.Microsecond
	packetSends = 16
)

func pieces(n, step int) uint32 { return uint32((n + step - 1) / step) }

// send returns the fragment that is due, for the first time or again. Its data is part of the message.
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
		w.timer = max(packetLeast, (now-w.last)*3/2)
	}
	w.index++
	w.sends = 0
	return w.index*w.step >= len(w.message)
}
