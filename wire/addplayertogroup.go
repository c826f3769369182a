package wire

// AddPlayerToGroup is DPSP_MSG_ADDPLAYERTOGROUP (2.2.12).
type AddPlayerToGroup struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID
	Group          PlayerID // GroupID
	CreateOffset   uint32   // not used
	PasswordOffset uint32   // not used
	Layout         Layout
}

// Command returns CmdAddPlayerToGroup.
func (m *AddPlayerToGroup) Command() Command { return CmdAddPlayerToGroup }

func (m *AddPlayerToGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.idBlock(&m.To, "PlayerID", &m.Player, "GroupID", &m.Group, &m.CreateOffset, &m.PasswordOffset)
}

// idBlock is the whole body of the messages that name two ids and nothing else. Their offset fields are
// ignored on receipt, so they point nowhere.
func (c *codec) idBlock(to *PlayerID, name1 string, id1 *PlayerID, name2 string, id2 *PlayerID, create, password *uint32) {
	c.id("IDTo", to)
	c.id(name1, id1)
	c.id(name2, id2)
	c.U32("CreateOffset", create)
	c.U32("PasswordOffset", password)
}
