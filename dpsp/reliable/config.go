package reliable

import (
	"errors"
	"time"

	"dplay4/wire"
	"dplay4/wire/reliable"
)

// A Config says between whom a [Link] is and how it behaves. It is read once, by [New].
type Config struct {
	From, To uint16 // the player indexes, ours first (2.2.1)
	Path     *Path  // the way to the machine, shared by its links; nil: one of its own
	Budget   *Budget
	// First is our first messageid; 0 means 1, which others than our own have to be sent (2.2.2). A link that is not the first one
	// between the same players begins elsewhere, so that late frames of the one before are told apart.
	First uint8
	// Expect is the peer's first messageid, if it is known; 0: whatever comes first.
	Expect uint8
	// Tick is what our clock of milliseconds shows at time 0 (2.2.4).
	Tick uint32
	// Patient has a link to a peer of ours go on where others are lost: it reports that nothing is acknowledged, and tries again. It ends
	// if the peer answers and acknowledges nothing new.
	Patient bool
	// AnyOrder has reliable messages delivered as they are complete: session flag NOPRESERVEORDER.
	AnyOrder bool
	// MaxFrame is the largest frame, in octets with its indexes; 0 means 1,400, which fits every common MTU. At least 64.
	MaxFrame int
	// Options are for a peer that is not ours.
	Options
}

// Limits of a link, see the package documentation.
const (
	MaxQueue    = 4096
	MaxQueued   = 8 * wire.MaxMessage
	MaxFleeting = 64
	MaxWaiting  = 4 * wire.MaxMessage
)

// The window: messageids, and frames of reliable messages, that may be under way (2.2.2).
const (
	Window = reliable.Window
	// mostUnsure is how many messageids unreliable messages use up before the peer was heard to know of one. A messageid has
	// 8 bits: a peer that missed half of them takes new ones for old.
	mostUnsure = 64
	// mostLooseInARow is how many messages without RLY a peer that is not ours gets, by Options.Loose, before one that it has to
	// acknowledge.
	mostLooseInARow = 16
	// mostLoose is how many frames an unreliable message has at most. A longer one goes as a reliable one: sequences have 8 bits,
	// so the receiver could take a later frame for one that was lost.
	mostLoose = 64
	// spared is how many of the messageids reliable messages leave free while unreliable ones are sent as well.
	spared = 8
)

// Times.
const (
	leastAgain   = 2 * time.Millisecond   // between two sendings of a frame that NACKs ask for
	firstTimeout = time.Second            // before a round trip was measured (3.1.2)
	leastTimeout = 10 * time.Millisecond  // what a clock of milliseconds and a busy machine need
	mostTimeout  = 6 * time.Second        // without back-off
	mostSlow     = 250 * time.Millisecond // what slow acknowledgments add to a timeout: a game that loads stops for seconds, once
	tardy        = 2 * time.Millisecond   // a Step that comes later than this after its time was kept from running
	mostBackoff  = time.Second            // with back-off, unless the way itself is slower
	ackDelay     = 10 * time.Millisecond  // how long an ACK waits that nobody asked for at once (3.1.3)
	ackEvery     = 4                      // messages that are acknowledged together at most
	nackDelay    = 5 * time.Millisecond   // how long a missing frame may be late before it is asked for
	nackAfter    = 3                      // frames after it that make it missing at once
	foreignDelay = 100 * time.Millisecond // how long a peer that is not ours may let an ACK wait
	sakEvery     = 50 * time.Millisecond  // footnote 8
	sakFrames    = 24                     // footnote 8
	sakOften     = 4                      // where an ACK says less, or is needed to go on
	givingUp     = 30 * time.Second       // without progress, and
	givingTries  = 10                     // repeats
	holeWait     = time.Second            // D3, by default
)

const (
	defaultFrame = 1400
	leastFrame   = 64
	maxDoubt     = 3 // repeats of a part of what an acknowledgment that may be wrong said has arrived
	dataHeader   = 4 // octets of a Data frame between its indexes and its data
)

// Why a message was not delivered.
var (
	ErrLost     = errors.New("the other side acknowledges nothing any more")
	ErrTimeout  = errors.New("it was not sent within its time")
	ErrCanceled = errors.New("it was canceled")
	ErrFull     = errors.New("too many messages are waiting to be sent")
	ErrTooLarge = errors.New("the message is too large")
	ErrDropped  = errors.New("a newer one took its place")
)

// A Budget bounds the octets that links hold together for what is unfinished or waits. It is for one goroutine.
type Budget struct {
	Max  int
	held int
}

// take changes what is held by n octets, and reports whether that is allowed. A nil Budget allows everything.
func (b *Budget) take(n int) bool {
	if b == nil {
		return true
	}
	if n > 0 && b.held+n > b.Max {
		return false
	}
	b.held += n
	return true
}

// Held returns the octets that are held.
func (b *Budget) Held() int { return b.held }

func (c Config) withDefaults() Config {
	if c.Path == nil {
		c.Path = &Path{}
	}
	if c.MaxFrame == 0 {
		c.MaxFrame = defaultFrame
	}
	c.MaxFrame = max(c.MaxFrame, leastFrame)
	if c.HoleWait <= 0 {
		c.HoleWait = holeWait
	}
	return c
}
