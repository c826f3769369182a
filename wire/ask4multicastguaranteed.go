package wire

// Ask4MulticastGuaranteed is DPSP_MSG_ASK4MULTICASTGUARANTEED (2.2.15): the host is asked to pass a message
// on to a group with guaranteed delivery.
type Ask4MulticastGuaranteed struct {
	Group  PlayerID // GroupTo
	From   PlayerID // PlayerFrom
	Inner  Inner    // MulticastMessage, from its signature on
	Layout Layout
}

// Command returns CmdAsk4MulticastGuaranteed.
func (m *Ask4MulticastGuaranteed) Command() Command { return CmdAsk4MulticastGuaranteed }

func (m *Ask4MulticastGuaranteed) fields(c *codec) {
	c.begin(&m.Layout)
	c.multicast("GroupTo", &m.Group, "PlayerFrom", &m.From, "MulticastMessage", &m.Inner)
}
