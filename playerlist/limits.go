package playerlist

import "dplay4/wire"

// Limits of one list. An operation beyond them is refused with [ErrFull] or [ErrTooLarge].
const (
	// MaxRows bounds players and groups together: an id's index has 16 bits (3.2.5.4).
	MaxRows = wire.MaxPlayers

	// MaxEntryOctets bounds the names and data of one player or group: CREATEPLAYER, which announces them, has
	// to fit in the largest message. Its other parts are both headers, five DWORDs, the fixed part of the
	// packed player and six octets at the end (2.2.21).
	MaxEntryOctets = wire.MaxMessage - wire.SPHeaderSize - wire.HeaderSize - 20 - wire.PackedPlayerFixed - 6

	// MaxSessionOctets bounds the session's name and password together: they stand in SUPERENUMPLAYERSREPLY
	// behind both headers, seven DWORDs and the description (2.2.53).
	MaxSessionOctets = wire.MaxMessage - wire.SPHeaderSize - wire.HeaderSize - 28 - wire.SessionDescSize

	// MaxOctets bounds all names and data of a list together, 64 octets for each of MaxRows: a short name and
	// the service provider's 32. Without it 65,536 players could each bring a message full of data.
	MaxOctets = 64 * MaxRows

	// MaxLinks bounds memberships and shortcuts together: each takes four octets in SUPERENUMPLAYERSREPLY, and
	// a list with more could not be sent to anybody.
	MaxLinks = wire.MaxMessage / 4

	// MaxLogOps bounds the operations that a list remembers. [MC-DPL8CS] 2.2.6 lets members forget every four
	// operations what all have; this is room for one that lags behind by a session's whole evening.
	MaxLogOps = 1024

	// MaxLogOctets bounds what the remembered operations take, with logOpOctets for each besides its names and
	// data: one large SetData after the other must not cost more than this.
	MaxLogOctets = 1 << 18

	// logOpOctets is about what an operation takes in memory without its names and data.
	logOpOctets = 160

	// smallOctets is up to where the names and data of one entry share a block of memory. A block stays as long
	// as any part of it, so this is all that a changed name can leave behind.
	smallOctets = 256
)
