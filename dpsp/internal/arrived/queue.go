package arrived

// A queue is the newest messages, at most Keep octets of them.
type queue struct {
	octets []byte // from begin on
	sizes  []int32
	begin  int
	first  int // in sizes
}

// entry is what a message takes beside its octets.
const entry = 4

// len returns how many messages there are.
func (q *queue) len() int { return len(q.sizes) - q.first }

// add adds a copy of a message, and drops the oldest ones beyond Keep: itself, if it is larger.
func (q *queue) add(message []byte) {
	if len(message)+entry > Keep {
		*q = queue{}
		return
	}
	n := q.len()
	for used := q.used() + len(message) + entry; used > Keep; n-- {
		used -= int(q.sizes[len(q.sizes)-n]) + entry
	}
	q.trim(n)
	if len(q.octets)+len(message) > cap(q.octets) && q.begin > 0 {
		q.octets = q.octets[:copy(q.octets, q.octets[q.begin:])]
		q.begin = 0
	}
	q.octets = append(q.octets, message...)
	q.sizes = append(q.sizes, int32(len(message)))
}

func (q *queue) used() int { return len(q.octets) - q.begin + entry*q.len() }

// trim drops all but the newest n messages.
func (q *queue) trim(n int) {
	if n == 0 {
		*q = queue{octets: q.octets[:0], sizes: q.sizes[:0]}
		if cap(q.octets) > Often {
			*q = queue{}
		}
		return
	}
	for q.len() > n {
		q.begin += int(q.sizes[q.first])
		q.first++
	}
	if q.first > len(q.sizes)/2 {
		q.sizes = q.sizes[:copy(q.sizes, q.sizes[q.first:])]
		q.first = 0
	}
}

// all returns the messages, oldest first.
func (q *queue) all() (all [][]byte) {
	at := q.begin
	for _, size := range q.sizes[q.first:] {
		all = append(all, q.octets[at:at+int(size):at+int(size)])
		at += int(size)
	}
	return all
}
