package reliable

import (
	"bytes"
	"slices"
	"time"

	"dplay4/wire/reliable"
)

// A sender is the outgoing direction of a link.
type sender struct {
	l *Link

	waiting  []*outgoing   // reliable messages of which nothing was sent, in the order in which they go
	queued   int           // octets of them
	soonest  time.Duration // the first deadline of those that wait
	fleeting []*outgoing   // unreliable ones
	bulk     *outgoing     // the reliable message of which frames were sent, and are still to be
	fleet    *outgoing     // the unreliable one

	fleetLast bool // of messages of several frames that may not be mixed, an unreliable one went last

	out      []*outgoing // messages that have RLY and are not acknowledged, in the order of their messageids
	inFlight []*frame    // their frames that were sent and are not acknowledged, in the order of sending
	next     uint8       // the next messageid
	sure     uint8       // the last one of which the peer was heard to know
	sequence uint8       // the sequence after the last message with RLY, if running
	running  bool        // we send as between our own
	latest   *outgoing   // the last message with RLY that was begun
	plain    ids         // the last message with that id went out without RLY
	fleeted  time.Duration

	total    uint32     // octets of all Data frames, as the peer counts them
	sendings []*sending // that nothing is known of, the oldest first
	received uint32     // what the peer counted last
	again    uint32     // octets of those that were repeats
	same     int        // acknowledgments in a row that said nothing new
	told     uint32     // octets up to the latest sending that the peer told of
	loss     loss
	deficit  uint32 // what the peer lacked of total, without again, when nothing was in flight last

	lastSAK  time.Duration
	sinceSAK int
	progress time.Duration // when something was acknowledged that was not before, or the first frame went out
	tries    int           // repeats since then
	answers  int           // acknowledgments since then, which said nothing new
	backoff  int
	tried    time.Duration // when tries was counted last
	paced    time.Duration // when the path lets the next frame out
	probed   int           // how often the peer was asked for what it knows of, since it told
	probeAt  time.Duration // when it is asked
}

// An outgoing message is one that is sent, or to be sent.
type outgoing struct {
	Message
	id      uint8
	rly     bool
	first   uint8 // the sequence of its first frame
	cut     int   // octets of it that are in frames
	serial  uint8 // of the next sending
	frames  int
	open    int // frames that are not acknowledged
	running bool

	answered, forgotten bool  // an ACK named a frame of it; one named the first frame after that
	acked               uint8 // the sequence of the last frame that an ACK named
	anew                int   // times that it was sent from its beginning
	tried               int   // tries until it was so last
}

// A frame is a part of a message with RLY that is not acknowledged.
type frame struct {
	m        *outgoing
	index    int // in the message
	off, end int
	sent     []*sending  // the first one, and the last ones
	few      [1]*sending // room for the first one
	one      sending     // which is this
	upTo     uint32      // octets of all Data frames up to its first sending, without repeats
	due      time.Duration
	again    bool // it is to be sent again
	excused  bool // its time passed while we were kept from running
	doubt    int  // repeats after an acknowledgment that may be wrong; 0: none came
}

// A sending is one time that a frame went out.
type sending struct {
	at     time.Duration
	total  uint32 // octets of all Data frames up to it
	octets int    // on the path; 0: it is known what became of it
	serial uint8
	sak    bool
	mixed  bool  // a frame before it was sent again since: an ACK that names it may answer that one
	id     uint8 // of what has no RLY
}

func newSender(l *Link) sender {
	first := l.cfg.First
	if first == 0 {
		first = reliable.FirstMessageID
	}
	return sender{l: l, next: first, sequence: reliable.FirstSequence, fleeted: -time.Hour, lastSAK: -time.Hour,
		soonest: Never}
}

// until returns when a message is given up if it was not begun.
func (m *Message) until() time.Duration {
	if m.Deadline == 0 {
		return Never
	}
	return m.Deadline
}

func (f *frame) sequence() uint8 { return f.m.first + uint8(f.index) }

// is reports whether an ACK or NACK names the frame.
func (f *frame) is(w *reliable.Frame) bool {
	return f.m.id == w.MessageID && f.sequence() == w.Sequence
}

func (f *frame) last() *sending { return f.sent[len(f.sent)-1] }

func (s *sender) idle() bool {
	return len(s.waiting)+len(s.fleeting)+len(s.inFlight) == 0 && s.bulk == nil && s.fleet == nil
}

// queue takes a message.
func (s *sender) queue(m Message) error {
	m.Data = bytes.Clone(m.Data)
	o := &outgoing{Message: m}
	if !m.Reliable && len(m.Data) <= mostLoose*s.room() {
		if len(s.fleeting) >= MaxFleeting {
			s.l.done(&s.fleeting[0].Message, ErrDropped)
			s.fleeting = slices.Delete(s.fleeting, 0, 1)
		}
		s.fleeting = insert(s.fleeting, o)
		s.soonest = min(s.soonest, m.until())
		return nil
	}
	if len(s.waiting) >= MaxQueue || s.queued+len(m.Data) > MaxQueued {
		return ErrFull
	}
	s.queued += len(m.Data)
	s.waiting = insert(s.waiting, o)
	s.soonest = min(s.soonest, m.until())
	return nil
}

// insert puts a message behind those of its priority.
func insert(to []*outgoing, o *outgoing) []*outgoing {
	i := len(to)
	for i > 0 && to[i-1].Priority < o.Priority {
		i--
	}
	return slices.Insert(to, i, o)
}

// cancel gives up messages that were not begun.
func (s *sender) cancel(which func(*Message) bool) int {
	n := len(s.waiting) + len(s.fleeting)
	s.drop(which, ErrCanceled)
	return n - len(s.waiting) - len(s.fleeting)
}

func (s *sender) drop(which func(*Message) bool, err error) {
	gone := func(o *outgoing) bool {
		if !which(&o.Message) {
			return false
		}
		s.l.done(&o.Message, err)
		return true
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(o *outgoing) bool {
		if gone(o) {
			s.queued -= len(o.Data)
			return true
		}
		return false
	})
	s.fleeting = slices.DeleteFunc(s.fleeting, gone)
	s.soonest = Never
	for _, list := range [][]*outgoing{s.waiting, s.fleeting} {
		for _, o := range list {
			s.soonest = min(s.soonest, o.until())
		}
	}
}

// withdraw returns the reliable messages that are not acknowledged, in order. Nothing more is told of them.
func (s *sender) withdraw() (all []Message) {
	for _, o := range slices.Concat(s.out, s.waiting) {
		if o.Reliable {
			all = append(all, o.Message)
			o.Token = 0
		}
	}
	return all
}

// forsake reports the messages that are not known to have arrived, and keeps them without their tokens.
func (s *sender) forsake(err error) {
	all := slices.Concat(s.out, s.waiting, s.fleeting)
	if s.fleet != nil && !s.fleet.rly {
		all = append(all, s.fleet)
	}
	for _, o := range all {
		s.l.done(&o.Message, err)
		o.Token = 0
	}
}

// fail gives everything up.
func (s *sender) fail(err error) {
	for _, o := range s.out {
		s.l.done(&o.Message, err)
	}
	if s.fleet != nil && !s.fleet.rly {
		s.l.done(&s.fleet.Message, err)
	}
	s.drop(func(*Message) bool { return true }, err)
	s.out, s.inFlight, s.bulk, s.fleet = nil, nil, nil, nil
}

// underway returns the octets that count on the path.
func (s *sender) underway() int {
	n := 0
	for _, x := range s.sendings {
		n += x.octets
	}
	s.sendings = nil
	return n
}

// frames sends what may be sent now: what is to be sent again, then unreliable messages and reliable ones by turns.
func (s *sender) frames(now time.Duration) {
	s.paced = Never
	s.turn()
	s.probe(now)
	for _, f := range s.inFlight {
		if f.again {
			if !s.repeat(now, f) {
				return
			}
		}
	}
	for {
		a, ok := s.sendFleeting(now)
		if !ok {
			return
		}
		b, ok := s.sendReliable(now)
		if !ok || !a && !b {
			return
		}
	}
}

// turn goes over to what is between our own, once all that was sent before has arrived: what is missing then has sequences that
// run.
func (s *sender) turn() {
	if s.running || !s.l.ours || len(s.out) > 0 || s.bulk != nil || s.fleet != nil {
		return
	}
	s.running = true
	if s.latest != nil {
		s.sequence = s.latest.first + uint8(s.latest.frames)
	}
}

// repeat sends a frame once more.
func (s *sender) repeat(now time.Duration, f *frame) bool {
	x := f.last() // it is lost, so it is not under way
	s.l.path.drop(x.octets)
	x.octets = 0
	if !s.transmit(now, f, true) {
		return false
	}
	f.again = false
	if f.doubt > 0 {
		f.doubt++
	}
	return true
}

// sendFleeting sends the next frame of an unreliable message. ok is false if the path lets nothing out.
func (s *sender) sendFleeting(now time.Duration) (sent, ok bool) {
	if s.fleet == nil {
		if len(s.fleeting) == 0 || !s.free(Window) {
			return false, true
		}
		// One message with RLY after the other: the frames of a later one could fill the window, and the peer acknowledges
		// none of them before the earlier one is whole.
		loose := s.running || s.l.cfg.Loose && s.unsure() < mostLooseInARow
		if !s.running && s.l.ours || !loose && (s.bulk != nil || len(s.inFlight) >= Window || !s.mayBegin(s.fleeting[0], s.waiting, true)) {
			return false, true
		}
		if s.running && s.unsure() >= mostUnsure {
			return false, true
		}
		s.fleet = s.fleeting[0]
		if !loose {
			if sent, ok = s.begin(now, s.fleet, &s.fleet); sent {
				s.fleeting = slices.Delete(s.fleeting, 0, 1)
			} else {
				s.fleet = nil
			}
			return sent, ok
		}
		if !s.plainFrame(now, s.fleet) {
			s.fleet = nil
			return false, false
		}
		s.fleeting = slices.Delete(s.fleeting, 0, 1)
		return true, true
	}
	if s.fleet.rly {
		return s.proceed(now, &s.fleet)
	}
	return true, s.plainFrame(now, s.fleet)
}

// sendReliable sends the next frame of a reliable message.
func (s *sender) sendReliable(now time.Duration) (sent, ok bool) {
	if s.bulk != nil {
		return s.proceed(now, &s.bulk)
	}
	window := Window
	if now-s.fleeted < time.Second {
		window -= spared
	}
	if len(s.waiting) == 0 || len(s.inFlight) >= Window || !s.free(window) || !s.running && (s.l.ours || s.fleet != nil) {
		return false, true
	}
	m := s.waiting[0]
	if !s.mayBegin(m, s.fleeting, false) {
		return false, true
	}
	sent, ok = s.begin(now, m, &s.bulk)
	if sent {
		s.waiting[0] = nil
		s.waiting = s.waiting[1:] // it can be long, and moving it for each message would take its time
		s.queued -= len(m.Data)
	}
	return sent, ok
}

// free reports whether a messageid is free, with a window of n.
func (s *sender) free(n int) bool {
	return len(s.out) == 0 || int(s.next-s.out[0].id) < n
}

// begin gives a message its id and sends its first frame.
func (s *sender) begin(now time.Duration, m *outgoing, as **outgoing) (sent, ok bool) {
	m.id, m.rly, m.first, m.running = s.next, true, reliable.FirstSequence, s.running || s.l.cfg.Running
	if m.running {
		m.first = s.sequence
	}
	s.out = append(s.out, m)
	*as = m
	if sent, ok = s.proceed(now, as); !sent {
		s.out, *as, m.rly = s.out[:len(s.out)-1], nil, false
		return false, ok
	}
	if s.plain.remove(m.id); s.several(m) {
		s.fleetLast = !m.Reliable
	}
	s.latest = m
	s.next++
	return true, true
}

// proceed sends the next frame of a message with RLY that was begun.
func (s *sender) proceed(now time.Duration, as **outgoing) (sent, ok bool) {
	m := *as
	if len(s.inFlight) >= Window {
		return false, true
	}
	f := &frame{m: m, index: m.frames, off: m.cut, end: min(len(m.Data), m.cut+s.room())}
	f.sent = f.few[:0]
	m.cut = f.end
	s.inFlight = append(s.inFlight, f)
	if !s.transmit(now, f, false) {
		s.inFlight, m.cut = s.inFlight[:len(s.inFlight)-1], f.off
		return false, false
	}
	if len(s.inFlight) == 1 && (m.anew == 0 || m.frames > 0) {
		s.progress, s.tries, s.backoff, s.answers = now, 0, 0, 0
	}
	f.upTo = s.total - s.again
	m.frames++
	m.open++
	if m.running {
		s.sequence = f.sequence() + 1
	}
	s.l.stats.Needed++
	if f.end == len(m.Data) {
		*as = nil
	}
	return true, true
}

// room returns the octets of data that a frame has room for.
func (s *sender) room() int { return s.l.cfg.MaxFrame - s.indexes() - dataHeader }

// indexes returns the octets of the player indexes.
func (s *sender) indexes() int {
	size := func(i uint16) int {
		switch {
		case i < 1<<7:
			return 1
		case i < 1<<14:
			return 2
		}
		return 3
	}
	return size(s.l.cfg.From) + size(s.l.cfg.To)
}

// transmit sends a frame with RLY.
func (s *sender) transmit(now time.Duration, f *frame, repeat bool) bool {
	n := s.indexes() + dataHeader + f.end - f.off
	if !s.may(now, n) {
		return false
	}
	m := f.m
	w := reliable.Frame{
		Flags: reliable.CMD | reliable.RLY, MessageID: m.id, Sequence: f.sequence(), Serial: m.serial, Data: m.Data[f.off:f.end],
	}
	m.serial++
	if f.off == 0 {
		w.Flags |= reliable.STA
	}
	if f.end == len(m.Data) {
		w.Flags |= reliable.EOM
	}
	x := &f.one
	if repeat {
		x = new(sending)
	}
	s.send(now, &w, n, repeat || s.last(m, f), x)
	if len(f.sent) == 4 {
		f.sent = slices.Delete(f.sent, 1, 2)
	}
	f.sent = append(f.sent, x)
	wait := s.timeout()
	if !x.sak {
		wait += s.delay()
	}
	f.due = now + wait
	f.excused = false
	if repeat {
		s.l.stats.Repeated++
		s.again += w.Counted()
		for _, later := range s.inFlight[slices.Index(s.inFlight, f)+1:] {
			for _, x := range later.sent {
				x.mixed = true
			}
		}
	}
	return true
}

// timeout returns how long to wait for an answer now: longer after each try. If much is lost, the first tries say little: where
// a fifth is lost each way, every third one is in vain, and twice as long each time would let seconds pass now and then.
func (s *sender) timeout() time.Duration {
	t, tries := s.l.path.timeout(), s.backoff
	if s.l.path.lossy {
		tries = max(0, tries-freeTries)
	}
	return min(t<<min(max(tries, s.probed), 10), max(mostBackoff, t))
}

// delay returns how long the peer may keep an ACK that it was not asked for.
func (s *sender) delay() time.Duration {
	if s.l.ours {
		return ackDelay
	}
	return foreignDelay
}

// last reports whether no other frame can follow this one before something is acknowledged: then nobody is to wait for a timer.
func (s *sender) last(m *outgoing, f *frame) bool {
	next := slices.IndexFunc(s.waiting, func(x *outgoing) bool { return x != m })
	more := f.end < len(m.Data) || next >= 0 && s.mayFollow(m, s.waiting[next])
	return !more || len(s.inFlight) >= Window || !s.free(Window-1) || s.l.path.tight(s.l.cfg.MaxFrame)
}

// plainFrame sends the next frame of a message without RLY.
func (s *sender) plainFrame(now time.Duration, m *outgoing) bool {
	end := min(len(m.Data), m.cut+s.room())
	n := s.indexes() + dataHeader + end - m.cut
	if !s.may(now, n) {
		return false
	}
	w := reliable.Frame{Flags: reliable.CMD, Serial: m.serial, Data: m.Data[m.cut:end]}
	if m.cut == 0 {
		w.Flags |= reliable.STA
		m.id, m.first = s.next, reliable.FirstSequence
		s.plain.add(m.id)
		s.next++
		s.fleeted, s.probeAt = now, now+s.timeout()
	}
	if end == len(m.Data) {
		w.Flags |= reliable.EOM
	}
	w.MessageID, w.Sequence = m.id, m.first+uint8(m.frames)
	m.serial++
	m.frames++
	m.cut = end
	s.send(now, &w, n, false, new(sending))
	s.l.stats.Needed++
	if end == len(m.Data) {
		s.fleet = nil
		s.l.done(&m.Message, nil)
	}
	return true
}

// may asks the path.
func (s *sender) may(now time.Duration, n int) bool {
	ok, at := s.l.path.may(now, n, len(s.sendings) == 0)
	if !ok {
		s.paced = min(s.paced, at)
	}
	return ok
}

// send has a Data frame sent that the path lets out, and notes that in x. It asks for an ACK at once by the rules of footnote 8, and if ask.
func (s *sender) send(now time.Duration, w *reliable.Frame, n int, ask bool, x *sending) {
	s.sinceSAK++
	wants := w.Flags&reliable.RLY != 0 || w.Flags&reliable.EOM == 0
	quarter := s.l.path.mean / 4
	often := (!s.running || s.unsure() >= sakFrames) && s.sinceSAK >= sakOften
	if since := now - s.lastSAK; ask || s.sinceSAK >= sakFrames || often || wants && since > sakEvery && since > quarter {
		w.Flags |= reliable.SAK
		s.lastSAK, s.sinceSAK = now, 0
	}
	s.total += w.Counted()
	*x = sending{
		at: now, total: s.total, octets: n, serial: w.Serial, sak: w.Flags&reliable.SAK != 0, id: w.MessageID,
	}
	s.sendings = append(s.sendings, x)
	s.l.stats.Sent++
	s.l.put(w)
}
