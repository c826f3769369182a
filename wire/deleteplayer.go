package wire

// DeletePlayer is DPSP_MSG_DELETEPLAYER (2.2.25).
type DeletePlayer struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID
	Group          PlayerID // GroupID; 0
	CreateOffset   uint32   // not used
	PasswordOffset uint32   // not used
	Layout         Layout
}

// Command returns CmdDeletePlayer.
func (m *DeletePlayer) Command() Command { return CmdDeletePlayer }

func (m *DeletePlayer) fields(c *codec) {
	c.begin(&m.Layout)
	c.idBlock(&m.To, "PlayerID", &m.Player, "GroupID", &m.Group, &m.CreateOffset, &m.PasswordOffset)
}
