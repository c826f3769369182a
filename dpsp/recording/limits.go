package recording

// Limits of one packet and of what is remembered.
const (
	// maxSegment is how many octets of a message a TCP segment holds: what an IPv4 packet can, rounded down. Cards
	// that put segments together hand such ones to captures, too.
	maxSegment = 65000
	// maxDatagram is the largest UDP payload that an IPv4 packet can hold.
	maxDatagram = 65535 - 20 - 8
	// window is what every TCP segment announces. A receiver acknowledges before it would be exceeded, so that no
	// reader finds a sender that may not send.
	window = 65535
	// maxConnections bounds the TCP connections that are remembered. The oldest one is ended for a new one; if it
	// goes on, it begins anew.
	maxConnections = 4096
)
