package wire

// Challenge is DPSP_MSG_CHALLENGE (2.2.17): the host asks for a security token.
type Challenge struct {
	From   PlayerID // IDFrom: the sender's system player
	Token  []byte   // SecurityToken: opaque
	Layout Layout
}

// Command returns CmdChallenge.
func (m *Challenge) Command() Command { return CmdChallenge }

func (m *Challenge) fields(c *codec) {
	c.begin(&m.Layout)
	c.securityToken(&m.From, &m.Token)
}

// securityToken is the body of the three messages of the logon.
func (c *codec) securityToken(from *PlayerID, token *[]byte) {
	c.id("IDFrom", from)
	n := c.Size("DataSize", len(*token))
	at := c.Offset("DataOffset")
	c.FixedPart()
	c.OctetsAt(at, "SecurityToken", token, n)
}
