package wire

// KeyExchangeReply is DPSP_MSG_KEYEXCHANGEREPLY (2.2.35): the host's key for the client.
type KeyExchangeReply struct {
	SessionKey      []byte
	PublicKeySize   uint32 // not used
	PublicKeyOffset uint32 // not used
	Layout          Layout
}

// Command returns CmdKeyExchangeReply.
func (m *KeyExchangeReply) Command() Command { return CmdKeyExchangeReply }

func (m *KeyExchangeReply) fields(c *codec) {
	c.begin(&m.Layout)
	n := c.Size("SessionKeySize", len(m.SessionKey))
	at := c.Offset("SessionKeyOffset")
	c.U32("PublicKeySize", &m.PublicKeySize)
	c.U32("PublicKeyOffset", &m.PublicKeyOffset)
	c.FixedPart()
	c.OctetsAt(at, "SessionKey", &m.SessionKey, n)
}
