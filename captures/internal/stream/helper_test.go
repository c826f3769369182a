package stream

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var start = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// key is the n-th direction of the tests.
func key(n int) Key {
	return Key{
		Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), uint16(2300+n)),
		Dst: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 2}), 47624),
	}
}

// A step is a segment of a test, written as data(100, "abc").fin().
type step struct{ Segment }

func data(seq uint32, payload string) step {
	return step{Segment{Key: key(0), Seq: seq, Payload: []byte(payload), Time: start}}
}
func syn(seq uint32) step          { s := data(seq, ""); s.SYN = true; return s }
func (s step) syn() step           { s.SYN = true; return s }
func (s step) fin() step           { s.FIN = true; return s }
func (s step) rst() step           { s.RST = true; return s }
func (s step) cut(n int) step      { s.Cut = n; return s }
func (s step) on(n int) step       { s.Key = key(n); return s }
func (s step) at(sec float64) step { s.Time = start.Add(time.Duration(sec * 1e9)); return s }

// A seen stream is what a recorder knows of one.
type seen struct {
	octets, lost int64
	over         bool
}

// A recorder is a handler that writes down the chunks and holds each one against the package's promises.
type recorder struct {
	t       testing.TB
	a       *Assembler
	lines   []string
	streams map[*Stream]*seen
	order   []*Stream // by their first chunks
	check   func(c *Chunk)
}

func newRecorder(t testing.TB, l limits) *recorder {
	r := &recorder{t: t, streams: map[*Stream]*seen{}}
	r.a = newAssembler(l, r.chunk)
	return r
}

// newAssembler returns an Assembler with limits, of which those that are zero are the usual ones.
func newAssembler(l limits, handle func(*Chunk)) *Assembler {
	a := New(handle)
	a.limits = limits{
		window: cmp.Or(l.window, usual.window), jump: cmp.Or(l.jump, usual.jump), heldSegments: cmp.Or(l.heldSegments, usual.heldSegments),
		heldOctets: cmp.Or(l.heldOctets, usual.heldOctets), heldTotal: cmp.Or(l.heldTotal, usual.heldTotal),
		cutSegments: max(cmp.Or(l.cutSegments, usual.cutSegments), 0), // negative: none
		gapAge:      cmp.Or(l.gapAge, usual.gapAge), streams: cmp.Or(l.streams, usual.streams), history: cmp.Or(l.history, usual.history),
	}
	a.limits.jump = max(a.limits.jump, a.limits.window)
	return a
}

func (r *recorder) chunk(c *Chunk) {
	s := r.streams[c.Stream]
	begins := s == nil
	if begins {
		s = new(seen)
		r.streams[c.Stream] = s
		r.order = append(r.order, c.Stream)
	}
	if s.over || c.End != (len(c.Data) == 0) || c.Lost < 0 {
		r.t.Fatalf("impossible chunk %+v after %+v", c, s)
	}
	s.over = c.End
	s.octets += int64(len(c.Data))
	s.lost += c.Lost
	if s.octets != c.Stream.Octets || s.lost != c.Stream.Lost {
		r.t.Fatalf("counters %+v, but delivered were %+v", c.Stream.Counters, s)
	}
	if r.check != nil {
		r.check(c)
		return
	}
	r.lines = append(r.lines, line(c, begins))
}

// line writes a chunk as "frame: begin midway lost 3 "abc"", with the stream in front if it is not the first.
func line(c *Chunk, begins bool) string {
	var b strings.Builder
	if n := c.Stream.Key.Src.Port() - 2300; n > 0 {
		fmt.Fprintf(&b, "stream %d ", n)
	}
	fmt.Fprintf(&b, "%d:", c.Frame)
	if begins {
		b.WriteString(" begin")
	}
	if begins && c.Stream.Midway {
		b.WriteString(" midway")
	}
	if c.Lost > 0 {
		fmt.Fprintf(&b, " lost %d", c.Lost)
	}
	if c.End {
		b.WriteString(" end")
	} else {
		fmt.Fprintf(&b, " %q", c.Data)
	}
	return b.String()
}

// add gives a segment to the assembler, spoils its payload afterwards, and looks for damage.
func (r *recorder) add(seg Segment) {
	own := append([]byte(nil), seg.Payload...)
	seg.Payload = own
	r.a.Add(&seg)
	for i := range own {
		own[i] ^= 0xA5 // who kept the slice will deliver this
	}
	inspect(r.t, r.a)
}

// finish flushes and checks the account of every stream and the sum.
func (r *recorder) finish() {
	before := r.a.Totals()
	r.a.Flush()
	inspect(r.t, r.a)
	require.Empty(r.t, r.a.streams)
	require.Nil(r.t, r.a.waiting.first)
	require.Zero(r.t, r.a.charge)
	for _, s := range r.order {
		balance(r.t, s)
		require.True(r.t, r.streams[s].over)
	}
	total := r.a.Totals()
	require.Equal(r.t, before.Payload, total.Payload)
	require.Equal(r.t, total.Payload, total.Octets+total.Duplicate+total.Stray)
}

// balance checks the account of a stream that is over.
func balance(t testing.TB, s *Stream) {
	c := s.Counters
	if c.Payload != c.Octets+c.Duplicate+c.Stray || s.next-s.base != c.Octets+c.Lost ||
		c.Conflict > c.Duplicate || c.Late+c.Before > c.Stray {
		t.Fatalf("unbalanced: %+v, positions %d to %d", c, s.base, s.next)
	}
}

// inspect recounts everything that an assembler keeps and holds it against its limits.
func inspect(t testing.TB, a *Assembler) {
	charge, held := 0, 0
	for p := a.waiting.first; p != nil; p = p.age.next {
		held++
		charge += pieceCost + cap(p.buf)
		if (p.buf == nil) != (p.kind == missing || p.kind == mark) {
			t.Fatalf("the octets of %+v are not its own", p)
		}
	}
	if charge != a.charge || charge > a.limits.heldTotal || len(a.streams) > max(a.limits.streams, 0) {
		t.Fatalf("charge %d, counted %d, %d streams, limits %+v", a.charge, charge, len(a.streams), a.limits)
	}
	streams := 0
	for _, l := range []*list[Stream]{&a.open, &a.ended} {
		for s := l.first; s != nil; s = s.age.next {
			streams++
			held -= s.pieces
			inspectStream(t, a, s)
			if s.over != (l == &a.ended) || a.streams[s.Key] != s {
				t.Fatalf("stream %v is in the wrong list", s.Key)
			}
		}
	}
	if held != 0 || streams != len(a.streams) || len(a.fresh) > 0 {
		t.Fatalf("%d streams listed, %d known, %d pieces too many", streams, len(a.streams), held)
	}
	if a.spare.octets > maxSpareOctets || a.spare.count > maxSparePieces {
		t.Fatalf("%d octets and %d pieces are spare", a.spare.octets, a.spare.count)
	}
}

func inspectStream(t testing.TB, a *Assembler, s *Stream) {
	pieces, octets, end := 0, 0, s.next
	for p := s.first; p != nil; p = p.position.next {
		if p.pos < end || p.stream != s || p.kind == distant || p.kind != missing && int(p.end-p.pos) != len(p.data) {
			t.Fatalf("piece %+v overlaps or is damaged", p)
		}
		pieces, octets, end = pieces+1, octets+len(p.data), p.end
	}
	if f := s.first; f != nil && f.pos == s.next && f.kind != missing {
		t.Fatalf("piece %+v waits for nothing", f)
	}
	over := s.first != nil && (s.pieces > a.limits.heldSegments || s.octets > a.limits.heldOctets)
	if s.candidate != nil {
		pieces, octets = pieces+1, octets+len(s.candidate.data)
	}
	if pieces != s.pieces || octets != s.octets || over || s.over && s.first != nil {
		t.Fatalf("stream %v: %d pieces, counted %d; %d octets, counted %d", s.Key, s.pieces, pieces, s.octets, octets)
	}
	if len(s.past.ring) > a.limits.history || len(s.holes) > maxHoles || s.next-s.base != s.Octets+s.Lost {
		t.Fatalf("stream %v: %d to %d, %+v", s.Key, s.base, s.next, s.Counters)
	}
}

// A rule is a row of the tables: segments, which are frames 1, 2, ..., the chunks they become, and the
// account, without Payload, which is counted.
type rule struct {
	name   string
	limits limits
	steps  []step
	chunks []string
	want   Counters
}

// run plays the rule with all sequence numbers moved by shift.
func (x *rule) run(t *testing.T, shift uint32) {
	r := newRecorder(t, x.limits)
	want := x.want
	for i, s := range x.steps {
		s.Seq += shift
		s.Frame = i + 1
		r.add(s.Segment)
		want.Payload += int64(len(s.Payload))
	}
	r.finish()
	require.Equal(t, x.chunks, r.lines, "moved by %#x", shift)
	require.Equal(t, want, r.a.Totals(), "moved by %#x", shift)
}

// play plays the rules, as written and moved so that the numbers wrap at each place from 60 to 260: before,
// between and inside the segments, the gaps and what waits. The tables begin near 100.
func play(t *testing.T, rules []rule) {
	for _, x := range rules {
		t.Run(x.name, func(t *testing.T) {
			x.run(t, 0)
			for at := uint32(60); at <= 260; at++ {
				x.run(t, -at)
			}
		})
	}
}

func TestKey(t *testing.T) {
	k := key(1)
	assert.Equal(t, "10.0.0.1:2301 > 10.0.0.2:47624", k.String())
}

// Totals is the sum of the counters of all streams, forgotten ones included, and of RST segments that belong
// to no stream. What waits is only in Payload.
func (a *Assembler) Totals() Counters {
	sum := a.retired
	for _, l := range []*list[Stream]{&a.open, &a.ended} {
		for s := l.first; s != nil; s = s.age.next {
			sum.add(&s.Counters)
		}
	}
	return sum
}
