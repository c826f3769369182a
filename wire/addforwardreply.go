package wire

// AddForwardReply is DPSP_MSG_ADDFORWARDREPLY (2.2.10): the host refuses an ADDFORWARDREQUEST.
type AddForwardReply struct {
	Error  HResult
	Layout Layout
}

// Command returns CmdAddForwardReply.
func (m *AddForwardReply) Command() Command { return CmdAddForwardReply }

func (m *AddForwardReply) fields(c *codec) {
	c.begin(&m.Layout)
	c.hresult("Error", &m.Error)
}
