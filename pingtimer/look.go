package pingtimer

import "time"

// Look says what is to be done at a time: whom to ping, with the tick count that [Timer.Tick] gives for the same time,
// and who is lost and no longer watched. Both are empty before the timer elapses, in order of adding, and valid until
// the next Look. A time before one that was passed earlier counts as that one.
func (t *Timer[ID]) Look(now time.Duration) (ping, lost []ID) {
	t.ping, t.lost = t.ping[:0], t.lost[:0]
	now = t.at(now)
	if now < t.Next() {
		return t.ping, t.lost
	}
	counts := now-t.due < t.period // whoever comes later than that did not listen for answers
	for p := t.first; p != nil; p = p.next {
		switch {
		case p.chatter > 0:
			p.chatter = 0
		case counts && p.missed >= t.probes:
			t.lost = append(t.lost, p.id)
			t.remove(p)
		default:
			if counts {
				p.missed++
			}
			t.ping = append(t.ping, p.id)
		}
	}
	t.start(now)
	if t.grid != 0 && t.due-now < t.period/2 { // whoever was pinged now has to have time for an answer
		t.start(t.due)
	}
	return t.ping, t.lost
}
