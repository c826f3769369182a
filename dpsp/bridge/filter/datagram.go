package filter

import (
	"encoding/binary"
	"time"

	"dplay4/wire"
)

// maxDatagram is the largest datagram of UDP over IPv4.
const maxDatagram = 65507

// Datagrams checks what the machine in a slot sends to the game's UDP port. It is for one goroutine.
type Datagrams struct{ checker *checker }

// NewDatagrams returns a check by a rule.
func NewDatagrams(rule Rule) *Datagrams { return &Datagrams{newChecker(rule)} }

// Check returns a *Violation if a datagram must not reach the game. Addresses that are taken for a slot's are written over.
func (d *Datagrams) Check(b []byte) error {
	if v := d.check(b); v != nil {
		return v
	}
	return nil
}

func (d *Datagrams) check(b []byte) *Violation {
	switch {
	case len(b) == 0:
		return &Violation{Reason: "it is empty"}
	case len(b) > maxDatagram:
		return &Violation{Reason: "it is larger than a datagram can be"}
	case d.checker.rule.Framed != nil && d.checker.rule.Framed():
		if !unframed(b) {
			return nil // a frame: its sender says it again until it arrives, whatever is in it
		}
	case bare(b):
		return &Violation{Reason: "it is a system message without an SP header"}
	case !isSystem(b):
		return nil // a message of the game
	}
	return d.checker.system(b)
}

// unframed reports whether a datagram is a system message and no frame. The signature alone can be the game's (facts, reliable 2), so
// the header has to be right as well. Wine looks at no token and knows no frames: to it a message that can have addresses may be
// shorter than its datagram. No frame of a game is like that, unless the game itself sends such messages.
func unframed(b []byte) bool {
	if !isSystem(b) || len(b) < wire.SPHeaderSize+wire.HeaderSize {
		return false
	}
	head := binary.LittleEndian.Uint32(b)
	size := int(head & wire.MaxMessage)
	return size == len(b) && wire.Token(head>>20).Known() ||
		size <= len(b) && bears[wire.Command(binary.LittleEndian.Uint16(b[wire.SPHeaderSize+4:]))]
}

// toItself is a command that Wine sends to itself.
const toItself = 1000

// bare reports whether a datagram is what Wine takes for a system message without an SP header. By itself nobody says such, and
// some end its program (facts, bridge 4).
func bare(b []byte) bool {
	if !wire.HasSignature(b) || len(b) < wire.HeaderSize {
		return false
	}
	c := wire.Command(binary.LittleEndian.Uint16(b[4:]))
	return c.Known() || c == toItself
}

// whole checks that the size of a header is that of the datagram. Wine hears no more datagrams after one that is smaller than its
// size says, or whose size is less than a header's (facts, bridge 4).
func whole(b []byte) *Violation {
	if size := int(binary.LittleEndian.Uint32(b) & wire.MaxMessage); size != len(b) {
		return &Violation{Message: "SPHEADER", Field: "size", Reason: "it is not that of the datagram"}
	}
	return nil
}

// Limits of requests for sessions.
const (
	// MaxRequest is the size in octets of the largest: 52 octets and a password.
	MaxRequest = 4096
	// requests may come at once, and then one each requestEvery. Games ask once or twice a second, of each of their sockets.
	requests     = 20
	requestEvery = 100 * time.Millisecond
)

// Requests checks what the machine in a slot sends to port 47624, where hosts are asked for their sessions. It is for one
// goroutine.
type Requests struct {
	checker *checker
	full    time.Duration // when all may come at once again
}

// NewRequests returns a check by a rule.
func NewRequests(rule Rule) *Requests { return &Requests{checker: newChecker(rule)} }

// Check returns a *Violation if a request that comes now, by whatever transport, must not reach the game. Now counts from any
// beginning.
func (r *Requests) Check(now time.Duration, b []byte) error {
	if v := r.check(b); v != nil {
		return v
	}
	if r.full > now+(requests-1)*requestEvery {
		return &Violation{Message: wire.CmdEnumSessions.String(), Reason: "too many come"}
	}
	r.full = max(r.full, now) + requestEvery
	return nil
}

func (r *Requests) check(b []byte) *Violation {
	switch {
	case len(b) < wire.SPHeaderSize+wire.HeaderSize || !wire.HasSignature(b[wire.SPHeaderSize:]) ||
		wire.Command(binary.LittleEndian.Uint16(b[wire.SPHeaderSize+4:])) != wire.CmdEnumSessions:
		return &Violation{Reason: "it is no request for sessions"}
	case len(b) > MaxRequest:
		return &Violation{Message: wire.CmdEnumSessions.String(), Reason: "it is too large"}
	}
	return r.checker.system(b)
}
