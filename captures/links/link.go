package links

import "dplay4/wire/reliable"

// A Link is one direction between two players, as far as the capture shows it: the Data frames that went there, and what
// came back about them.
type Link struct {
	Key
	Number int // from 1, in the order in which links were met

	First, Last Place // of the Data frames; none: zero
	Data        int   // Data frames, repeated ones included
	Reliable    int   // those with RLY
	Octets      int64 // of the Data frames, without their indexes
	Whole       int   // messages that became whole
	Ignored     Marks // frames that must be ignored: with CMD and EXT (2.2.2)

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
	Named       int    // frames that NACKs reported as missing
	Obeyed      int    // those that came again within obeyTime
	Unsent      Marks  // ACKs and NACKs of what was not sent, as far as the capture shows
	Holes       Marks  // ACKs of a frame while a reliable one before it had not arrived
	Counted     uint32 // bytes received, as the last ACK or NACK says
	Trips       Trips
	Stalls      []Stall // the first maxStalls of those that are over
	MoreStalls  int
	tries       int // frames that were sent again in all of them

	peer    *Peer
	way     *way
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
	if m.Count++; m.Count == 1 {
		m.First = p
	}
	m.Last = p
	if len(m.Places) < maxPlaces {
		m.Places = append(m.Places, p)
	}
}

// Missing returns how many messageids are missing among those that came, by the numbering that the sender follows: they
// were lost before they reached the capture. Ids that leap by more than a window are not counted.
func (l *Link) Missing() int {
	if l.peer.Reading(LinkPer) == 0 { // all links between the two machines share them
		if l != l.way.links[0] {
			return 0
		}
		return l.way.numbers.missing(l.peer)
	}
	return l.numbers.missing(l.peer)
}

// InStalls returns how many frames were sent again while the link stood still, that in which the capture ends included: the
// network may have lost none of them.
func (l *Link) InStalls() int {
	if s, ok := l.Stalled(); ok {
		return l.tries + s.Tries
	}
	return l.tries
}

// Unacked returns how many reliable messages were not acknowledged, of those that are remembered.
func (l *Link) Unacked() int { return l.flight.unacked() }

// counted returns the octets that a Data frame adds to the bytes received (3.1.5.4).
func counted(f *reliable.Frame) int {
	n := 4 + len(f.Data)
	if f.Flags&reliable.EXT != 0 {
		n += 1 + f.Extended.MaskSize()
	}
	return n
}

// data takes a Data frame.
func (t *Tracker) data(l *Link, f *Frame) Step {
	if l.Data++; l.Data == 1 {
		l.First = f.Place
	}
	l.Last = f.Place
	size := counted(f.Frame)
	l.Octets += int64(size)
	l.way.octets += int64(size)
	s := Step{Link: l}
	if back := t.links[f.Key.Back()]; back != nil {
		back.pause.heard++
	}
	if f.MustIgnore() {
		l.Ignored.add(f.Place)
		l.tally.sent += int64(size)
		return s
	}
	if f.Flags&reliable.RLY != 0 {
		l.Reliable++
	}
	l.peer.content(f)
	l.readAs(l.peer.Reading(Spaces) == 1)
	id := l.flight.identify(f)
	old := l.flight.find(id)
	if l.begins(f, id, old) {
		l.restart(f.Place)
		id, old = l.flight.identify(f), nil
	}
	m, fresh := l.flight.message(id, f)
	if fresh {
		s.Missing = l.fresh(f, id)
	}
	s.Again = m.again(f, id, old)
	if old != nil && old.serial == f.Serial {
		if f.Since(old.Place) <= copyTime {
			l.Copies++
		}
	} else {
		l.LostFirst += m.serialGap(f, l.Data == 1)
		m.note(f, id)
	}
	if s.Again == 0 && id.reliable {
		l.order.see(l.peer, f)
	}
	if f.Whole || s.Again == 0 && f.Flags&both == both {
		l.Whole++
	}
	l.sent(f, id, old, s.Again, size)
	return s
}

// sent takes a sending whose place in its link is known.
func (l *Link) sent(f *Frame, id frameID, old *sending, again, size int) {
	x := sending{Place: f.Place, id: id, serial: f.Serial, hash: hash(f.Data), before: again, size: size,
		asks: f.Flags&reliable.SAK != 0 || id.reliable && f.Flags&reliable.EOM != 0}
	l.tally.sent += int64(size)
	switch {
	case old == nil && id.reliable && l.flight.passed(id):
		l.Holes.add(f.Place) // it was acknowledged, with a later one, before it came
		x.acked = true
	case old != nil && old.acked:
		l.Twice++
		l.Arrived++
		if f.Since(old.ackedAt) <= old.ackedAt.Since(old.Place) {
			l.Early++
			x.early = true
		}
		x.twice = true
		x.acked = true
	case again > 0 && id.reliable:
		l.pause.try(f.Place)
	}
	if again > 0 {
		l.Repeated.add(f.Place)
	}
	if old != nil && old.named {
		l.obeys(old, f.Place)
	}
	if id.reliable && !x.acked && old == nil {
		l.pause.begin(f.Place, l.flight.open)
	}
	l.flight.add(x, old)
}

// obeys notes that a frame which a NACK named came again.
func (l *Link) obeys(old *sending, p Place) {
	answer := 1
	if p.Since(old.namedAt) <= obeyTime {
		l.Obeyed++
		answer = 0
	}
	l.peer.see(NACKObeyed, answer, p)
	old.named = false
}

// fresh takes the first frame of a message that the capture has, and returns how many messageids it leaves out.
func (l *Link) fresh(f *Frame, id frameID) int {
	reliably := f.Flags&reliable.RLY != 0
	was := l.numbers.missing(l.peer)
	ahead, started := l.flight.ahead, l.numbers.any.started
	vote(l.peer, &l.numbers, &l.way.numbers, f.MessageID, reliably, f.Place)
	l.way.numbers.see(f.MessageID, reliably)
	l.numbers.see(f.MessageID, reliably)
	if !started {
		if f.MessageID <= 1 {
			l.peer.see(FirstID, 1-int(f.MessageID), f.Place)
		}
		return 0
	}
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

// begins reports whether a frame begins a new link between the same indexes.
func (l *Link) begins(f *Frame, id frameID, old *sending) bool {
	if f.Flags&reliable.STA == 0 || f.Serial != 0 {
		return false
	}
	if f.MessageID <= reliable.FirstMessageID && (l.flight.ahead > reliable.Window || l.flight.ahead <= -reliable.Window) {
		return true
	}
	if old != nil {
		return old.hash != hash(f.Data)
	}
	m := l.flight.messages[id.messageID]
	return m != nil && m.begun // a message begins only once
}

// restart forgets what was under way.
func (l *Link) restart(p Place) {
	l.Restarts.add(p)
	l.flight.clear()
	l.numbers, l.tally, l.pause, l.order = numbering{}, tally{}, pause{}, sequences{}
}

// readAs settles whether messageids are continued for each kind of message apart. What was read otherwise is forgotten.
func (l *Link) readAs(two bool) {
	if l.flight.two != two {
		l.flight.clear()
		l.flight.two = two
		l.pause = pause{}
	}
}
