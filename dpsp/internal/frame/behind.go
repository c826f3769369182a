package frame

import (
	"encoding/binary"
	"net/netip"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// behind is a system message that waits until what its players said before has arrived.
type behind struct {
	message reliable.Message
	command wire.Command
	after   []*Link
	until   time.Duration
}

// due reports whether what a message waits for has happened.
func (b *behind) due(now time.Duration) bool {
	if now >= b.until {
		return true
	}
	for _, l := range b.after {
		if !l.Idle() {
			return false
		}
	}
	return true
}

// Say sends a system message between system players. That a player is gone is said when what it said has arrived.
func (fr *Links) Say(p *Peer, command wire.Command, m reliable.Message) {
	l := fr.Between(p, fr.Self, p.System())
	after := fr.unsaid(p, command, m.Data)
	if m.Reliable && (len(after) > 0 || len(l.behind) > 0) && len(l.behind) < reliable.MaxQueue {
		l.behind = append(l.behind, behind{m, command, after, fr.Now + Linger})
		fr.Turn(l)
		return
	}
	fr.Queue(l, command, m)
}

// MustWait reports whether a message without its SP header that goes over a connection to a listener has to wait for what was said in
// frames before, and for what, or behind another one that does.
func (fr *Links) MustWait(p *Peer, to netip.AddrPort, command wire.Command, message []byte) (after []*Link, wait bool) {
	after = fr.unsaid(p, command, message)
	return after, (len(after) > 0 || fr.parting.holdsFor(to)) && len(fr.parting.held) < reliable.MaxQueue
}

// HoldBack keeps what goes over a connection to a listener until what was said on some links has arrived.
func (fr *Links) HoldBack(to netip.AddrPort, after []*Link, held any) {
	fr.parting.held = append(fr.parting.held, heldSend{Send{To: to, Held: held}, behind{after: after, until: fr.Now + Linger}})
}

// unsaid returns the links to a machine on which what a player of ours said has not arrived yet that a message says is gone; with
// our system player, any of them.
func (fr *Links) unsaid(p *Peer, command wire.Command, data []byte) (all []*Link) {
	if command != wire.CmdDeletePlayer || len(data) < 16 {
		return nil
	}
	id := wire.PlayerID(binary.LittleEndian.Uint32(data[12:]))
	for _, l := range p.Links {
		if l.Local != fr.Self && (l.Local == id || id == fr.Self) && !l.Idle() {
			all = append(all, l)
		}
	}
	return all
}
