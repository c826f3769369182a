package wire

// EnumSessionsReply is DPSP_MSG_ENUMSESSIONSREPLY (2.2.30): one session of a host.
type EnumSessionsReply struct {
	Desc   SessionDesc // SessionDescription
	Name   Text        // SessionName; nil: none. Wine drops the reply unless it is there, an empty one included
	Layout Layout
}

// Command returns CmdEnumSessionsReply.
func (m *EnumSessionsReply) Command() Command { return CmdEnumSessionsReply }

func (m *EnumSessionsReply) fields(c *codec) {
	c.begin(&m.Layout)
	c.sessionDesc(&m.Desc)
	at := c.Offset("NameOffset")
	c.FixedPart()
	c.textAt(at, "SessionName", &m.Name)
}
