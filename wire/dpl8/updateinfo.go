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
	Layout    wire.Layout
}

// Type returns TypeReqUpdateInfo.
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
	Layout         wire.Layout
}

// Type returns TypeUpdateInfo.
func (m *UpdateInfo) Type() Type { return TypeUpdateInfo }

func (m *ReqUpdateInfo) fields(c *codec) {
	c.begin(&m.Layout)
	c.Hex32("dwPacketContext", &m.Context)
	c.id("dpnid", &m.ID)
	c.Flags("dwInfoFlags", (*uint32)(&m.InfoFlags), infoFlagString)
	name := c.Pair("dwNameOffset", "dwNameSize", len(m.Name))
	data := c.Pair("dwDataOffset", "dwDataSize", len(m.Data))
	c.FixedPart()
	c.dataAt(data, "data", &m.Data)
	c.textAt(name, "name", &m.Name)
}

func (m *UpdateInfo) fields(c *codec) {
	c.begin(&m.Layout)
	c.Hex32("dwPacketContext", &m.Context)
	c.id("dpnid", &m.ID)
	c.version(&m.Version, &m.VersionNotUsed)
	c.Flags("dwInfoFlags", (*uint32)(&m.InfoFlags), infoFlagString)
	name := c.Pair("dwNameOffset", "dwNameSize", len(m.Name))
	data := c.Pair("dwDataOffset", "dwDataSize", len(m.Data))
	c.id("dpnidRequesting", &m.Requesting)
	c.FixedPart()
	c.dataAt(data, "data", &m.Data)
	c.textAt(name, "name", &m.Name)
}
