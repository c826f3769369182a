package links

import (
	"math"
	"slices"
	"time"

	"dplay4/wire/reliable"
)

// answered returns the link that an ACK is about: the one between the same players, or, where that has no such frame, the
// only one between other players of the two machines that waits for this ACK.
func (t *Tracker) answered(f *Frame) *Link {
	k := f.Key.Back()
	own := t.links[k]
	if own != nil && own.named(f) != (frameID{}) {
		return own
	}
	var wait []*Link
	links := t.way(k).links
	for _, l := range links[:min(len(links), maxElsewhere)] {
		if x := l.flight.frames[l.named(f)]; x != nil && !x.acked && x.last().awaits(f) {
			wait = append(wait, l)
		}
	}
	if len(wait) != 1 { // it cannot be told
		return t.link(k)
	}
	t.peer(f.Key.From).see(LinkPer, true, false, f.Place)
	return wait[0]
}

// awaits reports whether an ACK answers a sending that was not answered.
func (y *sending) awaits(f *Frame) bool { return !y.answered && y.serial == f.Serial }

// named returns the frame that an ACK names, as one of its link, zero if the link does not have it.
func (l *Link) named(f *Frame) frameID {
	rly := f.Flags&reliable.RLY != 0
	for _, reliably := range []bool{rly, !rly} { // not everybody copies RLY
		if id, m, _ := l.flight.identify(f.Frame, reliably); m != nil && id.sequence <= m.last {
			return id
		}
	}
	return frameID{}
}

// counted takes the bytes received of an ACK or NACK.
func (t *Tracker) counted(l *Link, f *Frame) *Peer {
	by := t.peer(f.Key.From)
	l.Counted = f.BytesReceived
	by.see(LinkPer, f.BytesReceived == uint32(l.way.octets), f.BytesReceived == uint32(l.Octets), f.Place) // whose octets it counts
	return by
}

// ack takes an ACK about a link.
func (t *Tracker) ack(l *Link, f *Frame) Step {
	s := Step{Link: l}
	l.ACKs++
	t.counted(l, f).see(Answers, false, true, f.Place)
	id := l.named(f)
	if id == (frameID{}) { // it is of what was forgotten, or came before the capture, or was not sent
		_, _, ahead := l.flight.identify(f.Frame, f.Flags&reliable.RLY != 0)
		if l.Data == 0 || ahead > 0 {
			l.Unsent.add(f.Place)
		}
		return s
	}
	l.tally.counted(f.BytesReceived)
	high := &l.flight.high[bit(id.reliable)]
	*high = max(*high, id.number)
	octets := int64(0)
	if x := l.flight.frames[id]; x != nil {
		s.Answers, s.Trip = t.answers(l, x, f)
		if x.vain { // now it was counted
			x.vain = false
			octets = x.last().size
		}
	}
	l.Acked += len(l.settle(id, f, octets))
	s.Lost = t.lost
	return s
}

// answers takes what an ACK shows of the sendings of the frame that it names. It returns the number of the message that the
// ACK answers: the last sending with its serial, or the last one of all where serials are not echoed. trip is zero if the ACK
// may answer another sending as well.
func (t *Tracker) answers(l *Link, x *frame, f *Frame) (number int, trip time.Duration) {
	i := len(x.sent) - 1
	for i > 0 && x.sent[i].serial != f.Serial {
		i--
	}
	echoed := x.sent[i].serial == f.Serial
	if !echoed {
		i = len(x.sent) - 1
	}
	y, before := x.sent[i], x.sent[:i]
	copied := i > 0 && before[i-1].serial == f.Serial
	if y.asks && !copied && (echoed || y.before == 0) {
		trip = f.Since(y.Place)
		l.Trips.add(trip, f.Place)
	}
	y.asks, y.answered = false, true
	for _, z := range slices.Backward(before) { // they were lost, so that the frame was sent again
		if z.answered || z.serial == y.serial || len(t.lost) >= reliable.Window {
			break
		}
		z.asks, z.answered = false, true // it is reported once
		t.lost = append(t.lost, z.N)
	}
	for _, z := range x.sent[i+1:] { // they came too early, because this one had arrived
		l.Early += bit(!z.early)
		l.Arrived += bit(!z.arrived)
		z.early, z.arrived = true, true
	}
	return y.N, trip
}

// nack takes a NACK about a link. It is about a reliable message, and the frame that it names may never have been captured.
func (t *Tracker) nack(l *Link, f *Frame) Step {
	l.NACKs++
	t.counted(l, f).see(Answers, true, false, f.Place)
	id, m, ahead := l.flight.identify(f.Frame, true)
	if m == nil && (l.Data == 0 || ahead > reliable.Window) { // less far ahead, what it misses may have been lost before the capture
		l.Unsent.add(f.Place)
		return Step{Link: l}
	}
	l.tally.counted(f.BytesReceived)
	t.missing(l, f, id)
	acked := l.settle(id, f, 0)
	delete(acked, id.messageID) // of that, the named frame is missing
	l.Acked += len(acked)
	return Step{Link: l, Lost: t.lost}
}

// missing notes the frames that a NACK reports.
func (t *Tracker) missing(l *Link, f *Frame, id frameID) {
	for _, s := range f.Lost(nil) {
		n := id
		n.sequence += int32(s - f.Sequence)
		x := l.flight.frames[n]
		if x == nil {
			x = l.flight.behind(id, s)
		}
		if x != nil && !x.acked && !x.named {
			x.named, x.namedAt = true, f.Place
			t.lost = append(t.lost, x.last().N)
		}
	}
}

// behind returns the frame with a sequence in a reliable message behind another one, the last one that was sent; nil if there is
// none: where sequences run on through a link, a mask goes on into later messages.
func (f *flight) behind(id frameID, sequence uint8) *frame {
	for _, y := range slices.Backward(f.sent) {
		x := y.frame
		if x.id.reliable && inWindow(x.id.number-id.number) && uint8(x.id.sequence) == sequence {
			return x
		}
	}
	return nil
}

// settle marks what an ACK or NACK acknowledges, and returns the messages of these frames. It notes whether one of those before the
// named frame had not arrived, by the octets that the receiver counted. octets are those of what was acknowledged in vain before.
func (l *Link) settle(id frameID, f *Frame, octets int64) map[messageID]bool {
	fl := &l.flight
	var acked []*frame
	fl.waiting = slices.DeleteFunc(fl.waiting, func(x *frame) bool {
		x.acked = fl.acknowledges(f, id, x.id)
		if x.acked {
			acked = append(acked, x)
		}
		return x.acked
	})
	smallest := int64(math.MaxInt64)
	for _, x := range acked {
		x.ackedAt = f.Place
		octets += x.last().size
		if x.id != id {
			smallest = min(smallest, x.last().size)
		}
	}
	hole := l.tally.acknowledged(octets, smallest, len(fl.waiting) == 0)
	for _, x := range acked {
		x.vain = hole && x.id != id
	}
	if hole {
		l.Holes.add(f.Place)
	}
	l.progress(len(acked), f.Place)
	return messagesOf(acked)
}

// acknowledges reports whether an ACK or NACK that names a frame acknowledges another one, of a reliable message: all before the named one
// (2.2.4, 3.1.5.3), an ACK that frame too, a NACK what its mask passes over.
func (f *flight) acknowledges(a *Frame, named, x frameID) bool {
	if named.messageID != x.messageID {
		return x.number < named.number && (named.reliable || !f.two)
	}
	missing := uint64(a.Mask)<<1 | uint64(bit(a.Kind() == reliable.KindNACK)) // from the named one on
	behind := x.sequence - named.sequence
	return behind < 0 || behind <= int32(8*a.Extended.MaskSize()) && missing>>behind&1 == 0
}
