package dpsp

import (
	"net/netip"
	"time"

	"dplay4/dpsp/reliable"
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
	// Compatible believes members about each other, as Windows does (section 5.1): a DELETEPLAYER for another machine's
	// player, a SESSIONDESCCHANGED from somebody who is not the host. Without it nobody is believed but about what is its
	// own, and the host about everything. Who is not in the session is believed by neither: see the package documentation.
	Compatible bool
	// Reply is the reliable API timer: how long a request to the host may stay unanswered; 0 means 5 s (3.1.2.2). The
	// last word of a newcomer, which the host answers when its members know of it, may stay so Populate longer.
	Reply time.Duration
	// Tries is how often such a request is sent before it fails; 0 means once, as the specification has it. A
	// second try helps against a host that was busy, not against one that is gone.
	Tries int
	// Text says in which encoding the strings of commands go out, by game; GUID zero stands for every game. For a game
	// that is not in the map, what one machine alone gets is in the encoding that it was heard to write. What all get is in
	// that of the session's name if another machine gave it, in 8 bits as soon as one member writes so, and else in UTF-16.
	// A string with characters that Windows-1252 lacks is in UTF-16 in any case. The map must not be changed any more.
	Text map[wire.GUID]wire.Encoding
	// Legacy has the engine do without the extension, as a machine with Windows or Wine does: it bears no mark, says no hello and
	// ignores what others say beyond DirectPlay 4.
	Legacy bool
	// Populate is the name table population timer: how long a newcomer may wait for the members to acknowledge it; 0 means 15 s
	// (3.2.2.1). A host ends the wait a third of it after ADDFORWARD, or 2/15 of it after the last acknowledgement if that is
	// earlier: 5 s and 2 s. A member that let one wait in vain is not waited for again, until it acknowledges one.
	Populate time.Duration
	// Period is the ping timer; 0 means 35 s (3.1.2.5).
	Period time.Duration
	// Grid, if it is not 0, is a time at which the ping timer elapses, and every Period before and after it, as with Windows:
	// its Period is 7.5 s, and the first ping to a newcomer comes at that rhythm, too (facts, 10.2). With 0 the timer begins
	// with the first machine that is watched.
	Grid time.Duration
	// Probes is how many pings in a row may stay unanswered before a machine is lost; 0 means 8 (3.1.6.2).
	Probes int
	// MaxDatagram is the largest datagram that is sent in one piece, in octets; 0 means 65,507, the largest that
	// UDP can carry, which is what Windows and Wine send. Larger messages go in PACKET fragments. At least 256.
	MaxDatagram int
	// MaxStream is the largest message that is sent over TCP in one piece, in octets with its SP header; 0 means
	// wire.MaxMessage, the largest that the size field can say. Larger ones go in PACKET2_DATA fragments. At least 256.
	MaxStream int
	// Readings answer what [MC-DPL4R] leaves open, towards machines that are not ours (facts, reliable 8). The zero Readings are
	// those under which what is sent means the same either way, as far as that can be had.
	Readings Readings
}

// Readings are one answer to each of the questions D1 to D7. Those of package dpsp/reliable are documented there. In addition:
//
//   - D2, links are of machines or of players: of players. System messages go between system players. A peer may count for a whole machine.
//   - D5, the receiver of a message to everybody: the machine's system player. A message to a group goes to each of its players there. One to
//     our system player is for all our players, and another machine's system player may speak for its players.
//   - D6, ids before a game message: none. They are taken off where a peer has them in every message.
type Readings struct {
	reliable.Options      // D1 to D4, D7
	EachPlayer       bool // D5: what is for everybody is sent to each player of a machine, not to its system player
	WithIDs          bool // D6: what the game says has the ids of sender and addressee before it
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

// The engine adds its timers to its time, so both are bounded, and no sum overflows.
const (
	// endOfTime is the latest time that an engine knows, 146 years. No timer elapses after it.
	endOfTime = Never / 2
	// longest is the longest timer that can be configured, four and a half years.
	longest = Never / 64
	// maxProbes bounds Probes: nobody waits for a million pings.
	maxProbes = 1 << 20
)

// multiple returns n times a timer, Never / 4 at most.
func multiple(timer time.Duration, n int) time.Duration {
	if timer > 0 && time.Duration(n) > Never/4/timer {
		return Never / 4
	}
	return timer * time.Duration(n)
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	if c.Dialect == 0 {
		c.Dialect = wire.DX9
	}
	if c.Reply <= 0 {
		c.Reply = DefaultReply
	}
	if c.Tries <= 0 {
		c.Tries = 1
	}
	if c.Populate <= 0 {
		c.Populate = DefaultPopulate
	}
	if c.Period <= 0 {
		c.Period = DefaultPeriod
	}
	if c.Probes <= 0 {
		c.Probes = DefaultProbes
	}
	c.Probes = min(c.Probes, maxProbes)
	c.Reply, c.Populate, c.Period = min(c.Reply, longest), min(c.Populate, longest), min(c.Period, longest)
	c.MaxDatagram = within(c.MaxDatagram, maxUDP)
	c.MaxStream = within(c.MaxStream, wire.MaxMessage)
	return c
}

// within returns a size between leastPiece and most; most for none.
func within(n, most int) int {
	if n <= 0 {
		return most
	}
	return min(max(n, leastPiece), most)
}

// header returns the SP header of what we send.
func (c *Config) header() wire.SPHeader {
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: c.Stream.Port()}}
	if a := c.Stream.Addr().Unmap(); a.Is4() {
		sp.SockAddr.Addr = a.As4()
	}
	return sp
}

// spData returns the service provider data of our players: where we listen, and the mark of the extension if we know it.
func (c *Config) spData() []byte {
	sp := c.header()
	d := wire.SPData{Stream: sp.SockAddr, Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: c.Datagram.Port()}}
	if a := c.Datagram.Addr().Unmap(); a.Is4() {
		d.Datagram.Addr = a.As4()
	}
	if !c.Legacy {
		d.Mark()
	}
	return d.Append(nil)
}
