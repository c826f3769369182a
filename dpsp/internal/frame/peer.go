package frame

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// A Machine is another one of the session, as its engine knows it.
type Machine interface {
	System() wire.PlayerID
	Socket() netip.AddrPort // for UDP
	At(ip netip.Addr) bool  // its packets may come from there
	Modern() bool           // it knows the extension, and said so
	Marked() bool           // its players bear our mark
}

// A Peer is what is kept of frames to and from a machine.
type Peer struct {
	Machine
	Links      []*Link         // to it
	Begin      wire.HelloLinks // where our links to it begin
	Framed     bool            // what is for it goes in frames, if the session has them
	SaysFrames bool            // it sent a system message in one
	FrameAt    time.Duration   // when a frame came from it last; 0: none did
	Plain      bool            // it does not speak the reliable protocol: nothing for it goes in frames
	Asked      uint32          // the number in the PING that asks whether it speaks frames; 0: none is under way
	Older      bool            // it was in the session before us
	Met        time.Duration   // when it came

	plainAt time.Duration // when a message came over its connection last that belongs into frames; 0: none did
	askedAt time.Duration
	again   time.Duration    // until then it is to greet us before frames go between us: it was in the session before
	theirs  *wire.HelloLinks // where its links to us begin, as its greeting says; nil: it said nothing
	way     *reliable.Path   // of frames
	told    uint32           // bits of the readings that Learns returned
}

// known is where links begin to a machine that is, or was, here; 0: anywhere.
type known struct {
	system wire.PlayerID
	begin  wire.HelloLinks
}

// expects returns the messageid with which links of a machine begin, 0 if it did not say.
func (p *Peer) expects() uint8 {
	if p.theirs == nil {
		return 0
	}
	return max(1, p.theirs.First)
}

// Ours says that a machine is one of ours.
func (p *Peer) Ours() {
	p.Framed, p.Plain = p.Framed || p.Plain, false
	for _, l := range p.Links {
		l.Ours()
	}
}

// Introduced says that our first player was announced: with the machines that were there before us, we are past the way into
// the session.
func (fr *Links) Introduced(p *Peer) {
	p.Framed = !p.Plain && (p.Framed || p.Older && !fr.Waits(p))
}

// Began says that a machine announced a player: then it, too, is past the way into the session. introduced reports whether we have one.
func (fr *Links) Began(p *Peer, introduced bool) {
	if !fr.Waits(p) && (!p.Older || introduced) {
		p.Framed = !p.Plain
	}
}

// InView notes that a machine is in our view: it is past the way into the session, unless its links are in another turn.
func (fr *Links) InView(p *Peer) {
	if fr.On && !fr.Waits(p) {
		p.Framed = !p.Plain
	}
}

// Greeted takes where a machine's links begin. Both count the turns in which they have links: who is behind was away, or was lost, and
// begins anew in the other's turn. It reports whether that is us, which the machine has to be told. introduced reports whether we have
// announced a player.
func (fr *Links) Greeted(p *Peer, begin wire.HelloLinks, introduced bool) (anew bool) {
	if fr.flags()&wire.SessionDirectPlayProtocol == 0 {
		return false
	}
	switch behind := int16(begin.Turn - p.Begin.Turn); {
	case behind < 0, behind == 0 && p.theirs != nil && p.theirs.Turn == begin.Turn:
		return false // it is of a turn that is over, or nothing new
	case behind > 0:
		anew = true
		framed := p.Framed
		fr.Close(p)
		p.Framed, p.Begin.Turn = framed, begin.Turn
		fr.note(p)
	}
	p.theirs = &begin
	if fr.Waits(p) || fr.Patient {
		p.again = 0
		p.Framed = p.Framed || fr.On && introduced
	}
	return anew
}

// Waits reports whether a machine is to greet us before frames go between us.
func (fr *Links) Waits(p *Peer) bool { return p.again > fr.Now }

// Meet begins with a machine that came into the session. If it was there before, late frames can be on their way, and those that
// were kept while it was gone are of links that are over. What matters comes again.
func (fr *Links) Meet(p *Peer) {
	i := slices.IndexFunc(fr.known, func(k known) bool { return k.system == p.System() })
	if i < 0 {
		return
	}
	fr.early = slices.DeleteFunc(fr.early, func(x EarlyFrame) bool { return p.At(x.From.Addr()) })
	if begin := fr.known[i].begin; begin.First != 0 && fr.Extended { // it knows greetings
		p.Begin, p.again = begin, fr.Now+EarlyLife
	}
}

// Restart has the links to a machine begin anew that was away while we were not, and reports whether it has to be greeted.
func (fr *Links) Restart(p *Peer) bool {
	if fr.flags()&wire.SessionDirectPlayProtocol == 0 || !p.Modern() {
		return false
	}
	fr.Close(p)
	p.theirs = nil
	fr.Meet(p)
	return true
}

// Anew has the links begin anew to a machine that lost us, and greets nobody: it takes what comes first on them.
func (fr *Links) Anew(p *Peer) {
	framed := p.Framed
	fr.Close(p)
	p.Framed = framed
}

// Forget lets go of the links to a machine that is gone.
func (fr *Links) Forget(p *Peer) {
	fr.nextTurn(p)
	for _, l := range slices.Clone(p.Links) {
		fr.part(l)
	}
	p.Framed = false
}

// Close ends the links to a machine at once.
func (fr *Links) Close(p *Peer) {
	fr.nextTurn(p)
	for _, l := range p.Links {
		fr.remove(l)
		fr.end(l)
		l.Peer = nil
	}
	p.Links, p.Framed = nil, false
}

// nextTurn notes that links to a machine are over. To one that knows greetings the next ones begin in another turn: behind the
// messageids that the last ones used, and far before they come again.
func (fr *Links) nextTurn(p *Peer) {
	if fr.flags()&wire.SessionDirectPlayProtocol == 0 {
		return
	}
	if p.Modern() {
		best, most := uint8(1), -1
		for id := uint8(2); id != 0; id++ {
			room := 255
			for _, l := range p.Links {
				if ahead := int(id - l.Next()); ahead > reliable.Window { // not one that is still under way
					room = min(room, 256-ahead-reliable.Window)
				} else {
					room = -1
				}
			}
			if room > most {
				best, most = id, room
			}
		}
		p.Begin = wire.HelloLinks{Turn: p.Begin.Turn + 1, First: best}
	}
	fr.note(p)
}

// note keeps where links to a machine begin. It is noted again when it goes, so the oldest are of those that went first.
func (fr *Links) note(p *Peer) {
	fr.known = slices.DeleteFunc(fr.known, func(k known) bool { return k.system == p.System() })
	if len(fr.known) >= maxKnown {
		fr.known = slices.Delete(fr.known, 0, 1)
	}
	fr.known = append(fr.known, known{p.System(), p.Begin})
}

// helloTime is how long the answer to a greeting may take.
const helloTime = 2 * time.Second

// SpeaksFrames reports whether system messages for a machine go in frames. Those between modern machines stay on connections, because
// messages about players and the host have to keep one order, and links that begin anew have none. A machine with our mark counts as
// modern until it has had time to say hello.
func (fr *Links) SpeaksFrames(p *Peer) bool {
	return p.Framed && !p.Modern() && (!fr.Extended || !p.Marked() || p.SaysFrames || fr.Now >= p.Met+helloTime)
}

// Learns returns the readings of a machine that is not ours which were not returned before.
func (p *Peer) Learns(all []reliable.Reading) (news []reliable.Reading) {
	for _, r := range all {
		if bit := uint32(1) << r; !p.Modern() && p.told&bit == 0 {
			p.told |= bit
			news = append(news, r)
		}
	}
	return news
}

// Payload returns what the game said in a message that came on the link. A peer that puts ids before it does so always (D6).
func (l *Link) Payload(b []byte) []byte {
	there := len(b) >= 8 && binary.LittleEndian.Uint32(b) == uint32(l.Remote) && binary.LittleEndian.Uint32(b[4:]) == uint32(l.Local)
	switch {
	case l.ids == idsMissing || !there:
		l.ids = idsMissing
		return b
	case l.Peer.Modern():
		return b
	}
	l.ids = idsThere
	return b[8:]
}
