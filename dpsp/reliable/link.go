package reliable

import (
	"math"
	"time"

	"dplay4/wire"
	"dplay4/wire/reliable"
)

// Never is a [Output.Wake] of a link that waits for nothing.
const Never = time.Duration(math.MaxInt64)

// A Message is one that goes out or came in.
type Message struct {
	Data     []byte // Send: the link copies it. Output: the program may keep it
	Reliable bool
	// The rest is for Send alone.
	Token    uint64        // comes back in [Output.Done]; 0: nobody wants to know
	Priority int           // higher ones go first
	Deadline time.Duration // when it is given up if it was not begun; 0: never
}

// A Done says what became of a message with a token: delivered, that is acknowledged, or for an unreliable one sent, if Err is
// nil.
type Done struct {
	Token uint64
	Err   error // ErrLost, ErrTimeout, ErrCanceled or ErrDropped
}

// An Output is what a link wants done. It is valid until the next call of Step.
type Output struct {
	Frames   [][]byte  // datagrams to be sent, in order
	Messages []Message // that came, in order
	Done     []Done
	Learned  []Reading // what the peer was seen to do, each once
	Lost     bool      // the peer acknowledges nothing any more: ErrLost. Once, unless Config.Patient is set
	Wake     time.Duration
}

// A Link is both directions between a player of ours and one of another machine. It is for one goroutine.
type Link struct {
	cfg  Config
	path *Path
	out  Output
	ours bool
	lost bool // nothing more is sent, and what comes is ignored

	closed bool
	wake   time.Duration // what the last Step asked for
	last   Output        // of the last Step: what is in it is used again
	spare  [][]byte      // frames of those before

	send    sender
	receive receiver
	learned readings
	stats   Stats
}

// Stats count what a link did.
type Stats struct {
	Sent, Repeated     int // Data frames; Repeated are among Sent
	Needed             int // Data frames that had to be sent once
	ACKs, NACKs        int // sent
	Received, Again    int // Data frames that came; Again had come before, or nobody waited for them
	Delivered          int // messages
	Ignored            int // frames that said what cannot be
	Timeouts, PassedBy int // repeats because nothing was heard; messageids that were passed over (D3)
}

// New returns a link on which nothing was sent yet.
func New(c Config) *Link {
	c = c.withDefaults()
	l := &Link{cfg: c, path: c.Path, wake: Never}
	l.send, l.receive = newSender(l), newReceiver(l)
	l.path.links++
	l.path.shared = l.path.shared || c.Shared
	return l
}

// Ours says that the peer is one of ours: see the package documentation.
func (l *Link) Ours() { l.ours = true }

// Stats returns what the link did so far.
func (l *Link) Stats() Stats { return l.stats }

// Next returns the messageid of the next message.
func (l *Link) Next() uint8 { return l.send.next }

// Idle reports whether nothing is waiting to be sent or to be acknowledged.
func (l *Link) Idle() bool { return l.send.idle() }

// Pressed reports whether a quarter of the room for messages that wait to be sent is taken.
func (l *Link) Pressed() bool {
	return len(l.send.waiting) >= MaxQueue/4 || l.send.queued >= MaxQueued/4
}

// Send takes a message to be sent by the next Step. It fails with ErrLost, ErrTooLarge or ErrFull.
func (l *Link) Send(m Message) error {
	switch {
	case l.lost:
		return ErrLost
	case len(m.Data) > wire.MaxMessage:
		return ErrTooLarge
	}
	return l.send.queue(m)
}

// Cancel gives up the messages with a token of which no frame was sent, and reports whether there was one.
func (l *Link) Cancel(token uint64) bool {
	return l.send.cancel(func(m *Message) bool { return m.Token == token }) > 0
}

// CancelBelow gives up the messages with a priority of at most p of which no frame was sent, and returns how many there were.
func (l *Link) CancelBelow(p int) int {
	return l.send.cancel(func(m *Message) bool { return m.Priority <= p })
}

// Receive takes a frame that came. Nothing of it is kept. Frames that are not between the link's players are the caller's
// mistake.
func (l *Link) Receive(now time.Duration, f *reliable.Frame) {
	if l.lost {
		return
	}
	switch f.Kind() {
	case reliable.KindData:
		l.receive.data(now, f)
	case reliable.KindACK:
		l.send.answers++
		l.send.ack(now, f)
	case reliable.KindNACK:
		l.send.answers++
		l.learn(NACKs)
		l.send.nack(now, f)
	default:
		l.stats.Ignored++
	}
}

// Step gives what is to be done at a time.
func (l *Link) Step(now time.Duration) *Output {
	l.reuse()
	if !l.lost {
		l.receive.timers(now)
		l.send.timers(now, l.wake != Never && now-l.wake > tardy)
	}
	if !l.lost {
		l.receive.answer(now)
		l.send.frames(now)
	}
	l.wake = min(l.receive.wake(now), l.send.wake(now))
	l.out.Wake = l.wake
	out := l.out
	l.out = Output{}
	if l.last = out; len(out.Frames) == 0 && l.Idle() {
		l.last, l.spare = Output{}, nil
	}
	return &out
}

// Dead reports whether the link ended, because the peer acknowledges nothing any more.
func (l *Link) Dead() bool { return l.lost }

// Resume notes that the peer is there again, after a time for which the link did not run.
func (l *Link) Resume(now time.Duration) {
	l.send.hopes(now)
	l.send.backoff = 0
}

// Waiting returns how many octets of messages are not known to have arrived.
func (l *Link) Waiting() int {
	n := l.send.queued
	for _, m := range l.send.out {
		n += len(m.Data)
	}
	return n
}

// Unanswered returns how long nothing was acknowledged although something is to be.
func (l *Link) Unanswered(now time.Duration) time.Duration {
	if len(l.send.inFlight) == 0 {
		return 0
	}
	return now - l.send.progress
}

// Withdraw returns the reliable messages that were not acknowledged, in order, to be sent in another way. The link is to be closed
// then, which says nothing more of them.
func (l *Link) Withdraw() []Message { return l.send.withdraw() }

// Forsake returns ErrLost for the messages that are not known to have arrived. They stay on the link, which reports nothing more of them.
func (l *Link) Forsake() []Done {
	l.send.forsake(ErrLost)
	all := l.out.Done
	l.out.Done = nil
	return all
}

// Close forgets what the link holds, and gives what was not delivered.
func (l *Link) Close() []Done {
	if l.closed {
		return nil
	}
	l.closed = true
	l.fail(ErrLost)
	l.receive.forget()
	l.path.leave(l)
	return l.out.Done
}

// fail ends the link.
func (l *Link) fail(err error) {
	if l.lost {
		return
	}
	l.lost, l.out.Lost = true, true
	l.send.fail(err)
	l.path.drop(l.send.underway())
}

func (l *Link) done(m *Message, err error) {
	if m.Token != 0 {
		l.out.Done = append(l.out.Done, Done{m.Token, err})
	}
}

// tick returns our clock as ACKs and NACKs show it.
func (l *Link) tick(now time.Duration) uint32 { return l.cfg.Tick + uint32(now/time.Millisecond) }

// reuse takes what the last Step gave for the next one, but for the messages: while a program goes through them, one may make it
// call Step.
func (l *Link) reuse() {
	last := &l.last
	l.spare = append(l.spare, last.Frames...)
	if len(l.out.Frames) == 0 {
		l.out.Frames = last.Frames[:0]
	}
	if len(l.out.Done) == 0 {
		l.out.Done = last.Done[:0]
	}
	l.last = Output{}
}

// buffer returns an empty one with room for n octets.
func (l *Link) buffer(n int) []byte {
	if k := len(l.spare); k > 0 {
		b := l.spare[k-1]
		l.spare = l.spare[:k-1]
		if cap(b) >= n {
			return b[:0]
		}
	}
	return make([]byte, 0, n)
}

// put has a frame sent.
func (l *Link) put(f *reliable.Frame) int {
	f.From, f.To = l.cfg.From, l.cfg.To
	b, err := f.Append(l.buffer(24 + len(f.Data))) // the longest head has 22 octets
	if err != nil {
		l.stats.Ignored++ // none of ours is malformed
		return 0
	}
	l.out.Frames = append(l.out.Frames, b)
	return len(b)
}
