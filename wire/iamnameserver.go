package wire

// IAmNameServer is DPSP_MSG_IAMNAMESERVER (2.2.33): a new host announces itself. Dialect 10 and later.
type IAmNameServer struct {
	To     PlayerID    // IDTo
	Host   PlayerID    // IDHost: the new host's system player
	Flags  PlayerFlags // of that system player
	SPData []byte      // see ParseSPData
	Layout Layout
}

// Command returns CmdIAmNameServer.
func (m *IAmNameServer) Command() Command { return CmdIAmNameServer }

func (m *IAmNameServer) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("IDTo", &m.To)
	c.id("IDHost", &m.Host)
	c.Flags("Flags", (*uint32)(&m.Flags), playerFlagString)
	n := c.Size("SPDataSize", len(m.SPData))
	c.spData("SPData", &m.SPData, c.Length(n))
}
