package wire

// Negotiate is DPSP_MSG_NEGOTIATE (2.2.38): the client begins a secure logon.
type Negotiate struct {
	From   PlayerID // IDFrom: the sender's system player
	Token  []byte   // SecurityToken: opaque
	Layout Layout
}

// Command returns CmdNegotiate.
func (m *Negotiate) Command() Command { return CmdNegotiate }

func (m *Negotiate) fields(c *codec) {
	c.begin(&m.Layout)
	c.securityToken(&m.From, &m.Token)
}
