package wire

// MulticastDelivery is DPSP_MSG_MULTICASTDELIVERY (2.2.37): the host passes a message on to a member of a
// group, in sessions with the reliable protocol.
type MulticastDelivery struct {
	Group  PlayerID // GroupIDTo
	From   PlayerID // PlayerIDFrom
	Inner  Inner    // BroadcastMessage, from its signature on
	Layout Layout
}

// Command returns CmdMulticastDelivery.
func (m *MulticastDelivery) Command() Command { return CmdMulticastDelivery }

func (m *MulticastDelivery) fields(c *codec) {
	c.begin(&m.Layout)
	c.multicast("GroupIDTo", &m.Group, "PlayerIDFrom", &m.From, "BroadcastMessage", &m.Inner)
}
