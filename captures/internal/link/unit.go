package link

import (
	"net/netip"
	"strconv"
	"time"
)

// A Proto is the transport protocol of a unit: its number in the IP header.
type Proto uint8

// The protocols of a Unit.
const (
	TCP Proto = 6
	UDP Proto = 17
)

// String returns the protocol's name, or "IP protocol" and its number.
func (p Proto) String() string {
	switch p {
	case TCP:
		return "TCP"
	case UDP:
		return "UDP"
	}
	return "IP protocol " + strconv.Itoa(int(p))
}

// A Unit is one TCP segment or UDP datagram.
type Unit struct {
	Proto    Proto
	Src, Dst netip.AddrPort
	Time     time.Time // of the frame that completed it
	// Frames holds the numbers of all frames it was made of, in the order of the file. For a unit of one
	// frame it is reused by the next Decode; for one put together from fragments it is the caller's.
	Frames  []int
	Payload []byte // what follows the TCP or UDP header; valid until the next Decode
	// Cut is how many octets the capture lacks at the end of Payload because of the snap length.
	Cut           int
	Seq           uint32 // TCP: sequence number of the first octet, or of the SYN
	Ack           uint32 // TCP: sequence number of the octet that is expected; 0 without the flag ACK
	SYN, FIN, RST bool   // TCP
	ACK           bool   // TCP
}
