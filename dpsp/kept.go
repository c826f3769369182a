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

// keptLinks are the links to programs that were lost, oldest first. If a program comes back, by its incarnation and with whatever id, its
// numbers of messages and its links of the reliable protocol go on. So messages arrive that were under way when one lost the other.
type keptLinks []keptLink

type keptLink struct {
	incarnation wire.Incarnation
	until       time.Duration
	messages    arrived.Link
	frames      frame.Kept
	system      wire.PlayerID // that its program had
}

// Bounds. Messages beyond them are lost with the program, as PeerLost reported.
const (
	maxKept       = 64
	maxKeptOctets = 4 * arrived.Keep // of messages that may be sent again
	keptLife      = 10 * time.Minute
)

func (k *keptLink) octets() int { return k.messages.Octets() + k.frames.Octets() }

// add keeps links. The oldest make room.
func (all *keptLinks) add(fr *frame.Links, k keptLink) {
	all.expire(fr)
	if old, ok := all.take(k.incarnation); ok {
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

// expire forgets those whose time is over, and reports whether there were some.
func (all *keptLinks) expire(fr *frame.Links) (some bool) {
	for len(*all) > 0 && (*all)[0].until <= fr.Now {
		all.drop(fr)
		some = true
	}
	return some
}

// take returns the links to a program that comes back.
func (all *keptLinks) take(i wire.Incarnation) (k keptLink, ok bool) {
	n := slices.IndexFunc(*all, func(k keptLink) bool { return k.incarnation == i })
	if n < 0 {
		return k, false
	}
	k = (*all)[n]
	*all = slices.Delete(*all, n, n+1)
	return k, true
}

// keeps keeps the links to a peer that is removed, unless it left or there is nothing to keep. It reports whether it did.
func (v *viewSender) keeps(p *peer) bool {
	if !v.on() || p.incarnation == 0 || v.hasLeft(p) || !p.link.Counts() && !p.link.Holds() && len(p.frameLinks.Links) == 0 {
		return false
	}
	fr := v.e.frames()
	p.link.Part(v.e.now)
	v.kept.add(fr, keptLink{p.incarnation, v.e.now + keptLife, p.link, fr.Keep(&p.frameLinks), p.system})
	return true
}

// speaks notes the program at the other end of a connection, by its incarnation or its id: a lost one, or another.
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

// away reports whether a connection is a lost program's. Counted messages there are not read, so that they come again when the program is
// back.
func (all keptLinks) away(o origin) bool {
	return slices.ContainsFunc(all, func(k keptLink) bool { return k.messages.Owned(o.from) })
}

// identify notes the incarnation of a peer, and takes up the kept links to its program. The kept numbers do not count if the peer was told
// others since.
func (v *viewSender) identify(p *peer, i wire.Incarnation) {
	if p.incarnation == i {
		return
	}
	e := v.e
	p.incarnation = i
	p.link.Await(uint64(i))
	expired := v.kept.expire(e.frames())
	k, ok := v.kept.take(i)
	if !ok {
		if expired { // perhaps its own ones, which the program may still have: ours begin in another turn
			e.frames().Meet(&p.frameLinks)
		}
		return
	}
	e.out.Close = slices.DeleteFunc(e.out.Close, func(to netip.AddrPort) bool { return to == p.stream })
	e.frames().Return(&p.frameLinks, k.frames)
	if (k.messages.Counts() || !k.messages.Told()) && !p.link.Told() {
		p.link = k.messages
		p.link.Void(isVoid)
		e.arrivals.say(p, p.link.Greet(e.now))
	}
}

// isVoid reports whether a message with its SP header is about the list. It is not sent again after a loss, because the view in which two
// programs meet has its effect.
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
