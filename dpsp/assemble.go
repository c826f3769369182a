package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// An assembly puts fragmented messages together.
type assembly struct {
	work     []*part
	octets   int
	complete []completed // those that were put together last, oldest first
}

// A part is a message of which some fragments came. It holds only what came, never what a fragment promises.
type part struct {
	completed
	total    uint32
	size     uint32
	next     uint32 // index that is due: fragments come in sequence (3.1.5.27)
	data     []byte
	deadline time.Duration
	reliable bool
}

// A completed message must not be put together again of fragments that come twice.
type completed struct {
	id   wire.GUID
	from netip.AddrPort
}

// A fragment is what PACKET and PACKET2_DATA have in common.
type fragment struct {
	id                         wire.GUID
	index, offset, total, size uint32
	data                       []byte
}

// possible reports whether a fragment can be one of a message.
func (f *fragment) possible() bool {
	return f.size <= wire.MaxMessage && f.total != 0 && f.total <= f.size && len(f.data) > 0 &&
		uint64(f.offset)+uint64(len(f.data)) <= uint64(f.size)
}

// expire drops what stopped coming.
func (a *assembly) expire(now time.Duration) { a.drop(func(p *part) bool { return p.deadline <= now }) }

// drop forgets messages of which some fragments came.
func (a *assembly) drop(which func(*part) bool) {
	a.work = slices.DeleteFunc(a.work, func(p *part) bool {
		if which(p) {
			a.octets -= len(p.data)
			return true
		}
		return false
	})
}

// done remembers a message as complete.
func (a *assembly) done(c completed) {
	a.drop(func(p *part) bool { return p.completed == c })
	if len(a.complete) >= maxComplete {
		a.complete = append(a.complete[:0], a.complete[1:]...)
	}
	a.complete = append(a.complete, c)
}

func (a *assembly) find(c completed) *part {
	for _, p := range a.work {
		if p.completed == c {
			return p
		}
	}
	return nil
}

// isComplete reports whether a message was put together lately.
func (a *assembly) isComplete(c completed) bool { return slices.Contains(a.complete, c) }

// room reports whether a new message from somebody, or more of one, can be kept.
func (a *assembly) room(c completed, f fragment) bool {
	if a.octets+len(f.data) > maxPartOctets {
		return false
	}
	n := 0
	for _, p := range a.work {
		if p.from == c.from {
			n++
		}
	}
	return f.index > 0 || a.find(c) != nil || len(a.work) < maxParts && n < maxPartsEach
}

// add puts a fragment behind those that came before it, and returns the message if that is all of it; ok is false if it does
// not follow them. Whether there is room was asked before.
func (a *assembly) add(c completed, reliable bool, f fragment, now time.Duration) (message []byte, ok bool) {
	p := a.find(c)
	if p == nil {
		if f.index != 0 || a.isComplete(c) {
			return nil, true // its beginning is lost, or it was complete before and this one is sent again
		}
		p = &part{completed: c, total: f.total, size: f.size, reliable: reliable}
		a.work = append(a.work, p)
	}
	if f.index < p.next {
		return nil, true // sent again
	}
	if f.index != p.next || int(f.offset) != len(p.data) || p.total != f.total || p.size != f.size {
		if !p.reliable { // what is missing will not come again
			a.drop(func(x *part) bool { return x == p })
		}
		return nil, false
	}
	p.data = append(p.data, f.data...)
	a.octets += len(f.data)
	p.next++
	p.deadline = now + discardParts
	if p.reliable {
		p.deadline = now + packetGiveUp
	}
	if len(p.data) < int(p.size) {
		return nil, true
	}
	a.done(p.completed)
	return p.data, true
}
