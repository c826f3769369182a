package dpl8

import "dplay4/wire"

// ConnectInfo is DN_INTERNAL_MESSAGE_PLAYER_CONNECT_INFO (2.2.1.1), or from DNETVersion 7 on its extended form
// DN_INTERNAL_MESSAGE_PLAYER_CONNECT_INFO_EX (2.2.1.2): a participant asks the host to let it in. Offsets and sizes are
// computed. Texts and octets are nil where there is none; decoded, they alias the message.
type ConnectInfo struct {
	Flags            ConnectFlags
	DNETVersion      DNETVersion
	Instance         wire.GUID // guidInstance; zero: any
	Application      wire.GUID // guidApplication
	AlternateAddress []byte    // alternateAddressData: structures of 2.2.9 and 2.2.10; the extended form alone has it
	URL              URL
	ConnectData      []byte
	Password         wire.Text
	Data             []byte
	Name             wire.Text
	Layout           wire.Layout
}

// Type returns TypeConnectInfo.
func (m *ConnectInfo) Type() Type { return TypeConnectInfo }

// AckConnectInfo is DN_ACK_CONNECT_INFO (2.2.1.8): DN_SEND_CONNECT_INFO was received. It has no fields.
type AckConnectInfo struct {
	Layout wire.Layout
}

// Type returns TypeAckConnectInfo.
func (m *AckConnectInfo) Type() Type { return TypeAckConnectInfo }

// SendPlayerDPNID is DN_SEND_PLAYER_DPNID (2.2.1.10): a peer tells the one it connected to who it is.
type SendPlayerDPNID struct {
	ID     DPNID // dpnID
	Layout wire.Layout
}

// Type returns TypeSendPlayerDPNID.
func (m *SendPlayerDPNID) Type() Type { return TypeSendPlayerDPNID }

func (m *ConnectInfo) fields(c *codec) {
	c.begin(&m.Layout)
	c.Flags("dwFlags", (*uint32)(&m.Flags), connectFlagString)
	c.Named("dwDNETVersion", (*uint32)(&m.DNETVersion), dnetVersionName)
	name := c.Pair("dwNameOffset", "dwNameSize", len(m.Name))
	data := c.Pair("dwDataOffset", "dwDataSize", len(m.Data))
	password := c.Pair("dwPasswordOffset", "dwPasswordSize", len(m.Password))
	connect := c.Pair("dwConnectDataOffset", "dwConnectDataSize", len(m.ConnectData))
	url := c.Pair("dwURLOffset", "dwURLSize", len(m.URL))
	c.guid("guidInstance", &m.Instance)
	c.guid("guidApplication", &m.Application)
	alternate, extended := 0, m.DNETVersion >= DirectX90
	switch {
	case extended:
		alternate = c.Pair("dwAlternateAddressDataOffset", "dwAlternateAddressDataSize", len(m.AlternateAddress))
	case len(m.AlternateAddress) > 0: // encoding: the older form has no room for it
		c.Fail("alternateAddressData", c.Off, 0, wire.ErrValue)
	}
	c.FixedPart()
	if extended {
		c.dataAt(alternate, "alternateAddressData", &m.AlternateAddress)
	}
	c.urlAt(url, &m.URL)
	c.dataAt(connect, "connectData", &m.ConnectData)
	c.textAt(password, "Password", &m.Password)
	c.dataAt(data, "data", &m.Data)
	c.textAt(name, "name", &m.Name)
}

func (m *AckConnectInfo) fields(c *codec) { c.begin(&m.Layout) }

func (m *SendPlayerDPNID) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnID", &m.ID)
}
