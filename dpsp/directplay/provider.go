package directplay

import (
	"cmp"
	"slices"

	"dplay4/wire"
)

// The service providers of Windows, DPSPGUID_ in dplay.h.
var (
	ProviderIPX    = guid("685bc400-9d2c-11cf-a9cd-00aa006886e3")
	ProviderTCP    = guid("36e95ee0-8577-11cf-960c-0080c7534e82")
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
}

// providers are those of Windows, in the order of their names, which is the order of the registry of Windows NT: games make
// their buttons by the number of providers, so that all have to be there (seen with Seven Kingdoms). An address of TCP/IP
// needs one type of chunk (Wine's test_EnumAddressTypes); those of modem and serial are guessed from the types that there are.
var providers = []Provider{
	{ProviderTCP, "Internet TCP/IP Connection For DirectPlay", []wire.GUID{AddressINet}},
	{ProviderIPX, "IPX Connection For DirectPlay", nil},
	{ProviderModem, "Modem Connection For DirectPlay", []wire.GUID{AddressPhone, AddressModem}},
	{ProviderSerial, "Serial Connection For DirectPlay", []wire.GUID{AddressComPort}},
}

// EnumProviders is DirectPlayEnumerate: what its callback is given, if the game gave one.
func EnumProviders(callback bool) ([]Provider, wire.HResult) {
	if !callback {
		return nil, wire.ErrInvalidParams
	}
	return slices.Clone(providers), wire.OK
}

// An Offer is what EnumConnections tells of a provider: what InitializeConnection takes.
type Offer struct {
	Provider wire.GUID
	Name     string // the short name of a DPNAME that has no other
	Address  []byte // of 80 octets: its size, the provider, and an empty chunk without a type (Wine's test_EnumConnections)
	Flags    uint32
}

// EnumConnections is IDirectPlay3::EnumConnections: what its callback is given, if the game gave one. Flags of zero ask for
// service providers. The callback hears the flags that were asked with (Wine's test_EnumConnections). There are no lobby
// providers.
func EnumConnections(flags uint32, callback bool) ([]Offer, wire.HResult) {
	flags = cmp.Or(flags, ConnectionDirectPlay)
	switch {
	case flags&(ConnectionDirectPlay|ConnectionDirectPlayLobby) == 0:
		return nil, wire.ErrInvalidFlags
	case !callback:
		return nil, wire.ErrInvalidParams
	case flags&ConnectionDirectPlay == 0:
		return nil, wire.OK
	}
	var list []Offer
	for _, p := range providers {
		address := AppendAddress(nil, Chunk{AddressServiceProvider, p.GUID[:]}, Chunk{})
		list = append(list, Offer{p.GUID, p.Name, address, flags})
	}
	return list, wire.OK
}
