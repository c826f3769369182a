package arrived

import "encoding/binary"

// A queue is the newest messages. It takes at most Keep octets of memory.
type queue struct {
	octets []byte // each message behind its entry, from begin on
	begin  int
	n      int // messages
}

const (
	entry = 4            // the octets of a message's size
	void  = 1 << 31      // in an entry: the message is not sent again
	most  = Keep * 7 / 8 // octets of messages with their entries; the rest is why few additions move them
)

// len returns how many messages there are.
func (q *queue) len() int { return q.n }

// used returns how many octets the messages take.
func (q *queue) used() int { return len(q.octets) - q.begin }

// add adds a copy of a message, and drops the oldest ones for which there is no room: itself, if it is larger than all that is kept.
func (q *queue) add(message []byte) {
	size := entry + len(message)
	if size > most {
		*q = queue{}
		return
	}
	for q.used()+size > most {
		q.drop()
	}
	if need := len(q.octets) + size; need > cap(q.octets) {
		into := q.octets[:0]
		if live := q.used(); live+size > cap(q.octets)*7/8 {
			into = make([]byte, 0, min(max(2*cap(q.octets), live+size), Keep))
		}
		q.octets, q.begin = append(into, q.octets[q.begin:]...), 0
	}
	q.octets = append(binary.LittleEndian.AppendUint32(q.octets, uint32(len(message))), message...)
	q.n++
}

// next returns the message at an offset, whether it is void, and the offset of the next one.
func (q *queue) next(at int) (message []byte, isVoid bool, end int) {
	x := binary.LittleEndian.Uint32(q.octets[at:])
	at += entry
	end = at + int(x&^void)
	return q.octets[at:end:end], x&void != 0, end
}

// drop drops the oldest message.
func (q *queue) drop() {
	_, _, q.begin = q.next(q.begin)
	q.n--
}

// trim drops all but the newest n messages.
func (q *queue) trim(n int) {
	if n == 0 {
		*q = queue{octets: q.octets[:0]}
		if cap(q.octets) > Often {
			*q = queue{}
		}
		return
	}
	for q.n > n {
		q.drop()
	}
}

// mark has the messages for which is returns true count as void.
func (q *queue) mark(is func([]byte) bool) {
	for at := q.begin; at < len(q.octets); {
		m, _, end := q.next(at)
		if is(m) {
			q.octets[at+entry-1] |= void >> 24
		}
		at = end
	}
}

// pack drops the void messages, and returns how many these were.
func (q *queue) pack() (dropped int) {
	to := q.begin
	for at := q.begin; at < len(q.octets); {
		_, isVoid, end := q.next(at)
		if isVoid {
			dropped++
		} else {
			to += copy(q.octets[to:], q.octets[at:end])
		}
		at = end
	}
	q.octets = q.octets[:to]
	q.n -= dropped
	return dropped
}

// all returns the messages, oldest first.
func (q *queue) all() (all [][]byte) {
	for at := q.begin; at < len(q.octets); {
		var m []byte
		m, _, at = q.next(at)
		all = append(all, m)
	}
	return all
}
