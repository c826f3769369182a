package dpsp

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/internal/arrived"
	"dplay4/dpsp/internal/frame"
	"dplay4/wire"
)

// keptLinks are the links to programs that were lost, oldest first. With views a program is known by its incarnation: if it comes back,
// the numbers of messages and the links of the reliable protocol go on, whatever its id is then, so that messages arrive which were
// under way when one of the two lost the other one.
type keptLinks []keptLink

type keptLink struct {
	incarnation wire.Incarnation
	until       time.Duration
	messages    arrived.Link
	frames      frame.Kept
	system      wire.PlayerID // that its program had
}

// Bounds of what is kept. What is not kept any more is lost with the program, as PeerLost told.
const (
	maxKept       = 64
	maxKeptOctets = 4 * arrived.Keep // of messages that may have to be sent again
	keptLife      = 10 * time.Minute
)

func (k *keptLink) octets() int { return k.messages.Octets() + k.frames.Octets() }

// add keeps links. The oldest make room.
func (all *keptLinks) add(fr *frame.Links, k keptLink) {
	if old, ok := all.take(fr, k.incarnation); ok {
		fr.Abandon(old.frames)
	}
	*all = append(*all, k)
	octets := 0
	for i := range *all {
		octets += (*all)[i].octets()
	}
	for len(*all) > maxKept || octets > maxKeptOctets {
		octets -= (*all)[0].octets()
		all.drop(fr)
	}
}

// drop forgets the oldest.
func (all *keptLinks) drop(fr *frame.Links) {
	fr.Abandon((*all)[0].frames)
	*all = slices.Delete(*all, 0, 1)
}

// take returns the links to a program that comes back.
func (all *keptLinks) take(fr *frame.Links, i wire.Incarnation) (k keptLink, ok bool) {
	for len(*all) > 0 && (*all)[0].until <= fr.Now {
		all.drop(fr)
	}
	n := slices.IndexFunc(*all, func(k keptLink) bool { return k.incarnation == i })
	if n < 0 {
		return k, false
	}
	k = (*all)[n]
	*all = slices.Delete(*all, n, n+1)
	return k, true
}

// keeps keeps the links to a peer that goes, and reports whether it does: its program may come back, because it did not leave.
func (v *views) keeps(p *peer) bool {
	if !v.on() || p.incarnation == 0 || v.core.HasLeft(p.incarnation) || !p.link.Settled() && !p.link.Holds() && len(p.frameLinks.Links) == 0 {
		return false
	}
	fr := v.e.frames()
	p.link.Part(v.e.now)
	v.kept.add(fr, keptLink{p.incarnation, v.e.now + keptLife, p.link, fr.Keep(&p.frameLinks), p.system})
	return true
}

// speaks notes whose a connection is, by its incarnation or its id: that of a program that is lost, or of another one.
func (all keptLinks) speaks(o origin, i wire.Incarnation, system wire.PlayerID) {
	for n := range all {
		switch k := &all[n]; {
		case i != 0 && k.incarnation == i:
			k.messages.Owns(o.from, true)
		case i != 0 || k.system != system:
			k.messages.Owns(o.from, false)
		}
	}
}

// away reports whether a connection is that of a program that is lost: nobody reads what counts there, because it comes again when the
// program is back.
func (all keptLinks) away(o origin) bool {
	return slices.ContainsFunc(all, func(k keptLink) bool { return k.messages.Owned(o.from) })
}

// identify notes the incarnation of a peer, and goes on with the links to its program, but not with numbers if it was told of others
// already.
func (v *views) identify(p *peer, i wire.Incarnation) {
	if p.incarnation == i {
		return
	}
	e := v.e
	p.incarnation = i
	p.link.Await(uint64(i))
	k, ok := v.kept.take(e.frames(), i)
	if !ok {
		return
	}
	e.out.Close = slices.DeleteFunc(e.out.Close, func(to netip.AddrPort) bool { return to == p.stream })
	e.frames().Return(&p.frameLinks, k.frames)
	if (k.messages.Settled() || !k.messages.Told()) && !p.link.Told() {
		p.link = k.messages
		p.link.Void(isVoid)
		e.arrivals.say(p, p.link.Greet(e.now))
	}
}

// isVoid reports whether a message with its SP header changes the list, or is about it. The view that two programs meet in has all
// that it would change, so that it is not sent again.
func isVoid(data []byte) bool {
	if len(data) < wire.SPHeaderSize+8 || !wire.HasSignature(data[wire.SPHeaderSize:]) {
		return false // the game's
	}
	switch wire.Command(binary.LittleEndian.Uint16(data[wire.SPHeaderSize+4:])) {
	case wire.CmdPlayerWrapper, wire.CmdChat, wire.CmdPacket, wire.CmdPacket2Data, wire.CmdPacket2Ack, wire.CmdExtension:
		return false
	}
	return true
}
