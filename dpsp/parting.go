package dpsp

import (
	"net/netip"
	"slices"
	"time"

	frames "dplay4/wire/reliable"
)

// A parting is the links whose players are gone, for as long as their last words may have to be said again, and those of the others
// answered. It outlives the session.
type parting struct {
	links []partingLink
	then  func() // when all has been said
	held  []heldSend
}

// A heldSend goes over a connection when what its sender said in frames has arrived.
type heldSend struct {
	Outgoing
	behind
}

// holdsFor reports whether something is held for a machine: what follows it must not overtake it.
func (pa *parting) holdsFor(to netip.AddrPort) bool {
	return slices.ContainsFunc(pa.held, func(h heldSend) bool { return h.To == to })
}

// sendHeld sends what was held and may go.
func (pa *parting) sendHeld(fr *framing) {
	held := pa.held
	pa.held = nil
	for _, h := range held {
		if pa.holdsFor(h.To) || !h.due(fr.e.now) {
			pa.held = append(pa.held, h)
		} else {
			fr.e.putRaw(h.Outgoing)
		}
	}
}

type partingLink struct {
	*framedLink
	until time.Duration
}

// maxParting bounds those links.
const maxParting = 1024

// part keeps a link for a while.
func (fr *framing) part(l *framedLink) {
	fr.remove(l)
	if l.peer == nil {
		return
	}
	l.peer.links = slices.DeleteFunc(l.peer.links, func(x *framedLink) bool { return x == l })
	l.peer = nil
	if len(fr.parting.links) >= maxParting {
		fr.end(l)
		return
	}
	fr.parting.links = append(fr.parting.links, partingLink{l, fr.e.now + linger})
	fr.step(l)
}

// leave parts with everybody, and reports whether somebody is still to hear something: then does what is to be done when all have.
func (fr *framing) leave(then func()) bool {
	for _, l := range slices.Clone(fr.all) {
		fr.part(l)
	}
	if !fr.parting.speaks() {
		return false
	}
	if before := fr.parting.then; then != nil && before != nil {
		fr.parting.then = func() { before(); then() }
	} else if then != nil {
		fr.parting.then = then
	}
	return true
}

// has reports whether a link with these ends is parting.
func (pa *parting) has(at ends) bool {
	return slices.ContainsFunc(pa.links, func(l partingLink) bool { return l.ends == at })
}

func (pa *parting) any() bool { return len(pa.links) > 0 }

// speaks reports whether something is still to be said.
func (pa *parting) speaks() bool {
	return len(pa.held) > 0 || slices.ContainsFunc(pa.links, func(l partingLink) bool { return !l.Idle() || len(l.behind) > 0 })
}

// take gives a frame to the link that it is for.
func (pa *parting) take(fr *framing, from netip.AddrPort, f *frames.Frame) bool {
	if fr.on() {
		if p, _ := fr.sender(from, f.From); p != nil {
			return false
		}
	}
	for _, l := range pa.links {
		if l.ends.ours == f.To && l.ends.theirs == f.From && l.to.Addr() == from.Addr().Unmap() {
			l.Receive(fr.e.now, f)
			fr.step(l.framedLink) // what it says of the session is of no use any more
			return true
		}
	}
	return false
}

// flush says what is due, and lets go of links whose time is over.
func (pa *parting) flush(fr *framing) {
	now := fr.e.now
	pa.links = slices.DeleteFunc(pa.links, func(l partingLink) bool {
		if l.until <= now {
			fr.end(l.framedLink)
			return true
		}
		if l.wake <= now || len(l.behind) > 0 {
			fr.step(l.framedLink)
		}
		return false
	})
	pa.sendHeld(fr)
	if pa.then != nil && !pa.speaks() {
		then := pa.then
		pa.then = nil
		then()
	}
}

// wake returns when something is to be said.
func (pa *parting) wake() time.Duration {
	w := Never
	for _, l := range pa.links {
		w = min(w, l.wake, l.until)
	}
	for i := range pa.held {
		w = min(w, pa.held[i].until)
	}
	return w
}
