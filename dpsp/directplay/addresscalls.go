package directplay

import (
	"net/netip"

	"dplay4/wire"
)

// CreateAddress is IDirectPlayLobby::CreateAddress: an address of a service provider and one chunk.
func CreateAddress(provider, kind *wire.GUID, data []byte, b *Buffer) wire.HResult {
	if provider == nil || kind == nil {
		return wire.ErrInvalidParams
	}
	return CreateCompoundAddress([]Chunk{{AddressServiceProvider, provider[:]}, {*kind, data}}, b)
}

// CreateCompoundAddress is IDirectPlayLobby2::CreateCompoundAddress. Chunks of types that are not known here are kept as they
// are (Wine's test_EnumAddresses), and so are texts in either width, whichever interface is asked.
func CreateCompoundAddress(elements []Chunk, b *Buffer) wire.HResult {
	if len(elements) == 0 || addressSize(elements) > MaxAddress {
		return wire.ErrInvalidParams
	}
	return b.put(Block{Data: AppendAddress(nil, elements...)}, Face{})
}

// EnumAddress is IDirectPlayLobby::EnumAddress: the chunks that the game's callback is given, if it gave one. The chunk with
// the size is one of them (Wine's test_GetPlayerAddress). An address that is no address is DPERR_INVALIDPARAMS and calls
// nobody; what Windows does with one is not known.
func EnumAddress(address []byte, callback bool) ([]Chunk, wire.HResult) {
	if !callback {
		return nil, wire.ErrInvalidParams
	}
	chunks, err := ParseAddress(address)
	if err != nil {
		return nil, wire.ErrInvalidParams
	}
	return chunks, wire.OK
}

// EnumAddressTypes is IDirectPlayLobby::EnumAddressTypes: the types of chunks that an address of a provider needs. A provider
// that is not known has none.
func EnumAddressTypes(provider *wire.GUID, flags uint32, callback bool) ([]wire.GUID, wire.HResult) {
	switch {
	case flags != 0, !callback:
		return nil, wire.ErrInvalidParams
	case provider == nil:
		return nil, wire.ErrInvalidObject
	}
	p, _ := pick(providers, func(p Provider) bool { return p.GUID == *provider })
	return p.Types, wire.OK
}

// PlayerAddress returns what IDirectPlay3::GetPlayerAddress says of a player whose machine has an address: the provider, and
// the address as text in both widths, without a port (Wine's test_GetPlayerAddress: 130 octets for 127.0.0.1).
func PlayerAddress(provider wire.GUID, machine netip.Addr) []byte {
	text := machine.Unmap().WithZone("").String()
	return AppendAddress(nil,
		Chunk{AddressServiceProvider, provider[:]},
		Chunk{AddressINet, append([]byte(text), 0)},
		Chunk{AddressINetW, wire.NewText(text)})
}
