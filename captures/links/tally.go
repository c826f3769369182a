package links

// A tally compares the octets that were sent on a link with those that its receiver says it counted (3.1.5.4).
//
// How far the receiver's count is behind what was sent up to the frame that it answers is what was lost. Where a receiver
// counts more than was captured (it counts other frames as well, or the capture began later), the difference is taken as
// it is.
type tally struct {
	total   int64 // octets sent
	missing int64 // of them, that the receiver will not count; negative: it counts more
	last    int64 // its last count, continued beyond 32 bits
	begun   bool  // there is a count
	even    bool  // at some count it had everything but missing
	unsure  int64 // octets sent since then of frames that may be lost without harm: unreliable, or sent again
	lost    int64 // octets that turned out to be missing, in all
}

// sent takes the octets of a Data frame.
func (t *tally) sent(size int, sure bool) {
	t.total += int64(size)
	if !sure {
		t.unsure += int64(size)
	}
}

// counted takes a count, with the sending that it answers, if that is known. It reports whether a reliable frame sent
// before that one is missing, and returns how many octets sent on the link the count covers, -1 if that is not sure.
// A count that is less than one before was overtaken, or is of a new link between the same indexes: it says nothing.
func (t *tally) counted(count uint32, x *sending) (hole bool, upTo int64) {
	if !t.begun {
		t.begun, t.last, t.even = true, int64(count), true
		if t.last > t.total {
			t.missing = t.total - t.last
		}
	} else {
		more := int32(count - uint32(t.last))
		if more < 0 {
			return false, -1
		}
		t.last += int64(more)
	}
	if over := t.last + t.missing - t.total; over > 0 {
		t.missing -= over // it came late after all, or is counted otherwise
	}
	if x != nil {
		if short := x.end - t.missing - t.last; short > 0 {
			hole = t.even && short > t.unsure
			t.missing += short
			t.lost += short
		}
	}
	if t.last+t.missing == t.total {
		t.even, t.unsure = true, 0
	}
	if !t.even || t.unsure > 0 {
		return hole, -1
	}
	return hole, t.last + t.missing
}
