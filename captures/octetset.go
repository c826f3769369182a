package captures

import (
	"bytes"
	"math/bits"
)

// pageSize is how many octets of an octetSet are allocated at a time. Fragments of real messages have about
// 1 KiB.
const pageSize = 1 << 10

// pageCost is what a page takes, with its place in the map.
const pageCost = pageSize + pageSize/8 + 64

// An octetSet holds octets at places, in any order and with gaps. Each operation takes time by its length.
type octetSet struct {
	pages map[int]*page // by place / pageSize
	count int           // octets that are there
}

type page struct {
	have   [pageSize / 64]uint64
	octets [pageSize]byte
}

func (s *octetSet) cost() int { return len(s.pages) * pageCost }

// parts calls f for each page that the octets b, at a place, are in.
func parts(place int, b []byte, f func(number, at int, part []byte)) {
	for len(b) > 0 {
		number, at := place/pageSize, place%pageSize
		n := min(len(b), pageSize-at)
		f(number, at, b[:n])
		place, b = place+n, b[n:]
	}
}

// compare says how many of the octets at the place of b are there, and, if all are, whether they are the same.
func (s *octetSet) compare(place int, b []byte) (n int, same bool) {
	same = true
	parts(place, b, func(number, at int, part []byte) {
		if p := s.pages[number]; p != nil {
			n += p.among(at, at+len(part))
			same = same && bytes.Equal(p.octets[at:at+len(part)], part)
		}
	})
	return n, same && n == len(b)
}

// put adds octets of which none is there.
func (s *octetSet) put(place int, b []byte) {
	if s.pages == nil {
		s.pages = map[int]*page{}
	}
	parts(place, b, func(number, at int, part []byte) {
		p := s.pages[number]
		if p == nil {
			p = new(page)
			s.pages[number] = p
		}
		copy(p.octets[at:], part)
		eachWord(at, at+len(part), func(i int, mask uint64) { p.have[i] |= mask })
	})
	s.count += len(b)
}

// among counts the octets of a page that are there, of a range.
func (p *page) among(from, to int) (n int) {
	eachWord(from, to, func(i int, mask uint64) { n += bits.OnesCount64(p.have[i] & mask) })
	return n
}

// eachWord calls f for each word of bits of a range.
func eachWord(from, to int, f func(i int, mask uint64)) {
	for from < to {
		i := from / 64
		end := min(to, (i+1)*64)
		f(i, ^uint64(0)>>(64-(end-from))<<(from%64))
		from = end
	}
}

// bytes returns the first n octets, which are all there.
func (s *octetSet) bytes(n int) []byte {
	b := make([]byte, 0, n)
	for number := 0; len(b) < n; number++ {
		b = append(b, s.pages[number].octets[:min(pageSize, n-len(b))]...)
	}
	return b
}
