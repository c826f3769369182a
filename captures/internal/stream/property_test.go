package stream

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var onlySeed = flag.Uint64("seed", 0, "run the property tests with this seed only")

// seeds calls f with each seed, or with the one asked for.
func seeds(t *testing.T, n uint64, f func(seed uint64, rng *rand.Rand)) {
	for seed := uint64(1); seed <= n; seed++ {
		if *onlySeed != 0 && seed != *onlySeed {
			continue
		}
		f(seed, rand.New(rand.NewPCG(seed, 4)))
		if t.Failed() {
			t.Fatalf("repeat with: go test -run '%s$' -seed %d", t.Name(), seed)
		}
	}
}

// content is the octet with the sequence number seq in every stream of these tests.
func content(seq uint32) byte {
	seq *= 0x9E3779B1
	return byte(seq >> 24)
}

func contents(seq uint32, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = content(seq + uint32(i))
	}
	return b
}

// A traffic makes the segments of one connection: cut into random pieces, then some lost, duplicated,
// overlapping, cut off, with other content the second time, and shuffled within a window.
type traffic struct {
	rng                            *rand.Rand
	key                            Key
	isn                            uint32
	length                         int
	longest                        int // octets in a segment
	lose, again, cut, alter, noSYN float64
	shuffle                        int // how far a segment moves
}

func randomTraffic(rng *rand.Rand, n int) *traffic {
	x := &traffic{rng: rng, key: key(n), isn: rng.Uint32(), length: rng.IntN(2000), longest: 1 + rng.IntN(100)}
	if rng.IntN(4) > 0 { // the wrap is in the stream, or next to it
		x.isn = uint32(-rng.IntN(x.length + 3))
	}
	x.lose, x.again, x.cut = rng.Float64()*0.3, rng.Float64()*0.5, max(0, rng.Float64()-0.7)
	x.alter, x.shuffle = rng.Float64()*0.3, 1+rng.IntN(30)
	return x
}

// piece is the segment with the octets from to end of the stream.
func (x *traffic) piece(from, end int) Segment {
	seq := x.isn + 1 + uint32(from)
	s := Segment{Key: x.key, Seq: seq, Payload: contents(seq, end-from), FIN: end == x.length && x.rng.IntN(2) == 0}
	if n := len(s.Payload); x.rng.Float64() < x.cut {
		s.Cut = x.rng.IntN(n + 1)
		s.Payload = s.Payload[:n-s.Cut]
	}
	return s
}

func (x *traffic) segments() []Segment {
	type place struct {
		at int
		s  Segment
	}
	var all []place
	put := func(from, end int) {
		if x.rng.Float64() >= x.lose {
			all = append(all, place{len(all) + x.rng.IntN(x.shuffle), x.piece(from, end)})
		}
	}
	for from := 0; from < x.length; {
		end := min(x.length, from+1+x.rng.IntN(x.longest))
		put(from, end)
		for x.rng.Float64() < x.again {
			a := max(0, from-x.rng.IntN(3*x.longest))
			put(a, min(x.length, a+1+x.rng.IntN(2*x.longest)))
		}
		from = end
	}
	put(x.length, x.length) // often a FIN alone
	slices.SortStableFunc(all, func(a, b place) int { return a.at - b.at })
	var out []Segment
	if x.rng.Float64() >= x.noSYN {
		out = append(out, Segment{Key: x.key, Seq: x.isn, SYN: true})
	}
	for _, p := range all {
		if x.rng.Float64() < x.alter && len(p.s.Payload) > 0 {
			p.s.Payload[x.rng.IntN(len(p.s.Payload))] ^= 0xFF
		}
		out = append(out, p.s)
	}
	return out
}

// mix puts the segments of several streams in one order and numbers the frames from 1.
func mix(rng *rand.Rand, streams [][]Segment) []Segment {
	var out []Segment
	for len(streams) > 0 {
		i := rng.IntN(len(streams))
		if len(streams[i]) == 0 {
			streams = slices.Delete(streams, i, i+1)
			continue
		}
		s := streams[i][0]
		s.Frame = len(out) + 1
		out = append(out, s)
		streams[i] = streams[i][1:]
	}
	return out
}

// A model is what should become of one stream that has a SYN, no limits and no end before Flush: a plain table
// of which segment brought each octet first.
type model struct {
	first map[int]octet // by offset in the stream
	next  int           // the first offset that did not come
	end   int           // of the sequence space that was seen
	want  Counters
}

type octet struct {
	value byte
	frame int
}

func (m *model) add(x *traffic, s *Segment) {
	from := int(int32(s.Seq - x.isn - 1))
	if s.SYN {
		return
	}
	m.want.Payload += int64(len(s.Payload))
	probe := len(s.Payload) == 1 && from == m.next-1
	for i, v := range s.Payload {
		was, ok := m.first[from+i]
		switch {
		case !ok:
			m.first[from+i] = octet{v, s.Frame}
			m.want.Octets++
		case was.value != v && !probe:
			m.want.Conflict++
			fallthrough
		default:
			m.want.Duplicate++
		}
	}
	if end := from + len(s.Payload) + s.Cut; len(s.Payload)+s.Cut > 0 || s.FIN {
		m.end = max(m.end, end)
	}
	for ok := true; ok; m.next++ {
		if _, ok = m.first[m.next]; !ok {
			break
		}
	}
}

// With limits that are never reached, every octet is delivered as it came first, with the frame that brought it,
// all that is missing is Lost, and every octet that came again is counted.
func TestEveryOctet(t *testing.T) {
	endless := limits{
		heldSegments: 1 << 30, heldOctets: 1 << 30, heldTotal: 1 << 30, cutSegments: 1 << 30, history: 1 << 20,
	}
	seeds(t, 300, func(seed uint64, rng *rand.Rand) {
		r := newRecorder(t, endless)
		models, traffics := map[Key]*model{}, map[Key]*traffic{}
		var streams [][]Segment
		for n := range 1 + rng.IntN(3) {
			x := randomTraffic(rng, n)
			traffics[x.key], models[x.key] = x, &model{first: map[int]octet{}}
			streams = append(streams, x.segments())
		}
		r.check = func(c *Chunk) {
			m := models[c.Stream.Key]
			at := int(c.Stream.Octets+c.Stream.Lost) - len(c.Data)
			for i := range int(c.Lost) {
				if _, ok := m.first[at-1-i]; ok {
					t.Fatalf("seed %d: octet %d is not lost", seed, at-1-i)
				}
			}
			for i, v := range c.Data {
				if m.first[at+i] != (octet{v, c.Frame}) {
					t.Fatalf("seed %d: octet %d is %+v, not %d of frame %d", seed, at+i, m.first[at+i], v, c.Frame)
				}
			}
		}
		for _, s := range mix(rng, streams) {
			models[s.Key].add(traffics[s.Key], &s)
			r.add(s)
		}
		r.finish()
		require.Len(t, r.order, len(models), "seed %d", seed)
		for k, m := range models {
			m.want.Lost = int64(m.end) - m.want.Octets
			require.Equal(t, m.want, r.byKey(k).Counters, "seed %d, %v", seed, k)
		}
	})
}

func (r *recorder) byKey(k Key) *Stream {
	return r.order[slices.IndexFunc(r.order, func(s *Stream) bool { return s.Key == k })]
}

// With any limits, times, missing SYNs, garbage and connections that come again, what is delivered is what
// was sent, in order, and the account balances.
func TestAnyLimits(t *testing.T) {
	seeds(t, 300, func(seed uint64, rng *rand.Rand) {
		r := newRecorder(t, limits{
			window: 1 + rng.IntN(4000), jump: 1 + rng.IntN(8000), heldSegments: 1 + rng.IntN(20), heldOctets: 1 + rng.IntN(500),
			heldTotal: 1 + rng.IntN(20_000), cutSegments: rng.IntN(10) - 1, gapAge: time.Duration(1 + rng.IntN(int(time.Minute))),
			streams: 1 + rng.IntN(6), history: 1 << rng.IntN(12),
		})
		r.check = func(c *Chunk) { checkContent(t, c) }
		var streams [][]Segment
		for n := range 1 + rng.IntN(6) {
			x := randomTraffic(rng, n%4) // two connections can have the same ports
			x.alter, x.noSYN = 0, rng.Float64()
			streams = append(streams, x.segments())
		}
		now := start
		for i, s := range mix(rng, streams) {
			now = now.Add(time.Duration(rng.IntN(int(10*time.Second))) - time.Second)
			s.Time, s.Frame = now, i
			if rng.IntN(30) == 0 {
				s.Seq = rng.Uint32()
				s.Payload = contents(s.Seq, len(s.Payload))
			}
			s.RST = rng.IntN(200) == 0
			r.add(s)
		}
		r.finish()
		if c := r.a.Totals(); c.Conflict != 0 {
			t.Errorf("seed %d: %+v", seed, c)
		}
	})
}

// checkContent holds a chunk of a stream that was made by contents against what it should be.
func checkContent(t testing.TB, c *Chunk) {
	seq := uint32(c.Stream.next) - uint32(len(c.Data))
	for i, v := range c.Data {
		if v != content(seq+uint32(i)) {
			t.Fatalf("%v: octet %d of frame %d is not that of %#x", c.Stream.Key, i, c.Frame, seq+uint32(i))
		}
	}
}

// permutations calls f with every order of the numbers below n.
func permutations(n int, f func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var next func(k int)
	next = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			next(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	next(0)
}

// Five segments after a SYN make the same stream in all 120 orders, wherever the numbers wrap.
func TestPermutations(t *testing.T) {
	for name, segments := range map[string][]step{
		"side by side": {data(1, "ab"), data(3, "c"), data(4, "defg"), data(8, "hi"), data(10, "jkl").fin()},
		"overlapping":  {data(1, "abcd"), data(2, "bc"), data(3, "cdefgh"), data(7, "ghij"), data(9, "ijkl").fin()},
		"FIN alone":    {data(1, "a"), data(1, "abcdefghi"), data(4, "defghijkl"), data(12, "l"), data(13, "").fin()},
		"cut":          {data(1, "abc").cut(5), data(4, "defg"), data(6, "f").cut(7), data(7, "ghij"), data(10, "jkl").fin()},
	} {
		t.Run(name, func(t *testing.T) {
			permutations(len(segments), func(order []int) {
				for shift := range uint32(15) {
					joined(t, segments, order, -shift)
				}
			})
		})
	}
}

func joined(t *testing.T, segments []step, order []int, shift uint32) {
	r := newRecorder(t, limits{})
	var text strings.Builder
	r.check = func(c *Chunk) { text.Write(c.Data) }
	r.add(syn(shift).Segment)
	payload := int64(0)
	for _, i := range order {
		s := segments[i].Segment
		s.Seq += shift
		payload += int64(len(s.Payload))
		r.add(s)
	}
	c := r.order[0].Counters // it ended by its FIN
	r.finish()
	require.Equal(t, "abcdefghijkl", text.String(), "order %v", order)
	require.Equal(t, Counters{Payload: payload, Octets: 12, Duplicate: payload - 12}, c, "order %v", order)
}

// Five segments of which one is the SYN: nothing is delivered wrongly, nothing is unaccounted, and what is not
// delivered stood before the first segment that came.
func TestPermutationsOfSYN(t *testing.T) {
	segments := []step{syn(0), data(1, "ab"), data(3, "c"), data(4, "defg"), data(8, "hi")}
	permutations(len(segments), func(order []int) {
		r := newRecorder(t, limits{})
		var text strings.Builder
		r.check = func(c *Chunk) { text.Write(c.Data) }
		for _, i := range order {
			r.add(segments[i].Segment)
		}
		r.finish()
		from := len("abcdefghi") - text.Len()
		require.Equal(t, "abcdefghi"[from:], text.String(), "order %v", order)
		c := r.a.Totals()
		require.Equal(t, Counters{Payload: 9, Octets: int64(9 - from), Stray: int64(from), Before: int64(from)}, c, fmt.Sprint(order))
		require.Len(t, r.order, 1)
	})
}
