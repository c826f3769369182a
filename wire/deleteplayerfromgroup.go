package wire

// DeletePlayerFromGroup is DPSP_MSG_DELETEPLAYERFROMGROUP (2.2.26).
type DeletePlayerFromGroup struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID
	Group          PlayerID // GroupID
	CreateOffset   uint32   // not used
	PasswordOffset uint32   // not used
	Layout         Layout
}

// Command returns CmdDeletePlayerFromGroup.
func (m *DeletePlayerFromGroup) Command() Command { return CmdDeletePlayerFromGroup }

func (m *DeletePlayerFromGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.idBlock(&m.To, "PlayerID", &m.Player, "GroupID", &m.Group, &m.CreateOffset, &m.PasswordOffset)
}
