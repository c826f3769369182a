package dpl8

import "dplay4/wire"

// SendConnectInfo is DN_SEND_CONNECT_INFO (2.2.1.4): the receiver has joined the session, and this is its name table.
// Offsets and sizes are computed. Texts and octets are nil where there is none; decoded, they alias the message.
type SendConnectInfo struct {
	descSize                override // dwSize, if it is not that of the description
	Flags                   SessionFlags
	MaxPlayers              uint32 // 0: no maximum
	CurrentPlayers          uint32
	Instance                wire.GUID // guidInstance
	Application             wire.GUID // guidApplication
	ID                      DPNID     // dpnid: the receiver's own
	Table                   NameTable
	ApplicationReservedData []byte
	ReservedData            []byte
	Password                wire.Text
	SessionName             wire.Text
	Reply                   []byte
	Layout                  Layout
}

// Type gives TypeSendConnectInfo.
func (m *SendConnectInfo) Type() Type { return TypeSendConnectInfo }

func (m *SendConnectInfo) fields(c *codec) {
	c.begin(&m.Layout)
	reply := c.partFields("dwReplyOffset", "dwReplySize", len(m.Reply))
	c.implied("dwSize", &m.descSize, descSize)
	c.flags("dwFlags", (*uint32)(&m.Flags), sessionFlagString)
	c.u32("dwMaxPlayers", &m.MaxPlayers)
	c.u32("dwCurrentPlayers", &m.CurrentPlayers)
	name := c.partFields("dwSessionNameOffset", "dwSessionNameSize", len(m.SessionName))
	password := c.partFields("dwPasswordOffset", "dwPasswordSize", len(m.Password))
	reserved := c.partFields("dwReservedDataOffset", "dwReservedDataSize", len(m.ReservedData))
	application := c.partFields("dwApplicationReservedDataOffset", "dwApplicationReservedDataSize", len(m.ApplicationReservedData))
	c.guid("guidInstance", &m.Instance)
	c.guid("guidApplication", &m.Application)
	c.id("dpnid", &m.ID)
	entries := c.nameTable(&m.Table)
	c.fixedPart()
	c.nameTableParts(&m.Table, entries)
	c.dataAt(application, "ApplicationReservedData", &m.ApplicationReservedData)
	c.dataAt(reserved, "ReservedData", &m.ReservedData)
	c.textAt(password, "Password", &m.Password)
	c.textAt(name, "SessionName", &m.SessionName)
	c.dataAt(reply, "Reply", &m.Reply)
}
