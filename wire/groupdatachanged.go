package wire

// GroupDataChanged is DPSP_MSG_GROUPDATACHANGED (2.2.31).
type GroupDataChanged struct {
	To     PlayerID // IDTo; 0
	Group  PlayerID // GroupID
	Data   []byte   // GroupData
	Layout Layout
}

// Command returns CmdGroupDataChanged.
func (m *GroupDataChanged) Command() Command { return CmdGroupDataChanged }

func (m *GroupDataChanged) fields(c *codec) {
	c.begin(&m.Layout)
	c.dataChanged(&m.To, "GroupID", &m.Group, "GroupData", &m.Data)
}

// dataChanged is the body of GROUPDATACHANGED and PLAYERDATACHANGED. The length is the size field's; what
// follows it is stray, and tolerated by Windows.
func (c *codec) dataChanged(to *PlayerID, id string, whose *PlayerID, name string, data *[]byte) {
	c.id("IDTo", to)
	c.id(id, whose)
	n := c.Size("DataSize", len(*data))
	at := c.Offset("DataOffset")
	c.FixedPart()
	c.OctetsAt(at, name, data, n)
}
