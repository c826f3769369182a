package wire

// SessionDesc is DPSESSIONDESC2 (2.2.5): what a session is. Its name and password stand elsewhere in the
// message that holds it.
type SessionDesc struct {
	size            override
	Flags           SessionFlags
	Instance        GUID      // InstanceGUID: this session
	Application     GUID      // ApplicationGUID: this game
	MaxPlayers      uint32    // 0: no limit
	CurrentPlayers  uint32    // CurrentPlayerCount
	NamePointer     uint32    // SessionName: ignored on receipt; Windows sends garbage
	PasswordPointer uint32    // Password: likewise
	Reserved1       uint32    // the mask from which ids are made (3.2.5.4)
	Reserved2       uint32    // for future use
	User            [4]uint32 // ApplicationDefined1 to 4: the game's own
}

func (c *codec) sessionDesc(d *SessionDesc) {
	c.open("SessionDesc")
	c.implied("Size", &d.size, SessionDescSize)
	c.flags("Flags", (*uint32)(&d.Flags), sessionFlagString)
	c.guid("InstanceGUID", &d.Instance)
	c.guid("ApplicationGUID", &d.Application)
	c.u32("MaxPlayers", &d.MaxPlayers)
	c.u32("CurrentPlayerCount", &d.CurrentPlayers)
	c.hex32("SessionName", &d.NamePointer)
	c.hex32("Password", &d.PasswordPointer)
	c.hex32("Reserved1", &d.Reserved1)
	c.hex32("Reserved2", &d.Reserved2)
	c.hex32("ApplicationDefined1", &d.User[0])
	c.hex32("ApplicationDefined2", &d.User[1])
	c.hex32("ApplicationDefined3", &d.User[2])
	c.hex32("ApplicationDefined4", &d.User[3])
	c.close()
}

// sessionDescAt is a session description at an offset.
func (c *codec) sessionDescAt(s slot, d *SessionDesc) {
	if c.seek(s, true, false) {
		from := c.off
		c.sessionDesc(d)
		c.claimPart(s, from)
	}
}
