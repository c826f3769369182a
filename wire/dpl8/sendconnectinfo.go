package dpl8

import (
	"dplay4/wire"
	"dplay4/wire/internal/field"
)

// SendConnectInfo is DN_SEND_CONNECT_INFO (2.2.1.4): the receiver has joined the session, and this is its name table.
// Offsets and sizes are computed. Texts and octets are nil where there is none; decoded, they alias the message.
type SendConnectInfo struct {
	descSize                field.Override // dwSize, if it is not that of the description
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
	Layout                  wire.Layout
}

// Type returns TypeSendConnectInfo.
func (m *SendConnectInfo) Type() Type { return TypeSendConnectInfo }

func (m *SendConnectInfo) fields(c *codec) {
	c.begin(&m.Layout)
	reply := c.Pair("dwReplyOffset", "dwReplySize", len(m.Reply))
	c.Implied("dwSize", &m.descSize, descSize)
	c.Flags("dwFlags", (*uint32)(&m.Flags), sessionFlagString)
	c.U32("dwMaxPlayers", &m.MaxPlayers)
	c.U32("dwCurrentPlayers", &m.CurrentPlayers)
	name := c.Pair("dwSessionNameOffset", "dwSessionNameSize", len(m.SessionName))
	password := c.Pair("dwPasswordOffset", "dwPasswordSize", len(m.Password))
	reserved := c.Pair("dwReservedDataOffset", "dwReservedDataSize", len(m.ReservedData))
	application := c.Pair("dwApplicationReservedDataOffset", "dwApplicationReservedDataSize", len(m.ApplicationReservedData))
	c.guid("guidInstance", &m.Instance)
	c.guid("guidApplication", &m.Application)
	c.id("dpnid", &m.ID)
	entries := c.nameTable(&m.Table)
	c.FixedPart()
	c.nameTableParts(&m.Table, entries)
	c.dataAt(application, "ApplicationReservedData", &m.ApplicationReservedData)
	c.dataAt(reserved, "ReservedData", &m.ReservedData)
	c.textAt(password, "Password", &m.Password)
	c.textAt(name, "SessionName", &m.SessionName)
	c.dataAt(reply, "Reply", &m.Reply)
}
