package stream

import (
	"encoding/binary"
	"testing"
	"time"
)

// FuzzAssembler plays segments made of the input: no panic, every promise of the package that the recorder and
// inspect know, and only octets that were sent, each in its place.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{0x10, 0, 0, 0, 1, 3, 0, 1, 2, 0, 0x40, 9, 4, 0x20, 0, 0}, uint8(0))
	f.Add([]byte("a SYN, then letters: 0123456789 abcdefghij ABCDEFGHIJ \x80\x81\x82\x83\xf0\xf1\xf2\xf3"), uint8(0xFF))
	for seed := range byte(8) { // octets without a pattern
		in := make([]byte, 600)
		for i := range in {
			in[i] = content(uint32(i)*7 + uint32(seed)<<20)
		}
		f.Add(in, seed*37)
	}
	f.Fuzz(func(t *testing.T, in []byte, limits uint8) {
		r := newRecorder(t, fuzzLimits(limits))
		r.check = func(c *Chunk) { checkContent(t, c) }
		now := start
		last := [4]uint32{1<<32 - 20, 1<<32 - 20, 1<<31 - 20, 0}
		for frame := 1; len(in) >= 4 && frame < 500; frame++ {
			var s Segment
			s, in = fuzzSegment(in, &last)
			now = now.Add(time.Duration(int8(in[0])) * time.Second / 4)
			s.Frame, s.Time = frame, now
			in = in[1:]
			r.add(s)
		}
		r.finish()
		if c := r.a.Totals(); c.Conflict != 0 {
			t.Fatalf("octets that are equal were taken for others: %+v", c)
		}
	})
}

// fuzzLimits chooses among limits that are soon reached.
func fuzzLimits(b uint8) limits {
	pick := func(bit uint, low, high int) int {
		if b>>bit&1 == 0 {
			return low
		}
		return high
	}
	return limits{
		window: pick(0, 300, 1<<30), jump: pick(1, 1000, 1<<30), heldSegments: pick(2, 5, 100), heldOctets: pick(3, 200, 1<<20),
		heldTotal: pick(4, 4000, 1<<20), cutSegments: pick(5, -1, 4), streams: pick(6, 2, 10), history: pick(7, 1, 256),
	}
}

// fuzzSegment takes three octets or more of the input, and leaves one: flags, where the segment begins relative
// to the one before of its stream, and how long it is.
func fuzzSegment(in []byte, last *[4]uint32) (Segment, []byte) {
	flags, move, n := in[0], in[1], int(in[2])
	in = in[3:]
	seq := &last[flags&3]
	*seq += uint32(int32(int8(move)))
	if flags&0xC0 == 0xC0 && len(in) > 4 { // anywhere
		*seq = binary.BigEndian.Uint32(in)
		in = in[4:]
	}
	s := Segment{Key: key(int(flags & 3)), Seq: *seq, SYN: flags&0x1C == 0x1C, FIN: flags&0x2C == 0x2C, RST: flags&0x3C == 0x38}
	first := s.Seq
	if s.SYN {
		first++
	}
	if n >= 200 {
		s.Cut, n = n-200, n%17
	}
	s.Payload = contents(first, n)
	*seq = first + uint32(n)
	return s, in
}
