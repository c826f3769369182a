package stream

import (
	"net/netip"
	"time"
)

// A Key names one direction of a TCP connection.
type Key struct {
	Src, Dst netip.AddrPort
}

// String is "source > destination".
func (k Key) String() string { return k.Src.String() + " > " + k.Dst.String() }

// A Segment is one TCP segment as it was captured.
type Segment struct {
	Key           Key
	Seq           uint32 // of the SYN if there is one, else of Payload's first octet
	SYN, FIN, RST bool
	Payload       []byte    // read only during Add: the caller may use it again afterwards
	Cut           int       // octets after Payload that the segment had but the capture lacks (snap length)
	Frame         int       // the caller's number of the frame, handed back in Chunk
	Time          time.Time // when the frame was captured
}

// A Chunk is the next run of octets of a stream, in order.
type Chunk struct {
	Stream *Stream
	Data   []byte    // valid during the call; empty if and only if End
	Frame  int       // the frame Data came in; with End see there
	Time   time.Time // of that frame
	Lost   int64     // octets that are missing between the chunk before (or the stream's beginning) and this one
	// End says that the stream is over. Such a chunk stands alone, after the last one with Data, and can have
	// Lost. Frame is the frame whose FIN, RST, or SYN of a new connection ended the stream; after Flush, and
	// when the stream made room for another, it is the last frame of the stream.
	End bool
}

// A Stream is one direction of one TCP connection. Its counters go on changing after its End when more
// segments of the dead connection come, until the Assembler forgets it.
type Stream struct {
	Key    Key
	Midway bool // began without a SYN, so earlier octets may be missing; false again if the SYN came late
	User   any  // the caller's own
	Counters

	base, next int64 // positions (see unwrap): of the first octet, and of the next to be delivered
	gap        int64 // octets lost since the last chunk
	born       int64 // how many streams came before this one
	over       bool  // the chunk with End is out
	marked     bool  // a FIN or RST is among the pieces

	list[piece]        // what waits, by position, without overlaps
	pieces      int    // how many, the candidate included
	octets      int    // how many octets they hold
	candidate   *piece // a segment far from next that waits for a second one, or nil

	past  history
	holes []hole // the gaps that were given up, newest last

	frame int // of the last segment
	time  time.Time
	age   place[Stream] // in one of the Assembler's lists
}

// Counters account for the octets of a stream. Once nothing is held back (after its End)
//
//	Payload = Octets + Duplicate + Stray
//
// and Octets + Lost is the length of the sequence space from the stream's first octet to its last.
type Counters struct {
	Payload   int64 // octets in the segments
	Octets    int64 // delivered
	Duplicate int64 // came again, and were not delivered again
	Conflict  int64 // of Duplicate: came again with other content (as far as limits.history reaches back)
	Stray     int64 // not delivered although never seen before: the sum of Late, Before, and of what is implausible
	Late      int64 // of Stray: came after their gap was given up
	Before    int64 // of Stray: stand before the first octet of the stream
	Lost      int64 // never came, or too late
}

func (c *Counters) add(d *Counters) {
	c.Payload += d.Payload
	c.Octets += d.Octets
	c.Duplicate += d.Duplicate
	c.Conflict += d.Conflict
	c.Stray += d.Stray
	c.Late += d.Late
	c.Before += d.Before
	c.Lost += d.Lost
}

// unwrap returns the position of a sequence number: the 64-bit number that ends in those 32 bits and is nearest
// to the stream's next octet. It is the only place where sequence numbers wrap.
func (s *Stream) unwrap(seq uint32) int64 {
	return s.next + int64(int32(seq-uint32(s.next)))
}
