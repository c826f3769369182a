package directplay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"dplay4/wire"
)

// The types of the chunks of an address, DPAID_ in dplobby.h. Names with a W are those whose text is UTF-16LE, the others' is
// 8-bit; both end with a zero character.
var (
	AddressTotalSize       = guid("1318f560-912c-11d0-9daa-00a0c90a43cb") // DWORD: the whole address
	AddressServiceProvider = guid("07d916c0-e0af-11cf-9c4e-00a0c905425e") // GUID
	AddressLobbyProvider   = guid("59b95640-9667-11d0-a77d-0000f803abfc") // GUID
	AddressPhone           = guid("78ec89a0-e0af-11cf-9c4e-00a0c905425e")
	AddressPhoneW          = guid("ba5a7a70-9dbf-11d0-9cc1-00a0c905425e")
	AddressModem           = guid("f6dcc200-a2fe-11d0-9c4f-00a0c905425e")
	AddressModemW          = guid("01fd92e0-a2ff-11d0-9c4f-00a0c905425e")
	AddressINet            = guid("c4a54da0-e0af-11cf-9c4e-00a0c905425e") // a name or number of a machine
	AddressINetW           = guid("e63232a0-9dbf-11d0-9cc1-00a0c905425e")
	AddressINetPort        = guid("e4524541-8ea5-11d1-8a96-006097b01411") // WORD
	AddressComPort         = guid("f2f0ce00-e0af-11cf-9c4e-00a0c905425e") // DPCOMPORTADDRESS
)

// guid reads a GUID of this package's own tables.
func guid(s string) wire.GUID {
	g, err := wire.ParseGUID(s)
	if err != nil {
		panic("directplay: " + s + ": " + err.Error())
	}
	return g
}

// MaxAddress is the size of the largest address that is taken, in octets. Those of games have some hundred.
const MaxAddress = 16 << 10

const (
	chunkHeader   = 20              // DPADDRESS: a GUID and a DWORD
	totalSizeSize = chunkHeader + 4 // the chunk that every address begins with
)

// A Chunk is one part of an address: DPCOMPOUNDADDRESSELEMENT, or DPADDRESS and what follows it.
type Chunk struct {
	Type wire.GUID
	Data []byte
}

// What is wrong with an address.
var (
	ErrAddressShort  = errors.New("the address ends within a chunk")
	ErrAddressLarge  = fmt.Errorf("larger than %d octets", MaxAddress)
	ErrAddressNoSize = errors.New("the first chunk is not the address's size")
	ErrAddressSize   = errors.New("the address's size does not agree with its chunks")
	ErrChunkSize     = errors.New("a chunk of the wrong size for its type")
)

// AddressSize returns the size of an address from its first chunk, for which b has to have 24 octets: what takes an address
// without its size, as InitializeConnection does, has to know how much of the game's memory to read.
func AddressSize(b []byte) (int, error) {
	if len(b) < totalSizeSize {
		return 0, ErrAddressShort
	}
	if !bytes.HasPrefix(b, appendHeader(nil, AddressTotalSize, 4)) {
		return 0, ErrAddressNoSize
	}
	switch n := binary.LittleEndian.Uint32(b[chunkHeader:]); {
	case n > MaxAddress:
		return 0, ErrAddressLarge
	case n < totalSizeSize:
		return 0, ErrAddressSize
	default:
		return int(n), nil
	}
}

// ParseAddress returns the chunks of an address, the first one with its size among them. They alias b. Octets behind the size
// that the address gives itself are not looked at; an address that does not begin with its size is taken as long as b is.
func ParseAddress(b []byte) ([]Chunk, error) {
	if len(b) > MaxAddress {
		return nil, ErrAddressLarge
	}
	if n, err := AddressSize(b); err == nil {
		if n > len(b) {
			return nil, fmt.Errorf("%w: it says %d octets, there are %d", ErrAddressSize, n, len(b))
		}
		b = b[:n]
	} else if !errors.Is(err, ErrAddressNoSize) {
		return nil, err
	}
	var chunks []Chunk
	for at := 0; at < len(b); {
		rest := b[at:]
		if len(rest) < chunkHeader {
			return nil, fmt.Errorf("%w: chunk %d at octet %d", ErrAddressShort, len(chunks), at)
		}
		size := binary.LittleEndian.Uint32(rest[16:])
		if uint64(size) > uint64(len(rest)-chunkHeader) {
			return nil, fmt.Errorf("%w: chunk %d at octet %d says %d octets", ErrAddressShort, len(chunks), at, size)
		}
		end := chunkHeader + int(size)
		chunks = append(chunks, Chunk{wire.GUID(rest[:16]), rest[chunkHeader:end:end]})
		at += end
	}
	return chunks, nil
}

// AppendAddress appends an address of the chunks to dst, with the chunk for its size before them.
func AppendAddress(dst []byte, chunks ...Chunk) []byte {
	dst = appendChunk(dst, AddressTotalSize, binary.LittleEndian.AppendUint32(nil, uint32(addressSize(chunks))))
	for _, c := range chunks {
		dst = appendChunk(dst, c.Type, c.Data)
	}
	return dst
}

// addressSize returns the size of the address that AppendAddress makes of the chunks.
func addressSize(chunks []Chunk) int {
	n := totalSizeSize
	for _, c := range chunks {
		n += chunkHeader + len(c.Data)
	}
	return n
}

func appendChunk(dst []byte, kind wire.GUID, data []byte) []byte {
	return append(appendHeader(dst, kind, len(data)), data...)
}

func appendHeader(dst []byte, kind wire.GUID, size int) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, kind[:]...), uint32(size))
}
