package dpl8

import (
	"encoding/binary"

	"dplay4/wire"
	"dplay4/wire/internal/field"
)

// DPNID identifies a player or a group in a session (2.2.7). Zero is no id.
type DPNID uint32

// The parts of a DPNID before it is obfuscated (2.2.7): an index in the lowest 20 bits and a version above them.
const (
	dpnidIndexBits = 20
	dpnidIndexMask = 1<<dpnidIndexBits - 1
)

// NewDPNID makes the id of an entry from its index and the version of the name table when the entry was added, hidden
// behind the session's instance GUID (2.2.7). Of the index 20 bits count, of the version the lowest 12.
func NewDPNID(index, version uint32, instance wire.GUID) DPNID {
	return DPNID(index&dpnidIndexMask|version<<dpnidIndexBits) ^ dpnidMask(instance)
}

// Index is the entry's index in the name table, given the session's instance GUID.
func (d DPNID) Index(instance wire.GUID) uint32 {
	return uint32(d^dpnidMask(instance)) & dpnidIndexMask
}

// Version is the lowest 12 bits of the version of the name table when the entry was added.
func (d DPNID) Version(instance wire.GUID) uint32 {
	return uint32(d^dpnidMask(instance)) >> dpnidIndexBits
}

// dpnidMask is the first DWORD of the GUID, as the ids of the example of section 4 need it: 0x94BE8123 of
// {94be8123-...} makes 0x948E8120 of index 3 and version 3.
func dpnidMask(instance wire.GUID) DPNID { return DPNID(binary.LittleEndian.Uint32(instance[:])) }

// String returns the id in hex, "0x948e8120".
func (d DPNID) String() string { return field.HexWord(uint32(d), 8) }
