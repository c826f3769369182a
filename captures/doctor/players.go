package doctor

import (
	"cmp"
	"net/netip"
	"time"

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
	on            way // the connection that the id was asked for on, the machine's end first
	Machine, Host netip.AddrPort
	Asked         mark // REQUESTPLAYERID
	ID            wire.PlayerID
	Session       string
	Flags         wire.SessionFlags
	Made          bool // a message names the player after that
	Left          mark // the machine left, or its connection to the host ended; zero: neither
}

// idAsked stores a request for an id of a machine that is in a session.
func (c *collector) idAsked(m *message, player bool) {
	if c.waits < maxFacts {
		c.waits++
		m.sender.wanted = append(m.sender.wanted, idRequest{m.at, m.sockets(), player})
	}
}

// idAnswered stores the answer to the oldest request of a machine. id is 0 if the host refused it.
func (c *collector) idAnswered(m *message, id wire.PlayerID) {
	list := m.receiver.wanted
	if len(list) == 0 {
		return
	}
	q := list[0]
	c.waits--
	if m.receiver.wanted = list[1:]; id == 0 || !q.player {
		return
	}
	b := &birth{mark: m.at, on: q.way, Machine: m.to, Host: m.from, Asked: q.mark, ID: id, Session: m.in.Name, Flags: m.in.Flags}
	add(&c.Births, b)
	put(&c.born, id, b, maxFacts)
}

// made records that a message announced a player.
func (c *collector) made(id wire.PlayerID) { cmp.Or(c.born[id], new(birth)).Made = true }

// leaves records the end of a connection, or the goodbye of its machine.
func (c *collector) leaves(way way, m mark) {
	for _, b := range where(c.Births, func(b *birth) bool { return b.on == way }) {
		b.Left = cmp.Or(b.Left, m)
	}
}

// playerNeverCreated is the rule player-never-created for captures. If the capture lacks anything, it may lack the message.
var playerNeverCreated = each(func(c *facts) []*birth {
	return where(c.Births, func(b *birth) bool {
		return len(c.Losses) == 0 && !b.Made && b.until(c).Sub(b.Time) >= patience && !b.hidden() && !c.unreadOf(b)
	})
}, func(c *facts, b *birth) *Finding {
	return found(c.who(b.Machine)+" got the id "+b.ID.String()+" for a player in "+named(b.Session)+" from "+c.who(b.Host)+
		", and never created the player (CREATEPLAYER), within "+seconds(b.until(c).Sub(b.Time)),
		b.Asked.show("", "from "+b.Machine.String()), b.show("ID", b.ID.String())).in(pick(b.Flags&wire.SessionClientServer != 0, "wine", ""))
})

// until returns the time at which the machine left, or the capture ended.
func (b *birth) until(c *facts) time.Time { return cmp.Or(b.Left.Time, c.End) }

// hidden reports whether CREATEPLAYER does not show in a session of this kind: it is inside of another message or encrypted.
func (b *birth) hidden() bool {
	return b.Flags&(wire.SessionMulticastServer|wire.SessionSecureServer) != 0
}

// unreadOf reports whether the machine sent something after it got the id that cannot be read.
func (c *facts) unreadOf(b *birth) bool {
	return exists(c.unread, func(x *broken) bool { return x.from.Addr() == b.Machine.Addr() && x.Frame > b.Frame })
}
