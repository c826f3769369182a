package wire

// Ping is DPSP_MSG_PING (2.2.42): are you there?
type Ping struct {
	From   PlayerID // IDFrom: the sender's system player
	Tick   uint32   // TickCount: milliseconds since the sender's start, wrapping after 49.7 days
	Layout Layout
}

// Command returns CmdPing.
func (m *Ping) Command() Command { return CmdPing }

func (m *Ping) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("IDFrom", &m.From)
	c.U32("TickCount", &m.Tick)
}
