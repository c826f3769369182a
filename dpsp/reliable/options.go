package reliable

import "time"

// Options answer the questions that [MC-DPL4R] leaves open (facts, reliable 8) in another way, towards a peer that is not ours. With the
// zero Options what is sent means the same in either reading, as far as that can be had. Whatever they say, a peer that reads the
// questions in the other way is understood.
type Options struct {
	Loose    bool          // D1: unreliable messages go without RLY, once
	Shared   bool          // D2: all links of the peer's machine have one space of messageids; if not set, that is learned
	HoleWait time.Duration // D3: how long a messageid that does not come is waited for, two round trips at least; 0: 1 s
	Running  bool          // D4: the sequences of what is sent count on, from message to message; nothing is sent from its beginning
	NoNACK   bool          // D7: what is missing is not asked for
}
