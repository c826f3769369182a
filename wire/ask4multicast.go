package wire

// Ask4Multicast is DPSP_MSG_ASK4MULTICAST (2.2.14): the host is asked to pass a message on to a group.
type Ask4Multicast struct {
	Group  PlayerID // GroupTo
	From   PlayerID // PlayerFrom
	Inner  Inner    // MulticastMessage, from its signature on
	Layout Layout
}

// Command returns CmdAsk4Multicast.
func (m *Ask4Multicast) Command() Command { return CmdAsk4Multicast }

func (m *Ask4Multicast) fields(c *codec) {
	c.begin(&m.Layout)
	c.multicast("GroupTo", &m.Group, "PlayerFrom", &m.From, "MulticastMessage", &m.Inner)
}

// multicast is the body of the three messages that carry one to a group.
func (c *codec) multicast(group string, to *PlayerID, player string, from *PlayerID, name string, in *Inner) {
	c.id(group, to)
	c.id(player, from)
	at := c.Offset("MessageOffset")
	c.FixedPart()
	if c.Seek(at, true, false) {
		start := c.Off
		c.inner(name, in, c.Left(), true)
		c.Claim(at, start)
	}
}
