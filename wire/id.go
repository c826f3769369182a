package wire

import "dplay4/wire/internal/field"

// PlayerID identifies a player, a group or a system player (3.2.5.4). It prints as 0x000384c9.
type PlayerID uint32

// The ids that name nobody in particular.
const (
	IDAll     PlayerID = 0          // everybody; as a system message's addressee: whoever receives it
	IDServer  PlayerID = 1          // the one server player of a client/server session
	IDUnknown PlayerID = 0xFFFFFFFF // no player
)

// String returns the id in hexadecimal, as all of this project prints it.
func (id PlayerID) String() string { return field.HexWord(uint32(id), 8) }

// Index is the raw index of an id as frames of the reliable protocol carry it ([MC-DPL4R] 2.2.1): the id
// without the mask that Reserved1 of the session description is, and without the part that makes it unique.
func (id PlayerID) Index(reserved1 uint32) uint16 { return uint16(uint32(id) ^ reserved1) }
