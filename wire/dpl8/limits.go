package dpl8

import "dplay4/wire/internal/field"

// Limits of what is decoded and encoded. They protect memory, not taste: no list is allocated before its count was
// held against one of these and against the octets that are left.
const (
	// MaxMessage is the largest message with its packet type, in octets. The specification sets none.
	MaxMessage = 1 << 24
	// MaxList bounds the entries, the memberships and the operations of one message each. The index of an id has 20
	// bits (2.2.7), but no session comes near.
	MaxList = field.MaxList
)

// Sizes of the fixed structures, in octets.
const (
	typeSize       = 4  // dwPacketType: offsets count from behind it
	entrySize      = 48 // DN_NAMETABLE_ENTRY_INFO (2.2.1.5)
	membershipSize = 16 // DN_NAMETABLE_MEMBERSHIP_INFO (2.2.1.6)
	operationSize  = 12 // dwMsgId, dwOpOffset and dwOpSize (2.2.2.10)
	descSize       = 80 // dwSize through guidApplication (2.2.1.4)
)
