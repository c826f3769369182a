package replay

import (
	"time"

	"dplay4/dpsp"
)

// Options say how a capture is replayed. The zero value replays every party by what the capture shows.
type Options struct {
	// As replays only the parties of that role; "" both.
	As Role
	// Config is the engines'. Sockets, dialect and Legacy are taken from the capture, and so are Period, if it is zero and
	// the capture shows it, and Grid. A Seed, if it is not zero, is the
	// one that the recorded host is known to have had: then the session's GUID is drawn from it, too.
	Config dpsp.Config
	// Exact wants octets equal to those recorded: nothing is mapped. It needs the seed where a host is replayed.
	Exact bool
	// Session, if not nil, is what the recorded host's program opened, where that is known; otherwise the capture tells.
	Session *dpsp.Host
	// Progress, if not nil, is called before every message with its time in the capture: who wants to watch a replay at
	// some speed waits there. An error ends the replay.
	Progress func(at time.Duration) error
	// Watch, if not nil, is told what becomes of every message that a party sent or should have sent, in order.
	Watch func(p *Party, s Step)
}

// A Step is one message that a party sent in the recording, or that ours sent instead.
type Step struct {
	N, Frame    int
	At          time.Duration
	Message     string
	To          string
	Equal       bool
	Differences []Difference // valid during the call
}
