package wire

// PlayerMessage is DPSP_MSG_PLAYERMESSAGE (2.2.45) as it really travels: without signature, command and
// version. On TCP an SP header stands before it, on UDP nothing. The figure in the specification shows what
// nobody was seen to send; that is HeaderedPlayerMessage.
type PlayerMessage struct {
	NoIDs   bool     // the session has NOMESSAGEID: From and To are not on the wire
	From    PlayerID // idFrom
	To      PlayerID // idTo: a player, a group, or IDAll
	Payload []byte   // PlayerMessage: the game's own octets (aliased)
}

// Command returns CmdPlayerMessage.
func (m *PlayerMessage) Command() Command { return CmdPlayerMessage }

func (m *PlayerMessage) fields(c *codec) {
	if !c.Encoding {
		m.NoIDs, m.From, m.To = c.opts.NoMessageID, 0, 0
	}
	if !m.NoIDs {
		c.id("IDFrom", &m.From)
		c.id("IDTo", &m.To)
	}
	c.Rest("PlayerMessage", &m.Payload)
}

// HeaderedPlayerMessage is DPSP_MSG_PLAYERMESSAGE as the figure in 2.2.45 draws it: with a header and a second
// size, token and address. No program is known to send it; it is decoded so that one that does is understood.
type HeaderedPlayerMessage struct {
	SizeToken uint32 // size and token
	SockAddr  SockAddr
	Player    PlayerMessage
}

// Command returns CmdPlayerMessage.
func (m *HeaderedPlayerMessage) Command() Command { return CmdPlayerMessage }

func (m *HeaderedPlayerMessage) fields(c *codec) {
	c.Hex32("size", &m.SizeToken)
	c.sockAddr("sockaddr", &m.SockAddr)
	m.Player.fields(c)
}
