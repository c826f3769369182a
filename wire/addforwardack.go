package wire

// AddForwardAck is DPSP_MSG_ADDFORWARDACK (2.2.9): a member has the newcomer in its list. It goes to the host.
type AddForwardAck struct {
	ID     PlayerID // of the player that ADDFORWARD announced
	Layout Layout
}

// Command returns CmdAddForwardAck.
func (m *AddForwardAck) Command() Command { return CmdAddForwardAck }

func (m *AddForwardAck) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("ID", &m.ID)
}
