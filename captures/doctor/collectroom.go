package doctor

import (
	"dplay4/captures"
	"dplay4/wire"
)

// A room is how many players a session has, as far as the capture shows: what its last description says, and who came
// and went since. Hosts describe their session seldom.
type room struct {
	players, max uint32
	known        map[wire.PlayerID]bool // players that were made; false: gone again
}

// count follows how many players a session has.
func (c *collector) count(r *captures.Record) {
	s := r.Session
	switch x := r.Envelope.Message.(type) {
	case *wire.EnumSessionsReply:
		c.describe(&x.Desc)
	case *wire.SuperEnumPlayersReply:
		c.describe(&x.Desc)
	case *wire.EnumPlayersReply:
		c.describe(&x.Desc)
	case *wire.SessionDescChanged:
		c.describe(&x.Desc)
	case *wire.CreatePlayer:
		if s == nil || x.Info.Flags&wire.PlayerSystem != 0 {
			return
		}
		h := c.rooms[s.Instance]
		if h == nil || len(h.known) >= maxFacts {
			return
		}
		if _, told := h.known[x.Player]; !told { // each member is told
			h.known[x.Player] = true
			h.players++
		}
	case *wire.DeletePlayer:
		if s == nil {
			return
		}
		if h := c.rooms[s.Instance]; h != nil && h.known[x.Player] && h.players > 0 {
			h.known[x.Player] = false
			h.players--
		}
	}
}

// describe takes what a description says of the room.
func (c *collector) describe(d *wire.SessionDesc) {
	h := c.rooms[d.Instance]
	if h == nil {
		if len(c.rooms) >= maxFacts {
			return
		}
		h = &room{known: map[wire.PlayerID]bool{}}
		c.rooms[d.Instance] = h
	}
	h.players, h.max = d.CurrentPlayers, d.MaxPlayers
}
