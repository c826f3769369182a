package wire

// Signed is DPSP_MSG_SIGNED (2.2.52): a message with its signature, in a secure session.
type Signed struct {
	From      PlayerID // IDFrom: the sender's system player
	Flags     SignedFlags
	Inner     Inner  // Message, from its signature on; Octets alone if it is encrypted
	Signature []byte // follows the message
	Layout    Layout
}

// Command returns CmdSigned.
func (m *Signed) Command() Command { return CmdSigned }

func (m *Signed) fields(c *codec) {
	c.begin(&m.Layout)
	var octets []byte
	if c.Encoding {
		octets = c.innerOctets("Message", &m.Inner)
	}
	c.id("IDFrom", &m.From)
	at := c.Offset("DataOffset")
	n := c.Size("DataSize", len(octets))
	signature := c.Size("SignatureSize", len(m.Signature))
	c.Flags("Flags", (*uint32)(&m.Flags), signedFlagString)
	c.FixedPart()
	if !c.Seek(at, true, false) {
		return
	}
	from := c.Off
	if c.Encoding {
		c.Octets("Message", &octets, 0)
	} else {
		c.inner("Message", &m.Inner, c.Length(n), m.Flags&SignedEncrypted == 0)
	}
	c.Octets("Signature", &m.Signature, c.Length(signature))
	c.Claim(at, from)
}
