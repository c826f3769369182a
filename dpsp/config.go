package dpsp

import (
	"net/netip"
	"time"

	"dplay4/wire"
)

// A Config says what an [Engine] is and how it behaves. It is read once, by [New].
type Config struct {
	// Seed is where all randomness of the engine comes from: instance GUIDs, Reserved1, GUIDs of fragmented
	// messages. The same seed and the same inputs give the same outputs. Package sock draws it and records it.
	Seed [32]byte
	// Dialect is the version word of what we send; 0 means DX9, 14.
	Dialect wire.Dialect
	// Stream is our TCP listener as others are to know it. Its port goes into every header; its address does
	// only if it is set, for a machine that others reach by another address than the one packets come from.
	Stream netip.AddrPort
	// Datagram is our UDP socket, likewise.
	Datagram netip.AddrPort
	// Strict drops messages whose sender cannot have sent them: a DELETEPLAYER for another machine's player, a
	// SESSIONDESCCHANGED from somebody who is not the host. Without it any machine may say anything, as with
	// Windows (section 5.1), except where the session heals after a cut: see the package documentation.
	Strict bool
	// Reply is the reliable API timer: how long a request to the host may stay unanswered; 0 means 5 s (3.1.2.2). The
	// last word of a newcomer, which the host answers when its members know of it, may stay so Populate longer.
	Reply time.Duration
	// Tries is how often such a request is sent before it fails; 0 means once, as the specification has it. A
	// second try helps against a host that was busy, not against one that is gone.
	Tries int
	// Legacy has the engine do without the extension, as a machine with Windows or Wine does: it says no hello and
	// ignores what others say beyond DirectPlay 4.
	Legacy bool
	// Populate is the name table population timer: how long a newcomer waits for the members to acknowledge it;
	// 0 means 15 s (3.2.2.1). A member that let one wait in vain is not waited for again, until it acknowledges one.
	Populate time.Duration
	// Period is the ping timer; 0 means 35 s (3.1.2.5).
	Period time.Duration
	// Probes is how many pings in a row may stay unanswered before a machine is lost; 0 means 8 (3.1.6.2).
	Probes int
	// MaxDatagram is the largest datagram that is sent in one piece, in octets; 0 means 65,507, the largest that
	// UDP can carry, which is what Windows and Wine send. Larger messages go in PACKET fragments. At least 256.
	MaxDatagram int
	// MaxStream is the largest message that is sent over TCP in one piece, in octets with its SP header; 0 means
	// wire.MaxMessage, the largest that the size field can say. Larger ones go in PACKET2_DATA fragments. At least 256.
	MaxStream int
}

// The timers and limits of the specification.
const (
	DefaultReply    = 5 * time.Second
	DefaultPopulate = 15 * time.Second
	DefaultPeriod   = 35 * time.Second
	DefaultProbes   = 8
	maxUDP          = 65507
	leastPiece      = 256 // a fragment has 68 octets before its data
)

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	if c.Dialect == 0 {
		c.Dialect = wire.DX9
	}
	if c.Reply == 0 {
		c.Reply = DefaultReply
	}
	if c.Tries <= 0 {
		c.Tries = 1
	}
	if c.Populate == 0 {
		c.Populate = DefaultPopulate
	}
	if c.Period == 0 {
		c.Period = DefaultPeriod
	}
	if c.Probes == 0 {
		c.Probes = DefaultProbes
	}
	c.MaxDatagram = within(c.MaxDatagram, maxUDP)
	c.MaxStream = within(c.MaxStream, wire.MaxMessage)
	return c
}

// within gives a size between leastPiece and most; most for none.
func within(n, most int) int {
	if n <= 0 {
		return most
	}
	return min(max(n, leastPiece), most)
}
