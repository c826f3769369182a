package directplay

import (
	"slices"

	"dplay4/wire"
)

// The service providers of Windows, DPSPGUID_ in dplay.h.
var (
	ProviderIPX    = guid("685bc400-9d2c-11cf-a9cd-00aa006886e3")
	ProviderTCPIP  = guid("36e95ee0-8577-11cf-960c-0080c7534e82")
	ProviderSerial = guid("0f1d6860-88d9-11cf-9c4e-00a0c905425e")
	ProviderModem  = guid("44eaa760-cb68-11cf-9c4e-00a0c905425e")
)

// What EnumConnections is asked for, DPCONNECTION_ in dplay.h.
const (
	ConnectionDirectPlay      = 1
	ConnectionDirectPlayLobby = 2
)

// ProviderMajor and ProviderMinor are the version that DirectPlayEnumerate tells of each provider.
const (
	ProviderMajor = 6
	ProviderMinor = 0
)

// A Provider is a service provider.
type Provider struct {
	GUID  wire.GUID
	Name  string
	Types []wire.GUID // of the chunks that its addresses need
	TCP   bool        // this implementation plays with it, over TCP/IP
}

// providers are those of Windows, in the order of their names, which is the order of the registry of Windows NT: games make
// their buttons by the number of providers, so that all have to be there (seen with Seven Kingdoms). An address of TCP/IP
// needs one type of chunk (Wine's test_EnumAddressTypes); those of modem and serial are guessed from the types that there are.
var providers = []Provider{
	{ProviderTCPIP, "Internet TCP/IP Connection For DirectPlay", []wire.GUID{AddressINet}, true},
	{ProviderIPX, "IPX Connection For DirectPlay", nil, true}, // nobody has IPX: what asks for it plays over TCP/IP
	{ProviderModem, "Modem Connection For DirectPlay", []wire.GUID{AddressPhone, AddressModem}, false},
	{ProviderSerial, "Serial Connection For DirectPlay", []wire.GUID{AddressComPort}, false},
}

// EnumProviders is DirectPlayEnumerate: what its callback is given, if the game gave one.
func EnumProviders(callback bool) ([]Provider, wire.HResult) {
	if !callback {
		return nil, wire.ErrInvalidParams
	}
	return slices.Clone(providers), wire.OK
}

// A Connection is what EnumConnections tells of a provider: what InitializeConnection takes.
type Connection struct {
	Provider wire.GUID
	Name     string // the short name of a DPNAME that has no other
	Address  []byte // of 80 octets: its size, the provider, and an empty chunk without a type (Wine's test_EnumConnections)
	Flags    uint32
}

// EnumConnections is IDirectPlay3::EnumConnections: what its callback is given, if the game gave one. Flags of zero ask for
// service providers. The callback hears the flags that were asked with (Wine's test_EnumConnections). There are no lobby
// providers.
func EnumConnections(flags uint32, callback bool) ([]Connection, wire.HResult) {
	if flags == 0 {
		flags = ConnectionDirectPlay
	}
	switch {
	case flags&(ConnectionDirectPlay|ConnectionDirectPlayLobby) == 0:
		return nil, wire.ErrInvalidFlags
	case !callback:
		return nil, wire.ErrInvalidParams
	case flags&ConnectionDirectPlay == 0:
		return nil, wire.OK
	}
	var list []Connection
	for _, p := range providers {
		address := AppendAddress(nil, Chunk{AddressServiceProvider, p.GUID[:]}, Chunk{})
		list = append(list, Connection{p.GUID, p.Name, address, flags})
	}
	return list, wire.OK
}

// ReadConnection is what InitializeConnection makes of an address: DPERR_INVALIDPARAMS if it is none or names no provider,
// DPERR_UNAVAILABLE if the provider is not one that is played with here. The dialog answers what the address leaves open.
func ReadConnection(address []byte, d Dialog) (Network, wire.HResult) {
	n, err := ReadAddress(address)
	if err != nil || n.Provider.IsZero() {
		return Network{}, wire.ErrInvalidParams
	}
	if n.Lobby || !played(n.Provider) {
		return Network{}, wire.ErrUnavailable
	}
	return n.Answered(d), wire.OK
}

// played reports whether a game that asks for the provider can play.
func played(provider wire.GUID) bool {
	return slices.ContainsFunc(providers, func(p Provider) bool { return p.GUID == provider && p.TCP })
}
