package dpl8

import "dplay4/wire"

// ReqUpdateInfo is DN_REQ_UPDATE_INFO (2.2.5.1): a participant asks for another name or other data. Name and Data are
// nil where there is none; decoded, they alias the message.
type ReqUpdateInfo struct {
	Context   uint32    // dwPacketContext: comes back in DN_UPDATE_INFO
	ID        DPNID     // dpnid: whose information it is
	InfoFlags InfoFlags // what changes; without the bit, what is in the message means nothing
	Name      wire.Text
	Data      []byte
	Layout    Layout
}

// Type gives TypeReqUpdateInfo.
func (m *ReqUpdateInfo) Type() Type { return TypeReqUpdateInfo }

// UpdateInfo is DN_UPDATE_INFO (2.2.5.2): a name or data have changed. Name and Data are nil where there is none;
// decoded, they alias the message.
type UpdateInfo struct {
	Context        uint32 // dwPacketContext: as in the request
	ID             DPNID  // dpnid: whose information it is
	Version        uint32
	VersionNotUsed uint32 // kept
	InfoFlags      InfoFlags
	Name           wire.Text
	Data           []byte
	Requesting     DPNID // dpnidRequesting
	Layout         Layout
}

// Type gives TypeUpdateInfo.
func (m *UpdateInfo) Type() Type { return TypeUpdateInfo }

func (m *ReqUpdateInfo) fields(c *codec) {
	c.begin(&m.Layout)
	c.hex32("dwPacketContext", &m.Context)
	c.id("dpnid", &m.ID)
	c.flags("dwInfoFlags", (*uint32)(&m.InfoFlags), infoFlagString)
	name := c.partFields("dwNameOffset", "dwNameSize", len(m.Name))
	data := c.partFields("dwDataOffset", "dwDataSize", len(m.Data))
	c.fixedPart()
	c.dataAt(data, "data", &m.Data)
	c.textAt(name, "name", &m.Name)
}

func (m *UpdateInfo) fields(c *codec) {
	c.begin(&m.Layout)
	c.hex32("dwPacketContext", &m.Context)
	c.id("dpnid", &m.ID)
	c.version(&m.Version, &m.VersionNotUsed)
	c.flags("dwInfoFlags", (*uint32)(&m.InfoFlags), infoFlagString)
	name := c.partFields("dwNameOffset", "dwNameSize", len(m.Name))
	data := c.partFields("dwDataOffset", "dwDataSize", len(m.Data))
	c.id("dpnidRequesting", &m.Requesting)
	c.fixedPart()
	c.dataAt(data, "data", &m.Data)
	c.textAt(name, "name", &m.Name)
}
