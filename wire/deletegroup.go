package wire

// DeleteGroup is DPSP_MSG_DELETEGROUP (2.2.23).
type DeleteGroup struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID; 0
	Group          PlayerID // GroupID
	CreateOffset   uint32   // not used
	PasswordOffset uint32   // not used
	Layout         Layout
}

// Command returns CmdDeleteGroup.
func (m *DeleteGroup) Command() Command { return CmdDeleteGroup }

func (m *DeleteGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.idBlock(&m.To, "PlayerID", &m.Player, "GroupID", &m.Group, &m.CreateOffset, &m.PasswordOffset)
}
