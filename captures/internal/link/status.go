package link

import (
	"cmp"
	"fmt"
	"strconv"

	"dplay4/captures/internal/pcapfile"
)

// A Kind says what became of a packet. Every packet is exactly one kind, so the counts add up to the file's.
type Kind uint8

// The kinds.
const (
	KindUnit      Kind = iota + 1 // a Unit came out
	KindHeld                      // a fragment: a later Unit, Status or Incomplete names it in its Frames
	KindSkipped                   // no TCP and no UDP, or headers cut off; Reason says what it is
	KindMalformed                 // its receiver would have dropped it; Layer, Offset and Text say why
)

// String gives the kind in one word.
func (k Kind) String() string {
	switch k {
	case KindUnit:
		return "unit"
	case KindHeld:
		return "held"
	case KindSkipped:
		return "skipped"
	case KindMalformed:
		return "malformed"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// A Status says what became of a packet.
type Status struct {
	Kind   Kind
	Reason Reason // KindSkipped
	Layer  string // KindMalformed: the header at fault: "Ethernet", "IPv4", "TCP", ...
	// Offset is, for KindMalformed, where that header begins: octets from the beginning of the frame, or of the
	// datagram if Frames is not nil.
	Offset int
	Text   string // KindMalformed: what is wrong, in a few words
	// Frames holds, for KindSkipped and KindMalformed, the numbers of all frames of a datagram that was put together
	// from fragments; nil if the status is about this frame alone. It is the caller's.
	Frames []int
}

// String says it in a line.
func (s Status) String() string {
	switch s.Kind {
	case KindSkipped:
		return "skipped: " + s.Reason.String()
	case KindMalformed:
		where := " at octet "
		if s.Frames != nil {
			where = " of the reassembled datagram at octet "
		}
		return "malformed: " + s.Layer + where + strconv.Itoa(s.Offset) + ": " + s.Text
	}
	return s.Kind.String()
}

// A Reason says why a packet was skipped. It is comparable: count with a map[Reason]int.
type Reason struct {
	Why   Why
	Value uint32 // for the classes that say so, else 0
}

// A Why is the class of a Reason.
type Why uint8

// The classes.
const (
	WhyARP        Why = iota + 1 // Address Resolution Protocol
	WhyICMP                      // Internet Control Message Protocol, for IPv4
	WhyICMPv6                    // the same for IPv6
	WhyIGMP                      // Internet Group Management Protocol
	WhyNoNext                    // an IPv6 packet without content (No Next Header)
	WhyLLC                       // IEEE 802.3 frame with a length instead of an EtherType
	WhyCut                       // the snap length cut the packet inside its headers
	WhyIPProtocol                // Value: another protocol over IP
	WhyEtherType                 // Value: another EtherType
	WhyPPP                       // Value: another protocol over PPP
	WhyFamily                    // Value: another address family in a BSD loopback header
	WhyLinkType                  // Value: a link type that this package does not strip
)

// String says it in a few words: a line of a summary.
func (r Reason) String() string {
	switch r.Why {
	case WhyARP:
		return "ARP"
	case WhyICMP:
		return "ICMP"
	case WhyICMPv6:
		return "ICMPv6"
	case WhyIGMP:
		return "IGMP"
	case WhyNoNext:
		return "IPv6 without content"
	case WhyLLC:
		return "IEEE 802.3 LLC"
	case WhyCut:
		return "headers cut by the snap length"
	case WhyIPProtocol:
		return "IP protocol " + strconv.Itoa(int(r.Value))
	case WhyEtherType:
		return fmt.Sprintf("EtherType 0x%04x", r.Value)
	case WhyPPP:
		return fmt.Sprintf("PPP protocol 0x%04x", r.Value)
	case WhyFamily:
		return "address family " + strconv.FormatUint(uint64(r.Value), 10)
	case WhyLinkType:
		return "link type " + pcapfile.LinkType(r.Value).String()
	}
	return "Why(" + strconv.Itoa(int(r.Why)) + ")"
}

// Compare orders reasons by class, then value, for lists that come out the same every time.
func (r Reason) Compare(o Reason) int {
	return cmp.Or(cmp.Compare(r.Why, o.Why), cmp.Compare(r.Value, o.Value))
}

func skipped(why Why, value uint32) Status {
	return Status{Kind: KindSkipped, Reason: Reason{why, value}}
}

func malformed(layer string, off int, text string) Status {
	return Status{Kind: KindMalformed, Layer: layer, Offset: off, Text: text}
}
