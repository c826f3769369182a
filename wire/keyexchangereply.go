package wire

// KeyExchangeReply is DPSP_MSG_KEYEXCHANGEREPLY (2.2.35): the host's key for the client.
type KeyExchangeReply struct {
	SessionKey      []byte
	PublicKeySize   uint32 // not used
	PublicKeyOffset uint32 // not used
	Layout          Layout
}

// Command gives CmdKeyExchangeReply.
func (m *KeyExchangeReply) Command() Command { return CmdKeyExchangeReply }

func (m *KeyExchangeReply) fields(c *codec) {
	c.begin(&m.Layout)
	n := c.size("SessionKeySize", len(m.SessionKey))
	at := c.offset("SessionKeyOffset")
	c.u32("PublicKeySize", &m.PublicKeySize)
	c.u32("PublicKeyOffset", &m.PublicKeyOffset)
	c.fixedPart()
	c.octetsAt(at, "SessionKey", &m.SessionKey, n)
}
