package links

import "dplay4/wire/reliable"

// answer takes an ACK or NACK about a link.
func (t *Tracker) answer(l *Link, f *Frame) Step {
	s := Step{Link: l}
	nack := f.Kind() == reliable.KindNACK
	t.peer(f.Key.From).see(Answers, kindOf(!nack), f.Place)
	if nack {
		l.NACKs++
	} else {
		l.ACKs++
	}
	l.Counted = f.BytesReceived
	if own, all := f.BytesReceived == uint32(l.Octets), f.BytesReceived == uint32(l.way.octets); own != all {
		t.peer(f.Key.From).see(LinkPer, kindOf(own), f.Place) // whose octets it counts
	}
	id, known := l.named(f)
	if !known {
		_, ahead := l.flight.number(f.MessageID, id.reliable)
		if nack {
			ahead -= reliable.Window // what it misses may have been lost before the capture
		}
		if l.Data == 0 || ahead > 0 {
			l.Unsent.add(f.Place)
			return s
		}
		if !nack {
			return s // it is of what was forgotten, or came before the capture
		}
	}
	x := l.flight.exact(id, f)
	if x != nil && !nack {
		s.Answers = x.N
		if x.asks && !x.answered && l.flight.alone(x, f.Serial) {
			s.Trip = f.Since(x.Place)
			l.Trips.add(s.Trip, f.Place)
		}
		x.answered = true
		t.earlier(l, x)
		l.late(x, f)
	}
	l.tally.counted(f.BytesReceived)
	if nack {
		t.missing(l, f, id)
	}
	done, hole := l.settle(id, f, nack)
	if hole {
		l.Holes.add(f.Place)
	}
	l.progress(done, f.Place)
	s.Lost = t.lost
	return s
}

// named returns the frame that an ACK or NACK names, as one of its link, and whether the link has it. A NACK is about a
// reliable message, and the frame that it names may never have been captured.
func (l *Link) named(f *Frame) (id frameID, known bool) {
	id.reliable = f.Flags&reliable.RLY != 0 || f.Kind() == reliable.KindNACK
	for range 2 {
		id.number, _ = l.flight.number(f.MessageID, id.reliable)
		id.sequence = l.flight.sequence(id.messageID, f.Sequence)
		if m := l.flight.messages[id.messageID]; m != nil {
			if f.Kind() == reliable.KindNACK || id.sequence <= m.last {
				return id, true
			}
		}
		if f.Kind() == reliable.KindNACK {
			return id, false
		}
		id.reliable = !id.reliable // not everybody copies RLY
	}
	return id, false
}

// knows reports whether a link has what an ACK or NACK is about.
func (l *Link) knows(f *Frame) bool {
	_, ok := l.named(f)
	return ok
}

// awaits reports whether a link has the very frame that an ACK acknowledges, and waits for that.
func (l *Link) awaits(f *Frame) bool {
	id, ok := l.named(f)
	if !ok || f.Kind() == reliable.KindNACK {
		return false
	}
	x := l.flight.find(id)
	return x != nil && !x.acked && !x.answered && x.serial == f.Serial
}

// exact returns the sending that an ACK answers: the one with its serial, or the last one of the frame; nil if none is
// remembered.
func (f *flight) exact(id frameID, a *Frame) *sending {
	last := f.find(id)
	for x := last; x != nil; x = f.at(x.previous) {
		if x.serial == a.Serial {
			return x
		}
	}
	return last
}

// alone reports whether an ACK with a serial can answer no other sending of a frame.
func (f *flight) alone(x *sending, serial uint8) bool {
	if x.serial != serial {
		return x.before == 0 // who does not echo it
	}
	old := f.at(x.previous)
	return old == nil || old.serial != serial
}

// earlier notes the sendings before one that was answered: they were not, so that the frame was sent again.
func (t *Tracker) earlier(l *Link, x *sending) {
	for y := l.flight.at(x.previous); y != nil && len(t.lost) < reliable.Window; y = l.flight.at(y.previous) {
		if y.answered || y.serial == x.serial {
			return
		}
		y.answered = true // it is told once
		t.lost = append(t.lost, y.N)
	}
}

// late notes the sendings behind one that an ACK answers now: they came too early, because that one had arrived.
func (l *Link) late(x *sending, f *Frame) {
	if x.serial != f.Serial {
		return // who does not echo it
	}
	for y := l.flight.find(x.id); y != nil && y != x; y = l.flight.at(y.previous) {
		if y.serial != x.serial && !y.early {
			y.early = true
			l.Early++
			if !y.twice {
				l.Arrived++
			}
		}
	}
}

// missing notes the frames that a NACK reports.
func (t *Tracker) missing(l *Link, f *Frame, id frameID) {
	var list [8*reliable.MaxMask + 1]uint8
	for _, s := range f.Lost(list[:0]) {
		l.Named++
		n := id
		n.sequence += int32(s - f.Sequence)
		x := l.flight.find(n)
		if x == nil {
			x = l.flight.behind(id, s)
		}
		if x != nil && !x.acked && !x.named {
			x.named, x.namedAt = true, f.Place
			t.lost = append(t.lost, x.N)
		}
	}
}

// behind returns the last sending of the frame with a sequence in a reliable message behind another one, nil if there is
// none: where sequences run on through a link, a mask goes on into later messages.
func (f *flight) behind(id frameID, sequence uint8) *sending {
	for i := len(f.list) - 1; i >= 0; i-- {
		x := &f.list[i]
		if x.id.reliable && x.id.number > id.number && x.id.number < id.number+reliable.Window && uint8(x.id.sequence) == sequence {
			return x
		}
	}
	return nil
}

// settle marks what an ACK or NACK acknowledges: all before the frame that it names (2.2.4, 3.1.5.3), an ACK that frame
// too, a NACK what its mask passes over. It returns how many frames that were, and whether one of them had not arrived, by
// the octets that the receiver counted.
func (l *Link) settle(id frameID, f *Frame, nack bool) (done int, hole bool) {
	fl := &l.flight
	if old, ok := fl.high[id.reliable]; !nack && (!ok || id.number > old) {
		fl.high[id.reliable] = id.number
	}
	var acked map[messageID]bool
	var before []*sending
	octets, smallest := int64(0), int64(0)
	if x := fl.find(id); x != nil && x.vain && !nack {
		x.vain = false
		octets = int64(x.size) // now it was counted
	}
	fl.low = max(fl.low, fl.from)
	for x := fl.at(fl.low); x != nil && (x.acked || !x.id.reliable); x = fl.at(fl.low) {
		fl.low++
	}
	for i := fl.low - fl.from; i < len(fl.list); i++ {
		x := &fl.list[i]
		if x.acked || !l.covers(id, x.id, f, nack) {
			continue
		}
		x.acked, x.ackedAt = true, f.Place
		if !x.id.reliable || fl.index[x.id] != fl.from+i {
			continue
		}
		done++
		fl.open--
		if acked == nil {
			acked = map[messageID]bool{}
		}
		acked[x.id.messageID] = true
		size := int64(x.size)
		octets += size
		if x.id != id {
			before = append(before, x)
			if smallest == 0 || size < smallest {
				smallest = size
			}
		}
	}
	for m := range acked {
		if m.number < id.number || m == id.messageID && !nack {
			l.Acked++
		}
	}
	hole = l.tally.acknowledged(octets, smallest, fl.open == 0)
	for _, x := range before {
		x.vain = hole
	}
	return done, hole
}

// covers reports whether an ACK or NACK that names a frame acknowledges another one.
func (l *Link) covers(named, x frameID, f *Frame, nack bool) bool {
	if named.reliable != x.reliable && l.flight.two {
		return false
	}
	if named.messageID != x.messageID {
		return x.number < named.number
	}
	switch off := x.sequence - named.sequence; {
	case off < 0:
		return true
	case off == 0 || !nack:
		return off == 0 && !nack
	default:
		return off <= int32(8*f.Extended.MaskSize()) && f.Mask>>(off-1)&1 == 0
	}
}
