package stream

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rules of the package comment for segments that are not believed.
func TestStray(t *testing.T) {
	l := limits{window: 100, jump: 1000}
	begin, far := `2: begin "abc"`, uint32(200_000)
	play(t, []rule{
		{
			name:   "the window's edges",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(203, "x"), data(204, "y"), data(3, "zz"), data(2, "w")},
			chunks: []string{begin, `3: lost 100 "x"`, "6: end"},
			want:   Counters{Octets: 4, Lost: 100, Stray: 4, Before: 2},
		},
		{
			name:   "one too far, then the stream goes on",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(204, "spoof"), data(103, "d"), data(209, "spoof"), data(104, "e")},
			chunks: []string{begin, `4: "d"`, `6: "e"`, "6: end"},
			want:   Counters{Octets: 5, Stray: 10},
		},
		{
			name:   "one too far at the end",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(5000, "spoof").cut(9)},
			chunks: []string{begin, "3: end"},
			want:   Counters{Octets: 3, Stray: 5},
		},
		{
			name:   "the same one twice does not confirm it",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(5000, "spoof"), data(5000, "spoof"), data(4000, "spoof"), data(103, "d")},
			chunks: []string{begin, `6: "d"`, "6: end"},
			want:   Counters{Octets: 4, Stray: 15},
		},
		{
			name:   "two that follow each other are a gap",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(503, "x").cut(2), data(506, "y"), data(507, "z").fin()},
			chunks: []string{begin, `3: lost 400 "x"`, `4: lost 2 "y"`, `5: "z"`, "5: end"},
			want:   Counters{Octets: 6, Lost: 402},
		},
		{
			name:   "what waited before the gap comes first, and acknowledgements do not disturb",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(104, "e"), data(503, "x"), data(504, ""), data(505, "z"), data(504, "y")},
			chunks: []string{begin, `3: lost 1 "e"`, `4: lost 398 "x"`, `7: "y"`, `6: "z"`, "7: end"},
			want:   Counters{Octets: 7, Lost: 399},
		},
		{
			name:   "what waits reaches into the new place",
			limits: l,
			steps: []step{syn(99), data(100, "abc"), data(203, "0123456789"), data(204, "1X345"), data(209, "6"), data(206, "3"),
				data(214, "b"), data(215, "c")},
			chunks: []string{begin, `3: lost 100 "0123456789"`, `7: lost 1 "b"`, `8: "c"`, "8: end"},
			want:   Counters{Octets: 15, Lost: 101, Duplicate: 7, Conflict: 1},
		},
		{
			name:   "a FIN that waits ends the stream before the gap, a new one begins",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(104, "").fin(), data(503, "x"), data(504, "y")},
			chunks: []string{begin, "3: lost 1 end", `4: begin midway "x"`, `5: "y"`, "5: end"},
			want:   Counters{Octets: 5, Lost: 1},
		},
		{
			name:   "forwards by more than Jump is a new stream",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(104, "e"), data(1104, "x"), data(1106, "z"), data(1105, "y")},
			chunks: []string{begin, `3: lost 1 "e"`, "5: end", `4: begin midway "x"`, `6: "y"`, `5: "z"`, "6: end"},
			want:   Counters{Octets: 7, Lost: 1},
		},
		{
			name:   "forwards by Jump is a gap",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(1103, "x"), data(1104, "y")},
			chunks: []string{begin, `3: lost 1000 "x"`, `4: "y"`, "4: end"},
			want:   Counters{Octets: 5, Lost: 1000},
		},
		{
			name:   "the cut of the first is known to be one",
			limits: limits{window: 100, jump: 1000, cutSegments: -1},
			steps:  []step{syn(99), data(100, "abc"), data(503, "x").cut(2), data(506, "y"), data(504, "vw")},
			chunks: []string{begin, `3: lost 400 "x"`, `4: lost 2 "y"`, "5: end"},
			want:   Counters{Octets: 5, Lost: 402, Stray: 2, Late: 2},
		},
		{
			name:   "the second begins nearby counted from the end of the cut",
			limits: limits{window: 100_000, jump: 1_000_000},
			steps:  []step{syn(99), data(100, "abc"), data(far, "x").cut(50_000), data(far+100_000, "y").fin(), data(far+1, "z")},
			chunks: []string{begin, fmt.Sprintf(`3: lost %d "x"`, far-103), `5: "z"`, `4: lost 99998 "y"`, "4: end"},
			want:   Counters{Octets: 6, Lost: int64(far-103) + 99998},
		},
		{
			name:   "backwards is a new stream",
			limits: l,
			steps:  []step{syn(999), data(1000, "abc"), data(100, "x"), data(101, "y")},
			chunks: []string{begin, "4: end", `3: begin midway "x"`, `4: "y"`, "4: end"},
			want:   Counters{Octets: 5},
		},
		{
			name:   "a FIN cannot be a candidate, but confirms one",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(500, "x").fin(), data(501, "y"), data(502, "z").fin()},
			chunks: []string{begin, `4: lost 398 "y"`, `5: "z"`, "5: end"},
			want:   Counters{Octets: 5, Lost: 398, Stray: 1},
		},
		{
			name:   "nearby, and just not",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(500, "x"), data(501+1<<16+1, "y"), data(far, "w"), data(far+1+1<<16, "z")},
			chunks: []string{begin, "6: end", `5: begin midway "w"`, `6: lost 65536 "z"`, "6: end"},
			want:   Counters{Octets: 5, Lost: 65536, Stray: 2},
		},
		{
			name:   "what goes on after the end is a new stream",
			steps:  []step{syn(99), data(100, "abc"), data(103, "").rst(), data(103, "x"), data(104, "y"), data(104, "y")},
			chunks: []string{begin, "3: end", `4: begin midway "x"`, `5: "y"`, "6: end"},
			want:   Counters{Octets: 5, Duplicate: 1},
		},
		{
			name:   "an octet after the end is not",
			steps:  []step{syn(99), data(100, "abc").fin(), data(103, "x"), data(103, "x")},
			chunks: []string{begin, "2: end"},
			want:   Counters{Octets: 3, Stray: 2},
		},
		{
			name:   "a candidate grows old",
			limits: l,
			steps:  []step{syn(99), data(100, "abc"), data(500, "x"), data(501, "y").at(31), data(502, "z").at(32)},
			chunks: []string{begin, `4: lost 398 "y"`, `5: "z"`, "5: end"},
			want:   Counters{Octets: 5, Lost: 398, Stray: 1},
		},
	})
}

// With the default limits: a capture that misses 50 MB goes on, a spoofed segment makes no gap of gigabytes.
func TestBigGap(t *testing.T) {
	for _, isn := range []uint32{0, 1<<32 - 5, 1<<32 - 30_000_000, 1<<32 - 50_000_005} {
		(&rule{
			steps: []step{syn(0), data(1, "abc"), data(50_000_004, "x"), data(50_000_005, "y"),
				data(2_000_000_000, "spoof"), data(50_000_006, "z"), data(1_000_000_000, "spoof")},
			chunks: []string{`2: begin "abc"`, `3: lost 50000000 "x"`, `4: "y"`, `6: "z"`, "7: end"},
			want:   Counters{Octets: 6, Lost: 50_000_000, Stray: 10},
		}).run(t, isn)
	}
}

// A gap is given up when too much waits behind it, or too long.
func TestGivingUp(t *testing.T) {
	begin := `2: begin "abc"`
	play(t, []rule{
		{
			name:   "HeldSegments",
			limits: limits{heldSegments: 2},
			steps: []step{syn(99), data(100, "abc"), data(105, "f"), data(107, "h"), data(109, "j"), data(103, "de"),
				data(106, "g"), data(108, "i")},
			chunks: []string{begin, `3: lost 2 "f"`, `7: "g"`, `4: "h"`, `8: "i"`, `5: "j"`, "8: end"},
			want:   Counters{Octets: 8, Lost: 2, Stray: 2, Late: 2},
		},
		{
			name:   "HeldOctets",
			limits: limits{heldOctets: 5},
			steps:  []step{syn(99), data(100, "abc"), data(105, "fgh"), data(110, "kl"), data(103, "d"), data(113, "n"), data(108, "ij")},
			chunks: []string{begin, `5: "d"`, `3: lost 1 "fgh"`, `7: "ij"`, `4: "kl"`, `6: lost 1 "n"`, "7: end"},
			want:   Counters{Octets: 12, Lost: 2},
		},
		{
			name: "GapAge",
			steps: []step{syn(99), data(100, "abc"), data(105, "f"), data(109, "j").at(29), data(107, "h").at(30), data(0, "").at(30.1),
				data(103, "deXgh").at(30.2)},
			chunks: []string{begin, `3: lost 2 "f"`, `7: "g"`, `5: "h"`, `4: lost 1 "j"`, "7: end"},
			want:   Counters{Octets: 7, Lost: 3, Duplicate: 2, Stray: 2, Late: 2, Conflict: 1},
		},
		{
			name:   "GapAge, the first to come stands behind a later one",
			limits: limits{gapAge: time.Second},
			steps: []step{syn(99), data(100, "abc"), data(109, "j"), data(105, "f").at(1), data(111, "l").at(1),
				data(0, "").on(1).at(1.5)},
			chunks: []string{begin, `4: lost 2 "f"`, `3: lost 3 "j"`, `5: lost 1 "l"`, "5: end"},
			want:   Counters{Octets: 6, Lost: 6},
		},
		{
			name: "GapAge, an early FIN, and a cut at the end",
			steps: []step{syn(99), data(103, "").fin(), syn(99).on(1), data(100, "x").on(1).cut(3), data(0, "").at(40),
				data(101, "y").on(1).at(41)},
			chunks: []string{`stream 1 4: begin "x"`, "2: begin lost 3 end", "stream 1 6: lost 3 end"},
			want:   Counters{Octets: 1, Lost: 6, Stray: 1, Late: 1},
		},
		{
			name: "the clock is set back",
			steps: []step{syn(99), data(100, "abc"), data(105, "f"), data(103, "").at(-29), data(106, "g").at(-31),
				data(103, "de").at(-31)},
			chunks: []string{begin, `3: lost 2 "f"`, `5: "g"`, "6: end"},
			want:   Counters{Octets: 5, Lost: 2, Stray: 2, Late: 2},
		},
		{
			name:   "heldTotal: what waits longest in all streams goes",
			limits: limits{heldTotal: 3 * (512 + pieceCost)},
			steps: []step{syn(99), syn(99).on(1), data(102, "c"), data(102, "c").on(1), data(105, "f"), data(101, "b"),
				data(105, "f").on(1), data(107, "").fin()},
			chunks: []string{`6: begin lost 1 "b"`, `3: "c"`, `stream 1 4: begin lost 2 "c"`, `5: lost 2 "f"`, "8: lost 1 end",
				`stream 1 7: lost 2 "f"`, "stream 1 7: end"},
			want: Counters{Octets: 5, Lost: 8},
		},
	})
}

// The stream that was idle longest goes, ended ones first, and what it held is delivered.
func TestStreams(t *testing.T) {
	(&rule{
		limits: limits{streams: 2},
		steps: []step{syn(99), syn(99).on(1), data(101, "b"), data(101, "c").on(1), data(102, "d").on(2),
			data(100, "e").on(1), data(102, "").on(1).fin(), data(100, "f").on(3), data(103, "g").on(2), data(102, "h").on(1)},
		chunks: []string{`3: begin lost 1 "b"`, "3: end", `stream 2 5: begin midway "d"`, `stream 1 6: begin "e"`,
			`stream 1 4: "c"`, "stream 1 7: end",
			`stream 3 8: begin midway "f"`, `stream 2 9: "g"`, "stream 3 8: end", `stream 1 10: begin midway "h"`, "stream 2 9: end",
			"stream 1 10: end"},
		want: Counters{Octets: 7, Lost: 1},
	}).run(t, 0)
}

// An ended stream for which segments still come is kept longer than one that is forgotten by all.
func TestStreamsEnded(t *testing.T) {
	(&rule{
		limits: limits{streams: 3},
		steps: []step{data(99, "a").syn().fin(), data(99, "b").syn().fin().on(1), data(100, "a"), syn(99).on(2), syn(99).on(3),
			data(100, "a"), data(100, "b").on(1)},
		chunks: []string{`1: begin "a"`, "1: end", `stream 1 2: begin "b"`, "stream 1 2: end",
			`stream 1 7: begin midway "b"`, "stream 2 4: begin end", "stream 3 5: begin end", "stream 1 7: end"},
		want: Counters{Octets: 3, Duplicate: 2},
	}).run(t, 0)
}

// The last 16 gaps are remembered.
func TestHoles(t *testing.T) {
	r := newRecorder(t, limits{heldSegments: 1})
	r.add(syn(0).Segment)
	for i := range uint32(20) { // octets 1, 4, 7, ..., 58; the last waits behind the 19th gap of two octets
		r.add(data(1+3*i, "x").Segment)
	}
	r.add(data(1, strings.Repeat("x", 58)).Segment)
	r.finish()
	c := r.order[0].Counters
	assert.EqualValues(t, 18*2, c.Lost)
	assert.EqualValues(t, 16*2, c.Late)
	assert.EqualValues(t, 19+1+2, c.Octets)
	assert.EqualValues(t, 58-16*2-2, c.Duplicate, "the first two gaps are forgotten")
}

// Gaps side by side are one. (The last cut still waits: nothing is behind it.)
func TestHolesSideBySide(t *testing.T) {
	r := newRecorder(t, limits{cutSegments: -1})
	r.add(syn(0).Segment)
	for i := range uint32(50) {
		r.add(data(1+i, "").cut(1).Segment)
	}
	r.add(data(1, strings.Repeat("x", 50)).Segment)
	r.finish()
	assert.Equal(t, Counters{Payload: 50, Octets: 1, Lost: 49, Stray: 49, Late: 49}, r.order[0].Counters)
}

// Retransmissions are compared as far as the history reaches, and not with octets from before a gap.
func TestHistory(t *testing.T) {
	text := strings.Repeat("0123456789abcde", 200) // 3000 octets, not a divisor of any ring
	changed := strings.ToUpper(text)               // 5 of 15 octets differ
	for _, x := range []struct{ limit, kept int }{{1, 1}, {64, 64}, {512, 512}, {1024, 1024}, {2048, 2048}, {0, 3000}} {
		for _, size := range []int{1, 7, 700, 3000} {
			r := newRecorder(t, limits{history: x.limit})
			r.add(syn(1<<32 - 1500).Segment)
			for i := 0; i < len(text); i += size {
				r.add(data(uint32(1<<32-1499+i), text[i:min(i+size, len(text))]).Segment)
			}
			r.add(data(1<<32-1499, changed).Segment)
			r.finish()
			want := differences([]byte(text[3000-x.kept:]), []byte(changed[3000-x.kept:]))
			require.Equal(t, want, r.order[0].Conflict, "limit %d, segments of %d", x.limit, size)
			require.LessOrEqual(t, len(r.order[0].past.ring), max(x.limit, 16<<10))
		}
	}
	r := newRecorder(t, limits{heldOctets: 2})
	for _, s := range []step{syn(99), data(100, "abc"), data(105, "fgh"), data(100, "XXXXXXgX"), data(108, "ij"),
		data(100, "XXXXXXgXij")} {
		r.add(s.Segment)
	}
	r.finish()
	assert.EqualValues(t, 4, r.order[0].Conflict)
}

// Many streams and many pieces take no more memory than the limits allow, and a flushed Assembler can be used
// again.
func TestBounded(t *testing.T) {
	octets, sent := 0, 0
	l := limits{streams: 64, heldTotal: 1 << 18, heldSegments: 50}
	a := newAssembler(l, func(c *Chunk) { octets += len(c.Data) })
	for _, keys := range []int{3000, 50} {
		most := 0
		for i := range 100_000 {
			s := data(uint32(i*7919), "waits").on(i % keys)
			if i < keys {
				s = s.syn()
			}
			a.Add(&s.Segment)
			sent += 5
			most = max(most, a.charge)
			if i%1000 == 0 {
				inspect(t, a)
			}
		}
		require.Equal(t, keys == 50, most > l.heldTotal/2, "%d octets were held", most)
		a.Flush()
		inspect(t, a)
		total := a.Totals()
		require.EqualValues(t, sent, total.Payload)
		require.EqualValues(t, octets, total.Octets)
		require.Equal(t, total.Payload, total.Octets+total.Duplicate+total.Stray)
	}
}

// Equal input gives equal output, whatever the map of streams does.
func TestDeterministic(t *testing.T) {
	once := func() string {
		r := newRecorder(t, limits{streams: 20, gapAge: time.Second})
		for i := range 3000 {
			s := data(uint32(i*31%400), fmt.Sprint(i)).on(i * 17 % 40).at(float64(i) / 100)
			s.Frame = i
			r.add(s.Segment)
		}
		r.finish()
		return strings.Join(r.lines, "\n")
	}
	first := once()
	require.Greater(t, strings.Count(first, "end"), 40)
	for range 3 {
		require.Equal(t, first, once())
	}
}
