package sock

import "net/netip"

// A datagram is one that came to a socket.
type datagram struct {
	from netip.AddrPort
	data []byte
	told []byte // what the system says of it, where it was asked to
}

const (
	// largest is the largest datagram that there can be.
	largest = 1 << 16
	// toldMost is more than the system says of a datagram.
	toldMost = 128
)
