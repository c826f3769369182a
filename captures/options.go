package captures

// Options steer the reading of a capture. The zero value lets the traffic decide everything.
type Options struct {
	// Name is what findings call the file.
	Name string
	// Ports are taken for DirectPlay's without proof, TCP and UDP.
	Ports []uint16
	// MessageIDs says whether game messages carry the ids of sender and addressee; Auto goes by the session's
	// NOMESSAGEID flag, and assumes that they do while it is unknown.
	MessageIDs Choice
	// Reliable says whether UDP carries frames of the reliable protocol; Auto goes by the session's
	// DIRECTPLAYPROTOCOL flag, and assumes that it does not while it is unknown.
	Reliable Choice
	// Progress, if not nil, is told now and then how many octets of the input were read.
	Progress func(octets int64)
	// Waiting, if not nil, is called when all that the input gave so far is handed out, before Read waits for more of it:
	// what is held back can be shown.
	Waiting func()
	// Network, if not nil, is told what happens below the messages, between the calls that hand out records: a
	// connection that was refused carries none.
	Network func(*Event)
	// Packet, if not nil, is told of every packet, of whatever protocol, before the messages that it completes.
	Packet func(*Packet)
}

// A Choice settles a question or leaves it to the traffic.
type Choice uint8

// The choices.
const (
	Auto Choice = iota
	Yes
	No
)

// or returns the choice, or auto if it is left to the traffic.
func (c Choice) or(auto bool) bool { return c == Yes || c == Auto && auto }
