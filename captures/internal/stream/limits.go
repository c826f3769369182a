package stream

import (
	"cmp"
	"math/bits"
	"time"
)

// Limits bound what an Assembler believes, how long it waits and what it keeps. A field that is zero (or
// negative, where nothing else is said) takes its default. They must not change after the first Add.
type Limits struct {
	// Window, in octets, is how far from the next octet a segment may begin, before or after it, to be taken
	// at its word. The default is 16 MiB, at most 1 GiB (RFC 7323 allows no larger window). A random sequence
	// number passes with a chance of 1 in 128.
	Window int
	// Jump, in octets, is the longest gap after which a stream is still the same (see Assembler.Add on segments
	// outside the window). The default is 256 MiB; less than Window is Window, more than 1 GiB is 1 GiB.
	Jump int
	// HeldSegments is how many pieces may wait behind the gaps of one stream. A piece is what one segment
	// brought that was new; a cut and an early FIN are pieces too. The default is 1024: with full segments a
	// little over HeldOctets.
	HeldSegments int
	// HeldOctets is how many octets may wait behind the gaps of one stream. The default is 1 MiB: sixteen
	// times the largest window without scaling, so a sender has long stopped for want of the missing octets.
	HeldOctets int
	// HeldTotal, in octets, bounds the memory of all that waits in all streams, with its overhead. The default
	// is 64 MiB. The free buffers that are kept for reuse come on top, at most 4 MiB.
	HeldTotal int
	// CutSegments is how many pieces may wait behind octets that the capture cut off. A retransmission of a cut
	// segment is cut as well, as a rule; but where two captures were merged the other one may have it whole, a
	// few frames later. The default is 8; negative is none.
	CutSegments int
	// GapAge is how long, in capture time, a piece waits behind a gap. The default is 30 s: on a connection with
	// the usual first time-outs the fifth and last retransmission of Windows comes after about 10 s, and the
	// seventh of Linux after 26 s. What did not come by then was missed by the capture, not by the receiver.
	GapAge time.Duration
	// Streams is how many streams are remembered, the ended ones included. The default is 4096. To make room
	// the ended stream goes that was idle longest, or else the open one, which is ended.
	Streams int
	// History is how many delivered octets of each stream are kept to compare retransmissions with, rounded
	// down to a power of two, at most 1 MiB. The default is 16 KiB; negative is none, and then Conflict counts
	// only what differs from octets still waiting.
	History int
}

const (
	maxWindow  = 1 << 30
	maxHistory = 1 << 20
)

// withDefaults returns the limits that hold.
func (l Limits) withDefaults() Limits {
	l.Window = min(orDefault(l.Window, 16<<20), maxWindow)
	l.Jump = min(max(orDefault(l.Jump, 256<<20), l.Window), maxWindow)
	l.HeldSegments = orDefault(l.HeldSegments, 1024)
	l.HeldOctets = orDefault(l.HeldOctets, 1<<20)
	l.HeldTotal = orDefault(l.HeldTotal, 64<<20)
	l.GapAge = orDefault(l.GapAge, 30*time.Second)
	l.Streams = orDefault(l.Streams, 4096)
	l.CutSegments = max(cmp.Or(l.CutSegments, 8), 0)
	l.History = min(max(cmp.Or(l.History, 16<<10), 0), maxHistory)
	l.History = 1 << bits.Len(uint(l.History)) >> 1 // the highest bit
	return l
}

func orDefault[T int | time.Duration](v, normal T) T {
	if v <= 0 {
		return normal
	}
	return v
}
