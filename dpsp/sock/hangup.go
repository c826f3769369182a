package sock

import "time"

// lookAgain is how often hangUp looks whether the peer has everything.
const lookAgain = 10 * time.Millisecond

// hangUp closes a connection so that nothing comes out of it later. A plain close leaves what the peer did not
// acknowledge to the system, which sends it again for minutes: to a machine that was given up because the network was
// cut, and that is back in the session when the network is mended, an old goodbye would come. So the peer has until
// limits.linger after the connection was ended to take what was written. What it has not taken by then is thrown away.
// The peer says nothing on our connection; all that comes is its end, when it has read ours.
func (w *writer) hangUp() {
	defer w.conn.Close()
	if w.broken || !w.taken() {
		w.conn.SetLinger(0)
	}
}

// taken ends what we say on a connection and waits until the peer has all of it; false if it has not when time is up, or
// if that cannot be known.
func (w *writer) taken() bool {
	w.conn.CloseWrite()
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for !acknowledged(w.conn) {
		select {
		case <-w.gone:
			return acknowledged(w.conn)
		case <-w.life.Done():
			return acknowledged(w.conn)
		case <-look.C:
		}
	}
	return true
}
