package sock

import (
	"io"

	"dplay4/dpsp"
)

// An intake is what came over a connection and was not handled yet. Its memory grows with what came, not with what a
// header promises.
type intake struct {
	conn io.Reader
	room func(octets int) bool // asked how many octets it may hold, before it does
	appetite
	buf     []byte
	at, end int // what is not handled yet
}

// An appetite is the size to which an intake may grow although no message asks for it, and the size that it keeps.
type appetite struct{ ahead, keep int }

// appetites are those for peers: of members much is expected.
var appetites = [...]appetite{
	dpsp.Stranger: {readLeast, readAhead}, dpsp.Newcomer: {readLeast, readAhead}, dpsp.Member: {readAhead, readKeep},
}

const (
	// readLeast is what an intake begins with. It holds what a stranger has to say, and a thousand of them are 512 KiB.
	readLeast = 512
	// readAhead is how much is read at once of a peer that says much.
	readAhead = 16 << 10
	// readKeep is the largest memory that a peer's intake keeps for its next large message.
	readKeep = 64 << 10
)

// errRoom says that there is no room for what came.
type errRoom struct{}

func (errRoom) Error() string { return "no room for an unfinished message" }

// waiting returns what came and was not handled. It is valid until the next fill.
func (r *intake) waiting() []byte { return r.buf[r.at:r.end] }

// handled says that n octets of it are.
func (r *intake) handled(n int) { r.at += n }

// fill waits until n octets are there. What was there before stays after an error.
func (r *intake) fill(n int) error {
	for r.end-r.at < n {
		if !r.grow(n) {
			return errRoom{}
		}
		m, err := r.conn.Read(r.buf[r.end:])
		r.end += m
		if err != nil && r.end-r.at < n {
			return err
		}
	}
	return nil
}

// grow makes room to read to, on the way to n octets.
func (r *intake) grow(n int) bool {
	full := r.end == len(r.buf)
	copy(r.buf, r.buf[r.at:r.end])
	r.at, r.end = 0, r.end-r.at
	most := max(n, r.ahead)
	if r.end == len(r.buf) || full && len(r.buf) < most {
		return r.resize(max(r.end+1, min(max(2*len(r.buf), readLeast), most)))
	}
	return true
}

// resize takes other memory of at least what waits.
func (r *intake) resize(octets int) bool {
	if !r.room(octets) {
		return false
	}
	buf := make([]byte, octets)
	copy(buf, r.buf[:r.end])
	r.buf = buf
	return true
}

// rest gives back what a large message needed, once all is handled.
func (r *intake) rest() {
	if r.at == r.end && len(r.buf) > r.keep {
		r.at, r.end, r.buf = 0, 0, nil
		r.room(0)
	}
}
