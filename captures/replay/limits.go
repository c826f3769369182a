package replay

import "time"

// What is read of a capture is kept until it was replayed, so it is bounded.
const (
	// MaxFile is the largest capture that is replayed, in octets.
	MaxFile = 256 << 20
	// MaxMessages is how many messages a capture may have.
	MaxMessages = 1 << 20
	// MaxOctets bounds the octets of its messages, which a small compressed file can have many of.
	MaxOctets = 256 << 20
	// MaxMachines bounds the machines that are told apart: every one with messages of its own gets an engine.
	MaxMachines = 4096
	// MaxParties bounds the engines of one replay.
	MaxParties = 256
	// MaxDifferences is how many differences of one party are reported; those beyond are counted.
	MaxDifferences = 1000
	// maxPending bounds the messages of an engine that the recording has not shown yet: the oldest then counts as Extra.
	maxPending = 4096
	// maxAlike bounds the messages of ours that one of the recording is compared with.
	maxAlike = 64
	// maxAhead bounds how far the recording is looked through for what explains a message.
	maxAhead = 4096
	// maxTime is the latest time of a message after the first one. Files can tell any, from the year 0 to 9999.
	maxTime = 100 * 365 * 24 * time.Hour
	// maxTimers bounds the timers that go off before a message: the times in a file can be centuries apart.
	maxTimers = 10_000
)

// slack is how far a timer of the recorded machine may have been ahead of ours: its clock, and that of what captured
// it, are others.
const slack = 100 * time.Millisecond
