package wire

// PingReply is DPSP_MSG_PINGREPLY (2.2.43).
type PingReply struct {
	From   PlayerID // IDFrom: the replier's own system player, as Windows and Wine send it
	Tick   uint32   // TickCount: of the ping
	Layout Layout
}

// Command returns CmdPingReply.
func (m *PingReply) Command() Command { return CmdPingReply }

func (m *PingReply) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("IDFrom", &m.From)
	c.U32("TickCount", &m.Tick)
}
