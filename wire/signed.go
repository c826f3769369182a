package wire

// Signed is DPSP_MSG_SIGNED (2.2.52): a message with its signature, in a secure session.
type Signed struct {
	From      PlayerID // IDFrom: the sender's system player
	Flags     SignedFlags
	Inner     Inner  // Message, from its signature on; Octets alone if it is encrypted
	Signature []byte // follows the message
	Layout    Layout
}

// Command gives CmdSigned.
func (m *Signed) Command() Command { return CmdSigned }

func (m *Signed) fields(c *codec) {
	c.begin(&m.Layout)
	var octets []byte
	if c.enc {
		octets = c.innerOctets("Message", &m.Inner)
	}
	c.id("IDFrom", &m.From)
	at := c.offset("DataOffset")
	n := c.size("DataSize", len(octets))
	signature := c.size("SignatureSize", len(m.Signature))
	c.flags("Flags", (*uint32)(&m.Flags), signedFlagString)
	c.fixedPart()
	if !c.seek(at, true, false) {
		return
	}
	from := c.off
	if c.enc {
		c.octets("Message", &octets, 0)
	} else {
		c.inner("Message", &m.Inner, c.length(n), m.Flags&SignedEncrypted == 0)
	}
	c.octets("Signature", &m.Signature, c.length(signature))
	c.claimPart(at, from)
}
