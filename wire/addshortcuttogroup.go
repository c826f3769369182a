package wire

// AddShortcutToGroup is DPSP_MSG_ADDSHORTCUTTOGROUP (2.2.13): a group becomes visible inside another one.
type AddShortcutToGroup struct {
	To             PlayerID // IDTo; 0
	Child          PlayerID // ChildGroupID
	Parent         PlayerID // ParentGroupID
	CreateOffset   uint32   // not used
	PasswordOffset uint32   // not used
	Layout         Layout
}

// Command returns CmdAddShortcutToGroup.
func (m *AddShortcutToGroup) Command() Command { return CmdAddShortcutToGroup }

func (m *AddShortcutToGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.idBlock(&m.To, "ChildGroupID", &m.Child, "ParentGroupID", &m.Parent, &m.CreateOffset, &m.PasswordOffset)
}
