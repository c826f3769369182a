package reliable

// A Reading is what a peer was seen to do where the specification can be read in two ways (D1 to D7).
type Reading uint8

// The readings.
const (
	OneSpace     Reading = iota // D1: reliable and unreliable messages have one space of messageids
	TwoSpaces                   // D1: each kind has its own
	FromZero                    // its first messageid is 0, not 1
	Running                     // D4: sequences count on from message to message
	Always1                     // D4: the sequences of each message begin at 1
	NACKs                       // D7: it sends NACKs
	AcksHoles                   // it acknowledges what it did not get
	CountsOthers                // its bytes received are more than was sent: it counts what is no Data frame
	OneForAll                   // D2: all links of its machine have one space of messageids
	NoFrames                    // it has no reliable protocol
	readingCount
)

var readingNames = [readingCount]string{
	"one space of messageids for reliable and unreliable messages (D1)",
	"a space of messageids for reliable and one for unreliable messages (D1)",
	"its first messageid is 0",
	"sequences count on through the link (D4)",
	"the sequences of each message begin at 1 (D4)",
	"it sends NACKs (D7)",
	"it acknowledges messages that it did not get",
	"it counts more octets than were sent in Data frames",
	"one space of messageids for all players of a machine (D2)",
	"it does not speak the protocol, so it is sent messages as in a session without it",
}

// String returns the reading in words.
func (r Reading) String() string {
	if int(r) < len(readingNames) {
		return readingNames[r]
	}
	return ""
}

// readings are those of a peer.
type readings [readingCount]bool

// learn notes a reading, and tells of it once.
func (l *Link) learn(r Reading) {
	if !l.learned[r] {
		l.learned[r] = true
		l.out.Learned = append(l.out.Learned, r)
	}
}

// Learned reports whether the peer was seen to do so.
func (l *Link) Learned(r Reading) bool { return l.learned[r] }
