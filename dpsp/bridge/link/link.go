// Package link connects the machines of a bridged session, each with each, wherever they are: over the way that ICE finds,
// or over a TURN server, whichever works at the moment. Whoever does not know the secret of the session's code gets no
// further than the handshake. What is above sees streams and datagrams, and does not notice when the way changes.
//
// # How
//
// A machine has one QUIC endpoint, below which lies one packet connection of its own (socket), whose addresses are machines. It
// knows the paths to each: from our allocation on a relay to theirs (allocation, tenant), and the connection that ICE has found
// (director). Signed probes measure each path (probe, paths), and each packet goes over the best one. While that does not
// answer, packets go over the next one as well, and after a second over it alone. So QUIC sees no change but in the round trip.
// What is no probe is only taken from where a probe of a member came from, so strangers do not even reach QUIC.
//
// A machine asks relays for the allocation that its tag stands for, so that it has the same address after the relay began
// anew; the meeting address, too, is an allocation with a tag. Over a link both sides tell each other, on a stream of their own,
// their relayed addresses and the candidates of ICE (signal).
package link

import (
	"context"
	"encoding/hex"
	"io"
	"net/netip"
	"time"
)

// An ID names a machine: the first octets of the SHA-256 of its public key, which it makes anew at each start.
type ID [16]byte

// String returns the first eight digits, which is enough to tell machines of one session apart.
func (id ID) String() string { return hex.EncodeToString(id[:4]) }

// A Network is this machine's way to the others of a session.
type Network interface {
	// ID returns our own.
	ID() ID
	// Ready waits until a relay has given us an address. It fails with ErrNoRelay, and why, once none does.
	Ready(ctx context.Context) error
	// Addresses returns our relayed addresses, at which others reach us; none while no relay answers.
	Addresses() []netip.AddrPort
	// Relays says how it stands with each relay of the code.
	Relays() []Relay
	// Meet begins or ends to answer at the address that the code names, where newcomers knock. Who begins takes the address
	// over from who had it. Whoever wants to know whether another one has taken it over knocks.
	Meet(on bool)
	// Meeting returns the addresses at which we answer newcomers, one of each relay of the code, not valid where there is none.
	// A relay that is not ours gives them ports of its own, which the code has to name then.
	Meeting() []netip.AddrPort
	// Knock connects to who answers at the address that the code names; ErrOurselves if it is us.
	Knock(ctx context.Context) (Link, error)
	// Dial connects to the machine, and to no other. at are the relayed addresses at which it was last known.
	Dial(ctx context.Context, id ID, at []netip.AddrPort) (Link, error)
	// Accept returns the next connection that another machine made. Its ID is proved, and so is that it knows the secret.
	Accept(ctx context.Context) (Link, error)
	// Close ends all links.
	Close() error
}

// A Link is a connection with one other machine. It outlives changes of the way below it. It is down when Context is done.
type Link interface {
	// ID returns the other machine's, which it has proved.
	ID() ID
	// OpenStream begins a stream. The other side learns of it with the first octets.
	OpenStream(ctx context.Context) (Stream, error)
	// AcceptStream returns the next stream that the other side began.
	AcceptStream(ctx context.Context) (Stream, error)
	// SendDatagram sends what may be lost, of at most MaxDatagram octets. It does not block and keeps nothing of data.
	SendDatagram(data []byte) error
	// ReceiveDatagram returns the next datagram. Those that came before it was first called are lost.
	ReceiveDatagram(ctx context.Context) ([]byte, error)
	// Way returns how the octets go at the moment; nothing while the other side does not answer.
	Way() Way
	// Context is done when the link is down; context.Cause says why.
	Context() context.Context
	// Close ends the link. The other side is told the reason.
	Close(reason string) error
}

// A Stream carries octets both ways, in order, with an end of its own each way, as a TCP connection does.
type Stream interface {
	io.Reader // io.EOF where the other side has closed its half
	io.Writer
	// CloseWrite ends our half in good order, as FIN does.
	CloseWrite() error
	// Reset ends both halves at once, as RST does: the other side's Read and Write give ErrReset.
	Reset()
}

// MaxDatagram is the size in octets of the largest datagram of a Link: what a datagram of UDP can hold, and what a bridge puts
// before it. Those that are larger than the way takes in one packet are carried whole nonetheless.
const MaxDatagram = 65507 + 16

// A Way says how octets go to the other machine.
type Way struct {
	Direct bool   // not over a relay
	Over   string // the pair of candidates, or the relay's address and its transport, for people
	RTT    time.Duration
	Loss   float64 // the part of the last probes that got no answer, 0 to 1
}
