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

func (a *assembly) expire(now time.Duration) { a.drop(func(p *part) bool { return p.deadline <= now }) }

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

// room reports whether a new message from somebody, or more of one, can be kept.
func (a *assembly) room(c completed, begun bool, more int) bool {
	if a.octets+more > maxPartOctets {
		return false
	}
	n := 0
	for _, p := range a.work {
		if p.from == c.from {
			n++
		}
	}
	return begun || len(a.work) < maxParts && n < maxPartsEach
}

// whole reports whether a message is a fragment that has all of another one. Programs send single ones around
// ordinary messages, also while they join (facts, 3.16).
func whole(m wire.Message) bool {
	switch m := m.(type) {
	case *wire.Packet:
		return m.Data.Message != nil
	case *wire.Packet2Data:
		return m.Data.Message != nil
	}
	return false
}

// unwrap takes the message in a single fragment. Its own rules say who may send it.
func (e *Engine) unwrap(o origin, m wire.Message) {
	switch m := m.(type) {
	case *wire.Packet:
		e.inner(o, &m.Data)
	case *wire.Packet2Data:
		if e.fromStranger(o) {
			e.drop(o, "PACKET2_DATA", NotMember, "its sender is not in the session")
			return
		}
		c := completed{m.ID, o.listener}
		e.sendTCP(e.answerTo(o).listener, &wire.Packet2Ack{ID: m.ID, Index: m.Index})
		if slices.Contains(e.parts.complete, c) {
			return // our acknowledgement was late
		}
		e.parts.done(c)
		e.inner(o, &m.Data)
	}
}

// fromStranger reports whether a fragment that is to be acknowledged is from nobody that a member knows: it may take us for
// what we were before our program began anew, and the acknowledgement for a sign of life. A host knows newcomers later.
func (e *Engine) fromStranger(o origin) bool {
	return e.state == member && !e.hosting() && e.peerOf(o) == nil
}

// fragment takes a PACKET or PACKET2_DATA (3.1.5.27, 3.1.5.28).
func (e *Engine) fragment(o origin, reliable bool, f fragment) {
	name := "PACKET"
	if reliable {
		name = "PACKET2_DATA"
	}
	c := completed{f.id, o.listener}
	p := e.parts.find(c)
	switch {
	case !e.isMember(o), reliable && e.fromStranger(o):
		e.drop(o, name, NotMember, "its sender is not in the session")
		return
	case f.size > wire.MaxMessage || f.total == 0 || f.total > f.size || len(f.data) == 0 || uint64(f.offset)+uint64(len(f.data)) > uint64(f.size):
		e.drop(o, name, Malformed, "a size or number of fragments that cannot be")
		return
	case !e.parts.room(c, p != nil || f.index > 0, len(f.data)):
		e.drop(o, name, LimitReached, "too many large messages come at once") // and no acknowledgement: it is sent again
		return
	}
	if reliable {
		e.sendTCP(e.answerTo(o).listener, &wire.Packet2Ack{ID: f.id, Index: f.index})
	}
	if p == nil {
		if f.index != 0 || slices.Contains(e.parts.complete, c) {
			return // its beginning is lost, or it was complete before and this one is sent again
		}
		p = &part{completed: c, total: f.total, size: f.size, reliable: reliable}
		e.parts.work = append(e.parts.work, p)
	}
	e.extend(o, name, p, f)
}

// extend puts a fragment behind those that came before it.
func (e *Engine) extend(o origin, name string, p *part, f fragment) {
	if f.index < p.next {
		return // sent again
	}
	if f.index != p.next || int(f.offset) != len(p.data) || p.total != f.total || p.size != f.size {
		e.drop(o, name, Conflict, "it does not follow the fragment before it")
		if !p.reliable { // what is missing will not come again
			e.parts.drop(func(x *part) bool { return x == p })
		}
		return
	}
	p.data = append(p.data, f.data...)
	e.parts.octets += len(f.data)
	p.next++
	p.deadline = e.now + discardParts
	if p.reliable {
		p.deadline = e.now + packetGiveUp
	}
	if len(p.data) < int(p.size) {
		return
	}
	e.parts.done(p.completed)
	e.assembled(o, p.data)
}

// assembled takes a message that was put together.
func (e *Engine) assembled(o origin, message []byte) {
	env, err := e.dec.DecodeBare(message)
	switch {
	case err != nil:
		e.malformed(o, &env, err)
	case env.System():
		switch env.Message.(type) {
		case *wire.Packet, *wire.Packet2Data:
			e.drop(o, env.Message.Command().String(), NotAllowed, "fragments in fragments")
			return
		}
		e.system(o, env.Version, env.Message)
	default:
		e.game(o, env.Message.(*wire.PlayerMessage), !o.udp)
	}
}
