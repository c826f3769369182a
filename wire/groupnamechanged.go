package wire

// GroupNameChanged is DPSP_MSG_GROUPNAMECHANGED (2.2.32).
type GroupNameChanged struct {
	To        PlayerID // IDTo; 0
	Group     PlayerID // GroupID
	ShortName Text     // nil: none
	LongName  Text     // nil: none
	Layout    Layout
}

// Command returns CmdGroupNameChanged.
func (m *GroupNameChanged) Command() Command { return CmdGroupNameChanged }

func (m *GroupNameChanged) fields(c *codec) {
	c.begin(&m.Layout)
	c.nameChanged(&m.To, "GroupID", &m.Group, &m.ShortName, &m.LongName)
}

// nameChanged is the body of GROUPNAMECHANGED and PLAYERNAMECHANGED.
func (c *codec) nameChanged(to *PlayerID, id string, whose *PlayerID, short, long *Text) {
	c.id("IDTo", to)
	c.id(id, whose)
	shortAt := c.Offset("ShortOffset")
	longAt := c.Offset("LongOffset")
	c.FixedPart()
	c.textAt(shortAt, "ShortName", short)
	c.textAt(longAt, "LongName", long)
}
