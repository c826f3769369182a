package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// An idRequest is a machine's request for the id of a player or group, once it is in the session.
type idRequest struct {
	mark
	way    [2]netip.AddrPort // the connection it went on, the machine's end first
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

// players follows the players of the machines in a session.
func (c *collector) players(r *captures.Record, m mark, from netip.AddrPort) {
	switch x := r.Envelope.Message.(type) {
	case *wire.RequestPlayerID:
		if x.Flags&wire.PlayerSystem == 0 {
			c.isIn(from)
			c.idAsked(r, m, from, true)
		}
	case *wire.RequestGroupID:
		c.idAsked(r, m, from, false)
	case *wire.CreatePlayer:
		c.isIn(from)
		c.made(x.Player)
	case *wire.CreatePlayerVerify:
		c.made(x.Player)
	case *wire.DeletePlayer:
		c.leaves([2]netip.AddrPort{r.Src, r.Dst}, m)
	}
}

// isIn notes that the latest join of a machine went well, whatever the capture lacks.
func (c *collector) isIn(machine netip.AddrPort) {
	if j := c.joining[machine]; j != nil {
		j.In = true
	}
}

// idAsked takes a request for an id of a machine that is in a session.
func (c *collector) idAsked(r *captures.Record, m mark, from netip.AddrPort, player bool) {
	if c.idRequests < maxFacts { // that wait for their answers
		c.idRequests++
		c.wanted[from] = append(c.wanted[from], idRequest{m, [2]netip.AddrPort{r.Src, r.Dst}, player})
	}
}

// idAnswered takes the answer to the oldest request of a machine. id is 0 if the host refused it.
func (c *collector) idAnswered(r *captures.Record, m mark, from netip.AddrPort, id wire.PlayerID) {
	at := r.To.At
	if len(c.wanted[at]) == 0 {
		return
	}
	q := c.wanted[at][0]
	c.idRequests--
	if c.wanted[at] = c.wanted[at][1:]; id == 0 || !q.player || len(c.Births) >= maxFacts {
		return
	}
	b := &birth{mark: m, Machine: at, Host: from, Asked: q.mark, ID: id, Session: sessionName(r)}
	if r.Session != nil {
		b.Flags = r.Session.Flags
	}
	c.Births = append(c.Births, b)
	c.born[id] = b
	c.bornOn[q.way] = append(c.bornOn[q.way], b)
}

// made takes the news that a player is there.
func (c *collector) made(id wire.PlayerID) {
	if b := c.born[id]; b != nil {
		b.Made = true
	}
}

// leaves takes the end of a connection, or the goodbye of its machine.
func (c *collector) leaves(way [2]netip.AddrPort, m mark) {
	for _, b := range c.bornOn[way] {
		if b.Left.Frame == 0 {
			b.Left = m
		}
	}
}

var playerNeverCreated = rule{
	code: "player-never-created", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		if len(c.Losses) > 0 {
			return nil // the capture may lack the message
		}
		for _, b := range c.Births {
			until := c.End
			if b.Left.Frame > 0 {
				until = b.Left.Time
			}
			if b.Made || until.Sub(b.Time) < patience || b.hidden() || c.unreadOf(b) {
				continue
			}
			f := Finding{
				Text: c.who(b.Machine) + " got the id " + b.ID.String() + " for a player in " + named(b.Session) + " from " + c.who(b.Host) +
					", and never created the player (CREATEPLAYER), within " + seconds(until.Sub(b.Time)),
				Evidence: []Evidence{b.Asked.show("", "from "+b.Machine.String()), b.show("ID", b.ID.String())},
			}
			if b.Flags&wire.SessionClientServer != 0 {
				f.section = "wine"
			}
			list = append(list, f)
		}
		return list
	},
}

// hidden reports whether CREATEPLAYER does not show in a session of this kind: it is inside of another message or encrypted.
func (b *birth) hidden() bool {
	return b.Flags&(wire.SessionMulticastServer|wire.SessionSecureServer) != 0
}

// unreadOf reports whether the machine sent something after it got the id that cannot be read.
func (c *facts) unreadOf(b *birth) bool {
	for _, list := range [...][]*broken{c.Broken, c.Junk} {
		for _, x := range list {
			if x.From.Addr() == b.Machine.Addr() && x.Frame > b.Frame {
				return true
			}
		}
	}
	return false
}
