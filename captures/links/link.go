package links

import (
	"cmp"

	"dplay4/wire/reliable"
)

// A Link is one direction between two players, as far as the capture shows it: the Data frames that went there, and what
// came back about them.
type Link struct {
	Key
	Number int // from 1, in the order in which links were met

	First    Place // of the Data frames; none: zero
	Data     int   // Data frames, repeated ones included
	Reliable int   // those with RLY
	Octets   int64 // of the Data frames, without their indexes
	Whole    int   // messages that became whole
	Ignored  Marks // frames that must be ignored: with CMD and EXT (2.2.2)

	Repeated  Marks // Data frames that were sent before
	Copies    int   // those of them that the network, or the capture, made: with the same serial, within copyTime
	Twice     int   // those of them that had been acknowledged: an ACK was lost, or late
	Early     int   // those of them whose sending before had arrived for certain: its ACK came later, or had just come, late
	Arrived   int   // those of them that are in Twice or in Early
	LostFirst int   // sendings that never reached the capture, by the serials of the others
	Leaps     Marks // messageids more than a window (24) after the newest one
	Behind    Marks // messageids that are new, a window or more before the newest one
	Restarts  Marks // messageids that began again: a new link between the same indexes

	ACKs, NACKs int    // that came back
	Acked       int    // reliable messages that were acknowledged
	Unsent      Marks  // ACKs and NACKs of what was not sent, as far as the capture shows
	Holes       Marks  // ACKs of a frame while a reliable one before it had not arrived
	Counted     uint32 // bytes received, as the last ACK or NACK says
	Trips       Trips
	Stalls      []Stall // the first maxStalls of those that are over
	MoreStalls  int
	tries       int // frames that were sent again in all of them

	peer  *Peer
	way   *way
	total *int // sendings that are remembered of all links
	connection
}

// A connection is what a link forgets when it begins anew.
type connection struct {
	numbers numbering
	flight  flight
	tally   tally
	pause   pause
	order   sequences
}

// Marks are places of something that happens again and again.
type Marks struct {
	Count       int
	First, Last Place
	Places      []Place // the first maxPlaces
}

func (m *Marks) add(p Place) {
	m.Count++
	m.First, m.Last = cmp.Or(m.First, p), p
	if len(m.Places) < maxPlaces {
		m.Places = append(m.Places, p)
	}
}

// Missing returns how many messageids are missing among those that came, by the numbering that the sender follows: they
// were lost before they reached the capture. Ids that leap by more than a window are not counted.
func (l *Link) Missing() int {
	if l.peer.Reading(LinkPer) != 0 {
		return l.numbers.missing(l.peer)
	}
	if l != l.way.links[0] { // all links between the two machines share them
		return 0
	}
	return l.way.numbers.missing(l.peer)
}

// InStalls returns how many frames were sent again while the link stood still, that in which the capture ends included: the
// network may have lost none of them.
func (l *Link) InStalls() int {
	s, _ := l.Stalled()
	return l.tries + s.Tries
}

// Unacked returns how many reliable messages were not acknowledged, of those that are remembered.
func (l *Link) Unacked() int { return len(messagesOf(l.flight.waiting)) }

// data takes a Data frame.
func (t *Tracker) data(l *Link, f *Frame) Step {
	size := int64(f.Counted())
	l.First = cmp.Or(l.First, f.Place)
	l.Data++
	l.Octets += size
	l.way.octets += size
	if back := t.links[f.Key.Back()]; back != nil {
		back.pause.heard++
	}
	if f.MustIgnore() {
		l.Ignored.add(f.Place)
		l.tally.sent += size
		return Step{Link: l}
	}
	rly := f.Flags&reliable.RLY != 0
	l.Reliable += bit(rly)
	l.peer.content(f)
	if two := l.peer.Reading(Spaces) == 1; two != l.flight.two { // what was numbered otherwise is forgotten
		l.clear(two)
	}
	id, m, ahead := l.flight.identify(f.Frame, rly)
	if _, known := l.flight.frames[id]; restarts(f, m, known, ahead) {
		l.Restarts.add(f.Place)
		l.clear(l.flight.two)
		l.connection = connection{flight: l.flight}
		id, m, ahead = l.flight.identify(f.Frame, rly)
	}
	l.tally.sent += size
	s := Step{Link: l}
	if m == nil {
		m = l.flight.spaces[bit(rly)].begin(id, f)
		s.Missing = l.fresh(f, ahead)
	}
	x, known := l.flight.frames[id]
	asks := f.Flags&reliable.SAK != 0 || rly && f.Flags&reliable.EOM != 0
	y := &sending{Place: f.Place, frame: x, serial: f.Serial, size: size, asks: asks}
	if known {
		l.repeat(y, m, f)
	} else {
		y.frame = &frame{id: id}
		l.first(y, m, f)
	}
	l.remember(y)
	if s.Again = y.before; s.Again > 0 {
		l.Repeated.add(f.Place)
	}
	l.Whole += bit(f.Whole || s.Again == 0 && oneFrame(f))
	return s
}

// clear forgets what is under way.
func (l *Link) clear(two bool) {
	*l.total -= len(l.flight.sent)
	l.flight, l.pause = newFlight(two), pause{}
}

// restarts reports whether a frame begins a new link between the same indexes: a message begins only once, and known is whether a frame of
// the same number is remembered.
func restarts(f *Frame, m *message, known bool, ahead int) bool {
	if f.Flags&reliable.STA == 0 || f.Serial != 0 {
		return false
	}
	far := ahead > reliable.Window || ahead <= -reliable.Window
	return far && f.MessageID <= reliable.FirstMessageID || m != nil && (known || m.first != beginning{}) && m.first != beginningOf(f)
}

// fresh takes the first frame of a message that the capture has, and returns how many messageids it leaves out.
func (l *Link) fresh(f *Frame, ahead int) int {
	reliably := f.Flags&reliable.RLY != 0
	was := l.numbers.missing(l.peer)
	if l.numbers.any.newest == 0 {
		l.peer.see(FirstID, f.MessageID == 1, f.MessageID == 0, f.Place)
	}
	vote(l.peer, &l.numbers, &l.way.numbers, f.MessageID, reliably, f.Place)
	l.way.numbers.see(f.MessageID, reliably)
	l.numbers.see(f.MessageID, reliably)
	switch {
	case ahead > reliable.Window:
		l.Leaps.add(f.Place)
		return 0
	case ahead <= -reliable.Window:
		l.Behind.add(f.Place)
		return 0
	}
	return max(0, l.numbers.missing(l.peer)-was)
}

// first takes the first sending of a frame that the capture has.
func (l *Link) first(y *sending, m *message, f *Frame) {
	x := y.frame
	y.before = m.before(f, x.id)
	l.LostFirst += m.serialGap(f, l.Data == 1)
	m.note(f, x.id)
	if !x.id.reliable {
		return
	}
	if y.before == 0 {
		l.order.see(l.peer, f)
	}
	if x.acked = l.flight.passed(x.id); x.acked {
		l.Holes.add(f.Place)
		return
	}
	if len(l.flight.waiting) == 0 {
		l.pause.begin(f.Place)
	} else if y.before > 0 {
		l.pause.try(f.Place)
	}
	l.flight.waiting = append(l.flight.waiting, x)
}

// repeat takes a sending of a frame that the capture has already.
func (l *Link) repeat(y *sending, m *message, f *Frame) {
	x := y.frame
	old := x.last()
	y.before = old.before + 1
	if old.serial != f.Serial {
		l.LostFirst += m.serialGap(f, l.Data == 1)
		m.note(f, x.id)
	} else {
		l.Copies += bit(f.Since(old.Place) <= copyTime)
	}
	if x.named {
		soon := f.Since(x.namedAt) <= obeyTime
		l.peer.see(NACKObeyed, soon, !soon, f.Place)
	}
	if x.acked {
		y.arrived, y.early = true, f.Since(x.ackedAt) <= x.ackedAt.Since(old.Place)
		l.Twice++
		l.Arrived++
		l.Early += bit(y.early)
	} else if x.id.reliable {
		l.pause.try(f.Place)
	}
	x.named, x.vain, x.ackedAt = false, false, Place{}
}

// remember adds a sending. The oldest is forgotten where there are too many.
func (l *Link) remember(y *sending) {
	fl := &l.flight
	fl.frames[y.frame.id] = y.frame
	y.frame.sent = append(y.frame.sent, y)
	fl.sent = append(fl.sent, y)
	*l.total++
	if len(fl.sent) > maxFlight || *l.total > maxSendings {
		fl.forget()
		*l.total--
	}
}
