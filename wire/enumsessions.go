package wire

// EnumSessions is DPSP_MSG_ENUMSESSIONS (2.2.29): who hosts this game?
type EnumSessions struct {
	Application GUID // ApplicationGuid; zero matches every game on a Windows host
	Flags       EnumFlags
	Password    Text // nil: none. An empty one is sent by some programs and means none, too
	Layout      Layout
}

// Command returns CmdEnumSessions.
func (m *EnumSessions) Command() Command { return CmdEnumSessions }

func (m *EnumSessions) fields(c *codec) {
	c.begin(&m.Layout)
	c.guid("ApplicationGUID", &m.Application)
	at := c.Offset("PasswordOffset")
	c.Flags("Flags", (*uint32)(&m.Flags), enumFlagString)
	c.FixedPart()
	c.textAt(at, "Password", &m.Password)
}
