package reliable

// A Result is what became of a frame.
type Result struct {
	Verdict Verdict
	Message []byte    // if Complete: the message, nil if it is empty; see Assembler.Add for what it aliases
	Dropped []Dropped // messages given up because of this frame, the oldest first
}

// A Verdict says what an Assembler did with a frame.
type Verdict uint8

// The verdicts.
const (
	Ignored  Verdict = iota // it is no Data frame, or one with EXT (2.2.2)
	Outside                 // its messageid is outside the window, so it must be ignored (3.1.5.2)
	Refused                 // it is a second start of a message, or the message was given up for its size
	Repeated                // it or its whole message was received before; if it is reliable, an ACK was lost
	Kept                    // the message still lacks frames
	Complete                // the message is whole
)

var verdictNames = [...]string{"ignored", "outside the window", "refused", "repeated", "kept", "complete"}

// String returns the verdict in words.
func (v Verdict) String() string { return nameOf(verdictNames[:], uint8(v)) }

// A Dropped message is one that was given up before all its frames had come.
type Dropped struct {
	MessageID uint8
	Reliable  bool
	Frames    int // that came, each counted once
	Octets    int // of data in them
	Reason    Reason
}

// A Reason says why a message was dropped.
type Reason uint8

// The reasons.
const (
	Expired    Reason = iota + 1 // a messageid came that is 24 or more later (3.1.5.2)
	TooLarge                     // more than MaxMessage octets or MaxFrames frames
	LinkFull                     // more than MaxHeld octets on the link
	Unfinished                   // the link ended: Flush
)

var reasonNames = [...]string{"", "24 messageids behind", "message too large", "too many octets unfinished", "link ended"}

// String returns the reason in words.
func (r Reason) String() string { return nameOf(reasonNames[:], uint8(r)) }

func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return ""
}
