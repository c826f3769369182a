package dpsp

import "net/netip"

// An Input is one thing that happened. The zero Input says that nothing did but that time passed.
type Input struct {
	Kind Kind
	// From is where it came from: the remote end of the connection or the source of the datagram. For
	// StreamEnded and StreamClosed it is the TCP listener that our connection led to.
	From netip.AddrPort
	// Data is the message with its SP header, or the datagram. It is read only during Step.
	Data []byte
	// Err is why a connection could not be made, for StreamEnded.
	Err error
	// Lost reports, for StreamEnded, that messages which were written to the connection may not have arrived.
	Lost bool
	// Anew reports, for StreamClosed, that another connection to From has come about since.
	Anew bool
	// Command is what the program wants, if Kind is Request.
	Command Command
	// Token comes back in the Done event of a Request.
	Token uint64
}

// A Kind says what an Input is.
type Kind uint8

// The kinds of inputs.
const (
	Elapsed      Kind = iota // time passed
	Stream                   // a whole message came over TCP
	Datagram                 // a datagram came
	StreamEnded              // our outgoing connection to From was closed by the other side, or could not be made
	StreamClosed             // likewise, and whoever was there has not been heard of since: it is gone
	Request                  // the program wants Command done
)
