package frame

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	frames "dplay4/wire/reliable"
)

// A parting is the links whose players are gone, for as long as their last words may have to be said again, and those of the others
// answered. It outlives the session.
type parting struct {
	links []partingLink
	held  []heldSend
}

// A heldSend goes over a connection when what its sender said in frames has arrived.
type heldSend struct {
	Send
	behind
}

type partingLink struct {
	*Link
	until time.Duration
}

// maxParting bounds those links.
const maxParting = 1024

// part keeps a link for a while.
func (fr *Links) part(l *Link) {
	fr.remove(l)
	if l.Peer == nil {
		return
	}
	l.Peer.Links = slices.DeleteFunc(l.Peer.Links, func(x *Link) bool { return x == l })
	l.Peer = nil
	if len(fr.parting.links) >= maxParting {
		fr.end(l)
		return
	}
	fr.parting.links = append(fr.parting.links, partingLink{l, fr.Now + Linger})
	fr.step(l)
}

// Leave parts with everybody, and reports whether somebody is still to hear something.
func (fr *Links) Leave() bool {
	for _, l := range slices.Clone(fr.all) {
		fr.part(l)
	}
	return fr.Speaks()
}

// Speaks reports whether something is still to be said in parting.
func (fr *Links) Speaks() bool {
	return len(fr.parting.held) > 0 ||
		slices.ContainsFunc(fr.parting.links, func(l partingLink) bool { return !l.Idle() || len(l.behind) > 0 })
}

// Parting reports whether there is a link that is parting.
func (fr *Links) Parting() bool { return len(fr.parting.links) > 0 }

// Parts reports whether a link of a peer between two indexes is parting.
func (fr *Links) Parts(ours, theirs uint16, p *Peer) bool {
	at := ends{ours, theirs, p.System()}
	return slices.ContainsFunc(fr.parting.links, func(l partingLink) bool { return l.ends == at })
}

// Part gives a frame to the link that is parting and that it is for, and reports whether there is one.
func (fr *Links) Part(from netip.AddrPort, f *frames.Frame) bool {
	for _, l := range fr.parting.links {
		if l.ends.ours == f.To && l.ends.theirs == f.From && l.Socket.Addr() == from.Addr().Unmap() {
			l.Link.Link.Receive(fr.Now, f)
			fr.step(l.Link) // what it says of the session is of no use any more
			return true
		}
	}
	return false
}

// flush says what is due, and lets go of links whose time is over.
func (pa *parting) flush(fr *Links) {
	pa.links = slices.DeleteFunc(pa.links, func(l partingLink) bool {
		if l.until <= fr.Now {
			fr.end(l.Link)
			return true
		}
		if l.wake <= fr.Now || len(l.behind) > 0 {
			fr.step(l.Link)
		}
		return false
	})
	held := pa.held
	pa.held = nil
	for _, h := range held {
		if pa.holdsFor(h.To) || !h.due(fr.Now) {
			pa.held = append(pa.held, h)
		} else {
			fr.out.Sends = append(fr.out.Sends, h.Send)
		}
	}
}

// holdsFor reports whether something is held for a machine: what follows it must not overtake it.
func (pa *parting) holdsFor(to netip.AddrPort) bool {
	return slices.ContainsFunc(pa.held, func(h heldSend) bool { return h.To == to })
}

// wake returns when something is to be said.
func (pa *parting) wake() time.Duration {
	w := reliable.Never
	for _, l := range pa.links {
		w = min(w, l.wake, l.until)
	}
	for i := range pa.held {
		w = min(w, pa.held[i].until)
	}
	return w
}
