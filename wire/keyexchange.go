package wire

// KeyExchange is DPSP_MSG_KEYEXCHANGE (2.2.34): the client's keys for the host.
type KeyExchange struct {
	SessionKey []byte
	PublicKey  []byte
	Layout     Layout
}

// Command returns CmdKeyExchange.
func (m *KeyExchange) Command() Command { return CmdKeyExchange }

func (m *KeyExchange) fields(c *codec) {
	c.begin(&m.Layout)
	session := c.Size("SessionKeySize", len(m.SessionKey))
	sessionAt := c.Offset("SessionKeyOffset")
	public := c.Size("PublicKeySize", len(m.PublicKey))
	publicAt := c.Offset("PublicKeyOffset")
	c.FixedPart()
	c.OctetsAt(sessionAt, "SessionKey", &m.SessionKey, session)
	c.OctetsAt(publicAt, "PublicKey", &m.PublicKey, public)
}
