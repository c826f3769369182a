package wire

// KeyExchange is DPSP_MSG_KEYEXCHANGE (2.2.34): the client's keys for the host.
type KeyExchange struct {
	SessionKey []byte
	PublicKey  []byte
	Layout     Layout
}

// Command gives CmdKeyExchange.
func (m *KeyExchange) Command() Command { return CmdKeyExchange }

func (m *KeyExchange) fields(c *codec) {
	c.begin(&m.Layout)
	session := c.size("SessionKeySize", len(m.SessionKey))
	sessionAt := c.offset("SessionKeyOffset")
	public := c.size("PublicKeySize", len(m.PublicKey))
	publicAt := c.offset("PublicKeyOffset")
	c.fixedPart()
	c.octetsAt(sessionAt, "SessionKey", &m.SessionKey, session)
	c.octetsAt(publicAt, "PublicKey", &m.PublicKey, public)
}
