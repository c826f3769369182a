package wire

// CreateGroup is DPSP_MSG_CREATEGROUP (2.2.20): a new group.
type CreateGroup struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID: despite its name the new group's id
	Group          PlayerID // GroupID; ignored
	PasswordOffset uint32   // not used
	Info           PackedPlayer
	Layout         Layout // octets after GroupInfo are stray: the specification has none, CREATEPLAYER has six
}

// Command returns CmdCreateGroup.
func (m *CreateGroup) Command() Command { return CmdCreateGroup }

func (m *CreateGroup) fields(c *codec) {
	c.begin(&m.Layout)
	at := c.threeIDs(&m.To, &m.Player, &m.Group)
	c.U32("PasswordOffset", &m.PasswordOffset)
	c.FixedPart()
	if c.Seek(at, true, false) {
		from := c.Off
		c.info("GroupInfo", &m.Info)
		c.Claim(at, from)
	}
}
