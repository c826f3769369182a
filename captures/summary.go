package captures

import "dplay4/captures/links"

// A Summary accounts for a file: every frame, and every octet of every DirectPlay stream.
type Summary struct {
	File     string
	Frames   int // in the file
	Messages int // records handed out

	// Frames by what became of them, together Frames.
	FramesWith  int // carried octets of DirectPlay, as far as that was clear when they came
	FramesOther int // TCP and UDP without such octets: acknowledgements, other protocols
	FramesNotIP int // neither TCP nor UDP over IP, or malformed

	TCP Account // octets of the TCP streams that speak DirectPlay
	UDP Account // octets of UDP datagrams that do

	Streams     int   // TCP streams that speak DirectPlay, each direction that carried octets counted
	Duplicate   int64 // octets of those streams that came again before their ends
	Stray       int64 // likewise, that belong nowhere: before the beginning, after a gap was given up, far from the rest
	Unproven    int   // datagrams on the usual ports that nothing shows to be DirectPlay
	Unclaimed   int64 // their octets
	DirectPlay8 int   // datagrams of sockets that speak DirectPlay 8; their octets are among OtherOctets
	OtherOctets int64 // octets of TCP and UDP that are not DirectPlay

	Links []*links.Link // directions between two players of the reliable protocol, in the order in which they were met
	Peers []*links.Peer // machines that sent frames of it, likewise

	Findings int          // in all
	ByCode   map[Code]int // findings by their code
}

// An Account says what became of the octets of DirectPlay traffic: Octets = Decoded + the sum of Skipped.
// Lost octets were sent but are not in the file, as far as that can be seen.
type Account struct {
	Octets  int64
	Decoded int64
	Skipped [numReasons]int64
	Lost    int64
}

// Balanced reports whether every octet is accounted for.
func (a *Account) Balanced() bool {
	n := a.Decoded
	for _, s := range a.Skipped {
		n += s
	}
	return n == a.Octets
}

// A Reason says why octets of a DirectPlay stream were not decoded.
type Reason int

// The reasons.
const (
	SkipBefore     Reason = iota // before the first header of a stream that began before the capture
	SkipNoHeader                 // where a header should be and none is
	SkipIncomplete               // of a message whose end is missing
	SkipMalformed                // of a message that does not decode
	SkipTrailing                 // of a datagram, after the size that its header gives
	SkipLimit                    // of messages given up because too many were unfinished at once
	numReasons
)

// Reasons lists the reasons in the order of Account.Skipped.
func Reasons() []Reason {
	return []Reason{SkipBefore, SkipNoHeader, SkipIncomplete, SkipMalformed, SkipTrailing, SkipLimit}
}

// String returns the reason as a phrase.
func (r Reason) String() string {
	return [...]string{
		"before the first header of a stream that began before the capture", "no header where one should be",
		"of messages whose end is missing", "of messages that do not decode", "after the size in a datagram's header",
		"of messages given up: too many unfinished at once",
	}[r]
}
