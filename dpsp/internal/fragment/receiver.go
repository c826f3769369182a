package fragment

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// Limits of the messages that a [Receiver] puts together, and how long it waits for their fragments.
const (
	MaxParts    = 256              // messages at a time
	MaxEach     = 16               // of one machine
	MaxOctets   = 16 << 20         // of all, together
	MaxComplete = 256              // messages that are remembered as complete
	Discard     = 15 * time.Second // a message without acknowledgements is discarded when no fragment came for so long (2.2.41)
)

// The reasons why [Receiver.Add] refuses a fragment.
var (
	ErrSize  = errors.New("a size or number of fragments that cannot be")
	ErrRoom  = errors.New("too many large messages come at once")
	ErrOrder = errors.New("it does not follow the fragment before it")
)

// A Receiver puts fragmented messages together. The zero Receiver has none.
type Receiver struct {
	work     []*part
	octets   int
	complete []key // those that were put together last, oldest first
}

// A key tells messages apart: machines draw ids without knowing of each other's.
type key struct {
	id   wire.GUID
	from netip.AddrPort
}

// A part is a message of which some fragments came. It holds only what came, never what a fragment promises.
type part struct {
	key
	total    uint32
	size     uint32
	next     uint32 // index that is due: fragments come in sequence (3.1.5.27)
	data     []byte
	deadline time.Duration
	reliable bool
}

// A Fragment is what PACKET and PACKET2_DATA have in common.
type Fragment struct {
	ID                         wire.GUID
	Reliable                   bool // it is to be acknowledged
	Index, Offset, Total, Size uint32
	Data                       []byte
}

// Of returns the fragment in a PACKET or PACKET2_DATA.
func Of(m wire.Message) (f Fragment) {
	switch m := m.(type) {
	case *wire.Packet:
		f = Fragment{m.ID, false, m.Index, m.Offset, m.Total, m.MessageSize, m.Data.Octets}
	case *wire.Packet2Data:
		f = Fragment{m.ID, true, m.Index, m.Offset, m.Total, m.MessageSize, m.Data.Octets}
	}
	return f
}

// possible reports whether a fragment can be one of a message.
func (f *Fragment) possible() bool {
	return f.Size <= wire.MaxMessage && f.Total != 0 && f.Total <= f.Size && len(f.Data) > 0 &&
		uint64(f.Offset)+uint64(len(f.Data)) <= uint64(f.Size)
}

// Add puts a fragment behind those that came before it, and returns the message if that is all of it. It fails with ErrSize, ErrRoom or
// ErrOrder. A fragment of a reliable message is to be acknowledged, except after ErrSize and ErrRoom: then it is sent again.
func (r *Receiver) Add(now time.Duration, from netip.AddrPort, f Fragment) (message []byte, err error) {
	k := key{f.ID, from}
	switch {
	case !f.possible():
		return nil, ErrSize
	case !r.room(k, f):
		return nil, ErrRoom
	}
	p := r.find(k)
	if p == nil {
		if f.Index != 0 || r.isComplete(k) {
			return nil, nil // its beginning is lost, or it was complete before and this one is sent again
		}
		p = &part{key: k, total: f.Total, size: f.Size, reliable: f.Reliable}
		r.work = append(r.work, p)
	}
	if f.Index < p.next {
		return nil, nil // sent again
	}
	if f.Index != p.next || int(f.Offset) != len(p.data) || p.total != f.Total || p.size != f.Size {
		if !p.reliable { // what is missing will not come again
			r.drop(func(x *part) bool { return x == p })
		}
		return nil, ErrOrder
	}
	p.data = append(p.data, f.Data...)
	r.octets += len(f.Data)
	p.next++
	p.deadline = now + Discard
	if p.reliable {
		p.deadline = now + GiveUp
	}
	if len(p.data) < int(p.size) {
		return nil, nil
	}
	r.done(k)
	return p.data, nil
}

// Whole remembers a message as complete that came in one fragment, and reports whether it came for the first time.
func (r *Receiver) Whole(id wire.GUID, from netip.AddrPort) bool {
	k := key{id, from}
	if r.isComplete(k) {
		return false
	}
	r.done(k)
	return true
}

// Expire discards the messages whose fragments stopped coming.
func (r *Receiver) Expire(now time.Duration) { r.drop(func(p *part) bool { return p.deadline <= now }) }

// Forget discards the messages that come from an address.
func (r *Receiver) Forget(from netip.AddrPort) { r.drop(func(p *part) bool { return p.from == from }) }

// Next returns the time of the next Expire that discards a message, or never.
func (r *Receiver) Next(never time.Duration) time.Duration {
	for _, p := range r.work {
		never = min(never, p.deadline)
	}
	return never
}

// Waiting returns how many messages are incomplete, the octets of them, and how many are remembered as complete.
func (r *Receiver) Waiting() (messages, octets, complete int) {
	return len(r.work), r.octets, len(r.complete)
}

// drop forgets messages of which some fragments came.
func (r *Receiver) drop(which func(*part) bool) {
	r.work = slices.DeleteFunc(r.work, func(p *part) bool {
		if which(p) {
			r.octets -= len(p.data)
			return true
		}
		return false
	})
}

// done remembers a message as complete: fragments that come twice must not put it together again.
func (r *Receiver) done(k key) {
	r.drop(func(p *part) bool { return p.key == k })
	if len(r.complete) >= MaxComplete {
		r.complete = append(r.complete[:0], r.complete[1:]...)
	}
	r.complete = append(r.complete, k)
}

func (r *Receiver) find(k key) *part {
	for _, p := range r.work {
		if p.key == k {
			return p
		}
	}
	return nil
}

func (r *Receiver) isComplete(k key) bool { return slices.Contains(r.complete, k) }

// room reports whether a new message from somebody, or more of one, can be kept.
func (r *Receiver) room(k key, f Fragment) bool {
	if r.octets+len(f.Data) > MaxOctets {
		return false
	}
	n := 0
	for _, p := range r.work {
		if p.from == k.from {
			n++
		}
	}
	return f.Index > 0 || r.find(k) != nil || len(r.work) < MaxParts && n < MaxEach
}
