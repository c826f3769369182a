package wire

import "dplay4/wire/internal/field"

// SessionDesc is DPSESSIONDESC2 (2.2.5): what a session is. Its name and password stand elsewhere in the
// message that holds it.
type SessionDesc struct {
	size            field.Override
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
	c.Open("SessionDesc")
	c.Implied("Size", &d.size, SessionDescSize)
	c.Flags("Flags", (*uint32)(&d.Flags), sessionFlagString)
	c.guid("InstanceGUID", &d.Instance)
	c.guid("ApplicationGUID", &d.Application)
	c.U32("MaxPlayers", &d.MaxPlayers)
	c.U32("CurrentPlayerCount", &d.CurrentPlayers)
	c.Hex32("SessionName", &d.NamePointer)
	c.Hex32("Password", &d.PasswordPointer)
	c.Hex32("Reserved1", &d.Reserved1)
	c.Hex32("Reserved2", &d.Reserved2)
	c.Hex32("ApplicationDefined1", &d.User[0])
	c.Hex32("ApplicationDefined2", &d.User[1])
	c.Hex32("ApplicationDefined3", &d.User[2])
	c.Hex32("ApplicationDefined4", &d.User[3])
	c.Close()
}

// sessionDescAt is a session description at an offset.
func (c *codec) sessionDescAt(s field.Slot, d *SessionDesc) {
	if c.Seek(s, true, false) {
		from := c.Off
		c.sessionDesc(d)
		c.Claim(s, from)
	}
}
