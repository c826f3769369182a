package wire

// SessionDescChanged is DPSP_MSG_SESSIONDESCCHANGED (2.2.51).
type SessionDescChanged struct {
	To       PlayerID // IDTo; 0
	Desc     SessionDesc
	Name     Text // SessionName; nil: none
	Password Text // nil: none
	Layout   Layout
}

// Command returns CmdSessionDescChanged.
func (m *SessionDescChanged) Command() Command { return CmdSessionDescChanged }

func (m *SessionDescChanged) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("IDTo", &m.To)
	name := c.Offset("SessionNameOffset")
	password := c.Offset("PasswordOffset")
	c.sessionDesc(&m.Desc)
	c.FixedPart()
	c.textAt(name, "SessionName", &m.Name)
	c.textAt(password, "Password", &m.Password)
}
