package stream

import "time"

// limits bound what an Assembler believes, how long it waits and what it keeps.
type limits struct {
	// window, in octets, is how far from the next octet a segment may begin, before or after it, to be taken
	// at its word. A random sequence number passes with a chance of 1 in 128.
	window int
	// jump, in octets, is the longest gap after which a stream is still the same; at least window.
	jump int
	// heldSegments is how many pieces may wait behind the gaps of one stream. A piece is what one segment
	// brought that was new; a cut and an early FIN are pieces too. With full segments it is a little over heldOctets.
	heldSegments int
	// heldOctets is how many octets may wait behind the gaps of one stream: sixteen times the largest window
	// without scaling, so a sender has long stopped for want of the missing octets.
	heldOctets int
	// heldTotal, in octets, bounds the memory of all that waits in all streams, with its overhead. The free buffers
	// that are kept for reuse come on top, at most 4 MiB.
	heldTotal int
	// cutSegments is how many pieces may wait behind octets that the capture cut off. A retransmission of a cut
	// segment is cut as well, as a rule; but where two captures were merged the other one may have it whole, a
	// few frames later.
	cutSegments int
	// gapAge is how long, in capture time, a piece waits behind a gap: on a connection with the usual first
	// time-outs the fifth and last retransmission of Windows comes after about 10 s, and the seventh of Linux
	// after 26 s. What did not come by then was missed by the capture, not by the receiver.
	gapAge time.Duration
	// streams is how many streams are remembered, the ended ones included. To make room the ended stream goes
	// that was idle longest, or else the open one, which is ended.
	streams int
	// history is how many delivered octets of each stream are kept to compare retransmissions with, a power of two.
	history int
}

// usual are the limits of an Assembler. Tests set lower ones, which are reached sooner.
var usual = limits{
	window: 16 << 20, jump: 256 << 20, heldSegments: 1024, heldOctets: 1 << 20, heldTotal: 64 << 20,
	cutSegments: 8, gapAge: 30 * time.Second, streams: 4096, history: 16 << 10,
}
