package links

import (
	"net/netip"
	"time"

	"dplay4/wire/reliable"
)

// The machines of the tests.
var (
	here  = netip.MustParseAddrPort("192.0.2.1:2300")
	there = netip.MustParseAddrPort("192.0.2.2:2300")
	began = time.Date(2001, 9, 9, 1, 46, 40, 0, time.UTC)
)

// The flags of frames.
const (
	one   = reliable.CMD | reliable.STA | reliable.EOM | reliable.RLY
	loose = reliable.CMD | reliable.STA | reliable.EOM
	first = reliable.CMD | reliable.STA | reliable.RLY
	part  = reliable.CMD | reliable.RLY
	last  = reliable.CMD | reliable.EOM | reliable.SAK | reliable.RLY
	rack  = reliable.ACK | reliable.RLY
)

// A world is a capture, of which each frame comes a millisecond after the one before.
type world struct {
	*Tracker
	n   int
	now time.Time
}

func newWorld() *world { return &world{Tracker: NewTracker(), now: began} }

// see takes a frame of a link, or of its other direction.
func (w *world) see(k Key, f reliable.Frame) Step {
	w.n++
	w.now = w.now.Add(time.Millisecond)
	return w.Add(&Frame{Place: Place{Frame: w.n, N: w.n, Time: w.now}, Key: k, Frame: &f})
}

// path is the link of the tests.
var path = Key{From: here, To: there, FromIndex: 1, ToIndex: 2}

// say is a Data frame on it; its data is what it is told.
func (w *world) say(flags reliable.Flags, id, sequence, serial uint8, data string) Step {
	return w.see(path, reliable.Frame{Flags: flags, MessageID: id, Sequence: sequence, Serial: serial, Data: []byte(data)})
}

// ack is an ACK about it.
func (w *world) ack(id, sequence, serial uint8, received uint32) Step {
	return w.see(path.Back(), reliable.Frame{Flags: rack, MessageID: id, Sequence: sequence, Serial: serial,
		BytesReceived: received})
}

// nack is a NACK about it, which names a sequence and those that the mask does.
func (w *world) nack(id, sequence uint8, mask uint32, received uint32) Step {
	return w.see(path.Back(), reliable.Frame{Flags: reliable.ACK | reliable.EXT, Extended: reliable.Extended(0).WithMaskSize(1),
		MessageID: id, Sequence: sequence, Mask: mask, BytesReceived: received})
}

// link is the link of the tests.
func (w *world) link() *Link { return w.Links()[0] }
