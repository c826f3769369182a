package reliable

import "dplay4/wire"

// Numbers of the specification.
const (
	Window         = 24 // messageids that can be outstanding on a link at a time (2.2.2)
	MaxMask        = 3  // octets of a NACK MASK (2.2.2)
	FirstMessageID = 1  // the messageid of the first message on a link (2.2.2); after 255 comes 0
	FirstSequence  = 1  // the sequence of the first frame on a link (3.1.3); after 255 comes 0

	maxIndexSize = 3 // octets of a player index (2.2.1)
)

// Limits of what an Assembler holds. They protect memory: the protocol has no total length that a frame could
// be held against.
const (
	// MaxMessage is the largest message, in octets: the same as without this protocol, where the size field
	// of the SP header sets it ([MC-DPL4CS] 2.2.6).
	MaxMessage = wire.MaxMessage
	// MaxFrames is how many frames can make up one message. It lets the largest message through in frames of
	// 64 octets, less than any transport carries, and ends one that grows by empty frames for ever.
	MaxFrames = 1 << 14
	// MaxHeld bounds the octets of all unfinished messages of one Assembler. A sender that means well has
	// one large message under way and small ones beside it; 24 of the largest would be 24 MiB for each link.
	MaxHeld = 4 * MaxMessage
)
