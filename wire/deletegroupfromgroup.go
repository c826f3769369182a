package wire

// DeleteGroupFromGroup is DPSP_MSG_DELETEGROUPFROMGROUP (2.2.24): a shortcut is removed.
type DeleteGroupFromGroup struct {
	To             PlayerID // IDTo; 0
	Child          PlayerID // ChildGroupID
	Parent         PlayerID // ParentGroupID
	CreateOffset   uint32   // not used
	PasswordOffset uint32   // not used
	Layout         Layout
}

// Command returns CmdDeleteGroupFromGroup.
func (m *DeleteGroupFromGroup) Command() Command { return CmdDeleteGroupFromGroup }

func (m *DeleteGroupFromGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.idBlock(&m.To, "ChildGroupID", &m.Child, "ParentGroupID", &m.Parent, &m.CreateOffset, &m.PasswordOffset)
}
