package doctor

import (
	"net/netip"
	"slices"

	"dplay4/wire"
)

// An idRequest is a machine's request for the id of a player or group, once it is in the session.
type idRequest struct {
	mark
	way    way // the connection it went on, the machine's end first
	player bool
}

// A birth is a player for which a host gave an id, REQUESTPLAYERREPLY.
type birth struct {
	mark
	Machine, Host netip.AddrPort
	Asked         mark // REQUESTPLAYERID
	ID            wire.PlayerID
	Session       string
	Flags         wire.SessionFlags
	Made          bool // a message names the player after that
	Left          mark // the machine left, or its connection to the host ended; zero: neither
}

// isIn records that the latest join of a machine went well, whatever the capture lacks.
func (c *collector) isIn(machine netip.AddrPort) {
	if j := c.joining[machine]; j != nil {
		j.In = true
	}
}

// idAsked stores a request for an id of a machine that is in a session.
func (c *collector) idAsked(m *message, player bool) {
	if c.waits < maxFacts {
		c.waits++
		put(&c.wanted, m.from, append(c.wanted[m.from], idRequest{m.at, m.way(), player}), maxListeners)
	}
}

// idAnswered stores the answer to the oldest request of a machine. id is 0 if the host refused it.
func (c *collector) idAnswered(m *message, id wire.PlayerID) {
	list := c.wanted[m.to]
	if len(list) == 0 {
		return
	}
	q := list[0]
	c.waits--
	if c.wanted[m.to] = list[1:]; id == 0 || !q.player || len(c.Births) >= maxFacts {
		return
	}
	b := &birth{mark: m.at, Machine: m.to, Host: m.from, Asked: q.mark, ID: id, Session: m.sessionName()}
	if m.Session != nil {
		b.Flags = m.Session.Flags
	}
	add(&c.Births, b)
	put(&c.born, id, b, maxFacts)
	put(&c.bornOn, q.way, append(c.bornOn[q.way], b), maxFacts)
}

// made records that a message announced a player.
func (c *collector) made(id wire.PlayerID) {
	if b := c.born[id]; b != nil {
		b.Made = true
	}
}

// leaves records the end of a connection, or the goodbye of its machine.
func (c *collector) leaves(way way, m mark) {
	for _, b := range c.bornOn[way] {
		if b.Left.Frame == 0 {
			b.Left = m
		}
	}
}

// playerNeverCreated adds what player-never-created finds in a capture.
func playerNeverCreated(c *facts, out *findings) {
	if len(c.Losses) > 0 {
		return // the capture may lack the message
	}
	for _, b := range c.Births {
		until := pick(b.Left.Frame > 0, b.Left.Time, c.End)
		if b.Made || until.Sub(b.Time) < patience || b.hidden() || c.unreadOf(b) {
			continue
		}
		f := out.add(c.who(b.Machine)+" got the id "+b.ID.String()+" for a player in "+named(b.Session)+" from "+c.who(b.Host)+
			", and never created the player (CREATEPLAYER), within "+seconds(until.Sub(b.Time)),
			b.Asked.show("", "from "+b.Machine.String()), b.show("ID", b.ID.String()))
		if b.Flags&wire.SessionClientServer != 0 {
			f.section = "wine"
		}
	}
}

// hidden reports whether CREATEPLAYER does not show in a session of this kind: it is inside of another message or encrypted.
func (b *birth) hidden() bool {
	return b.Flags&(wire.SessionMulticastServer|wire.SessionSecureServer) != 0
}

// unreadOf reports whether the machine sent something after it got the id that cannot be read.
func (c *facts) unreadOf(b *birth) bool {
	return slices.ContainsFunc(slices.Concat(c.Broken.list, c.Junk), func(x *broken) bool {
		return x.from.Addr() == b.Machine.Addr() && x.Frame > b.Frame
	})
}
