package links

// A tally follows how many octets the receiver of a link says it counted (3.1.5.4), against those that it acknowledges.
// What it acknowledges it has to have counted: if its count leaves no place for a frame, the frame did not arrive. A
// receiver that counts more (repeated frames, ACKs, other links) only leaves more place.
type tally struct {
	sent   int64  // octets sent
	begun  bool   // there is a count
	last   uint32 // the highest one, modulo 2^32
	credit int64  // octets counted, of frames that were not acknowledged when it was last looked at
}

// counted takes a count. One that is less than one before was overtaken, or is of a new link between the same indexes: it
// shows nothing.
func (t *tally) counted(count uint32) {
	if !t.begun { // the capture may begin later than the link
		t.begun, t.last, t.credit = true, count, min(int64(count), t.sent)
	}
	more := max(0, int32(count-t.last))
	t.last += uint32(more)
	t.credit += int64(more)
}

// acknowledged takes the octets of reliable frames that were acknowledged for the first time, and those of the smallest one
// that was not named but lies before. It reports whether at least that one was not counted. all says that nothing is left
// to be acknowledged.
func (t *tally) acknowledged(octets, smallest int64, all bool) (hole bool) {
	t.credit -= octets
	hole = -t.credit >= smallest
	t.credit = max(0, t.credit)
	if all {
		t.credit = 0
	}
	return hole
}
