package link

// A Kind says what became of a packet. Every packet is exactly one kind, so the counts add up to the file's.
type Kind uint8

// The kinds.
const (
	KindUnit      Kind = iota + 1 // a Unit came out
	KindHeld                      // a fragment: a later Unit, Status or Incomplete names it in its Frames
	KindSkipped                   // no TCP and no UDP, or headers cut off; Reason says what it is
	KindMalformed                 // its receiver would have dropped it; Layer, Offset and Text say why
)

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

// A Reason says why a packet was skipped.
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
	WhyLLC                       // IEEE 802.3 frame with a length instead of an EtherType; Value: its first two octets, DSAP and SSAP
	WhyCut                       // the snap length cut the packet inside its headers
	WhyIPProtocol                // Value: another protocol over IP
	WhyEtherType                 // Value: another EtherType
	WhyPPP                       // Value: another protocol over PPP
	WhyFamily                    // Value: another address family in a BSD loopback header
	WhyLinkType                  // Value: a link type that this package does not strip
)

func skipped(why Why, value uint32) Status {
	return Status{Kind: KindSkipped, Reason: Reason{why, value}}
}

func malformed(layer string, off int, text string) Status {
	return Status{Kind: KindMalformed, Layer: layer, Offset: off, Text: text}
}
