package wire

// AccessGranted is DPSP_MSG_ACCESSGRANTED (2.2.7): the client was authenticated.
type AccessGranted struct {
	PublicKey []byte // the sender's signed public key; the specification says 24 octets
	Layout    Layout
}

// Command returns CmdAccessGranted.
func (m *AccessGranted) Command() Command { return CmdAccessGranted }

func (m *AccessGranted) fields(c *codec) {
	c.begin(&m.Layout)
	n := c.Size("PublicKeySize", len(m.PublicKey))
	at := c.Offset("PublicKeyOffset")
	c.FixedPart()
	c.OctetsAt(at, "PublicKey", &m.PublicKey, n)
}
