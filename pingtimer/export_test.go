package pingtimer

// Status returns how many messages of a peer came since the timer elapsed, and how many pings in a row it did not answer. known is false
// if the peer is not watched.
func (t *Timer[ID]) Status(id ID) (chatter uint64, missed int, known bool) {
	p := t.peers[id]
	if p == nil {
		return 0, 0, false
	}
	return p.chatter, p.missed, true
}
