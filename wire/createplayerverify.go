package wire

// CreatePlayerVerify is DPSP_MSG_CREATEPLAYERVERIFY (2.2.22): a player that was created a moment ago is
// announced once more. Dialect 13 and later.
type CreatePlayerVerify struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID
	Group          PlayerID // GroupID; 0
	PasswordOffset uint32   // not used
	Info           PackedPlayer
	Reserved1      uint16
	Reserved2      uint32
	Layout         Layout
}

// Command returns CmdCreatePlayerVerify.
func (m *CreatePlayerVerify) Command() Command { return CmdCreatePlayerVerify }

func (m *CreatePlayerVerify) fields(c *codec) {
	c.begin(&m.Layout)
	c.newPlayer(&m.To, &m.Player, &m.Group, &m.PasswordOffset, &m.Info, &m.Reserved1, &m.Reserved2)
}
