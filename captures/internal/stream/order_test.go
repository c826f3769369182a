package stream

import (
	"strings"
	"testing"
)

// The rules for octets in, out of, and twice in order, of the package comment ("What is delivered").
func TestOrder(t *testing.T) {
	open, end := `2: begin "abc"`, `end`
	play(t, []rule{
		{
			name:   "in order",
			steps:  []step{syn(99), data(100, "abc"), data(103, "de"), data(105, "f").fin()},
			chunks: []string{open, `3: "de"`, `4: "f"`, "4: " + end},
			want:   Counters{Octets: 6},
		},
		{
			name:   "acknowledgements alone",
			steps:  []step{data(7, ""), syn(99), data(100, ""), data(100, "abc").cut(-1), data(103, ""), data(9999, "")},
			chunks: []string{`4: begin "abc"`, "4: end"},
			want:   Counters{Octets: 3},
		},
		{
			name:   "out of order",
			steps:  []step{syn(99), data(100, "abc"), data(108, "ij"), data(105, "fgh"), data(103, "de")},
			chunks: []string{open, `5: "de"`, `4: "fgh"`, `3: "ij"`, "5: end"},
			want:   Counters{Octets: 10},
		},
		{
			name:   "retransmitted",
			steps:  []step{syn(99), data(100, "abc"), data(100, "abc"), data(103, "d"), data(101, "bcd")},
			chunks: []string{open, `4: "d"`, "5: end"},
			want:   Counters{Octets: 4, Duplicate: 6},
		},
		{
			name:   "retransmitted with other content",
			steps:  []step{syn(99), data(100, "abc"), data(100, "aXc"), data(101, "YZd")},
			chunks: []string{open, `4: "d"`, "4: end"},
			want:   Counters{Octets: 4, Duplicate: 5, Conflict: 3},
		},
		{
			name:   "overlaps delivered octets on the left",
			steps:  []step{syn(99), data(100, "abc"), data(102, "cde")},
			chunks: []string{open, `3: "de"`, "3: end"},
			want:   Counters{Octets: 5, Duplicate: 1},
		},
		{
			name:   "overlaps waiting octets on the right",
			steps:  []step{syn(99), data(100, "abc"), data(105, "fgh"), data(103, "deXg")},
			chunks: []string{open, `4: "de"`, `3: "fgh"`, "4: end"},
			want:   Counters{Octets: 8, Duplicate: 2, Conflict: 1},
		},
		{
			name:   "overlaps waiting octets on the left",
			steps:  []step{syn(99), data(100, "abc"), data(105, "fgh"), data(106, "gXij"), data(103, "de")},
			chunks: []string{open, `5: "de"`, `3: "fgh"`, `4: "ij"`, "5: end"},
			want:   Counters{Octets: 10, Duplicate: 2, Conflict: 1},
		},
		{
			name:   "overlaps on both sides, two times",
			steps:  []step{syn(99), data(100, "abc"), data(105, "f"), data(109, "jk"), data(102, "cdeFghiJklm")},
			chunks: []string{open, `5: "de"`, `3: "f"`, `5: "ghi"`, `4: "jk"`, `5: "lm"`, "5: end"},
			want:   Counters{Octets: 13, Duplicate: 4, Conflict: 2},
		},
		{
			name:   "overlaps on both sides while it waits",
			steps:  []step{syn(99), data(106, "gh"), data(104, "efghij"), data(104, "efghij"), data(100, "abcd")},
			chunks: []string{`5: begin "abcd"`, `3: "ef"`, `2: "gh"`, `3: "ij"`, "5: end"},
			want:   Counters{Octets: 10, Duplicate: 8},
		},
		{
			name:   "inside what waits",
			steps:  []step{syn(99), data(103, "defghi"), data(105, "fg"), data(100, "abc")},
			chunks: []string{`4: begin "abc"`, `2: "defghi"`, "4: end"},
			want:   Counters{Octets: 9, Duplicate: 2},
		},
		{
			name:   "keep-alives",
			steps:  []step{syn(99), data(100, "abc"), data(102, "\x00"), data(102, "c"), data(103, "d")},
			chunks: []string{open, `5: "d"`, "5: end"},
			want:   Counters{Octets: 4, Duplicate: 2},
		},
		{
			name:   "keep-alive where the SYN was",
			steps:  []step{syn(99), data(99, "\x00"), data(100, "abc")},
			chunks: []string{`3: begin "abc"`, "3: end"},
			want:   Counters{Octets: 3, Stray: 1, Before: 1},
		},
		{
			name:   "zero-window probes bring the next octet",
			steps:  []step{syn(99), data(100, "abc"), data(103, "d"), data(103, "d"), data(103, "def")},
			chunks: []string{open, `3: "d"`, `5: "ef"`, "5: end"},
			want:   Counters{Octets: 6, Duplicate: 2},
		},
		{
			name:   "gap at the end of the capture",
			steps:  []step{syn(99), data(100, "abc"), data(105, "f"), data(110, "kl")},
			chunks: []string{open, `3: lost 2 "f"`, `4: lost 4 "kl"`, "4: end"},
			want:   Counters{Octets: 6, Lost: 6},
		},
		{
			name:   "gap at the beginning",
			steps:  []step{syn(99), data(105, "f")},
			chunks: []string{`2: begin lost 5 "f"`, "2: end"},
			want:   Counters{Octets: 1, Lost: 5},
		},
		{
			name:   "a long gap that the numbers' wrap is in",
			steps:  []step{syn(99), data(100, "abc"), data(300, "x")},
			chunks: []string{open, `3: lost 197 "x"`, "3: end"},
			want:   Counters{Octets: 4, Lost: 197},
		},
	})
}

// Octets that the capture cut off (snap length).
func TestCut(t *testing.T) {
	play(t, []rule{
		{
			name:   "in the middle and at the end",
			limits: limits{cutSegments: -1},
			steps:  []step{syn(99), data(100, "abc").cut(4), data(107, "hi").cut(5), data(114, "").cut(2)},
			chunks: []string{`2: begin "abc"`, `3: lost 4 "hi"`, "4: lost 7 end"},
			want:   Counters{Octets: 5, Lost: 11},
		},
		{
			name:   "brought by a retransmission, in two parts and from inside",
			steps:  []step{syn(99), data(100, "abc").cut(6), data(109, "j"), data(105, "fg"), data(100, "abcd"), data(107, "hi")},
			chunks: []string{`2: begin "abc"`, `5: "d"`, `4: lost 1 "fg"`, `6: "hi"`, `3: "j"`, "6: end"},
			want:   Counters{Octets: 9, Lost: 1, Duplicate: 3},
		},
		{
			name:   "brought whole, before and behind it waits more",
			steps:  []step{syn(99), data(103, "d").cut(3), data(107, "hi"), data(104, "efg"), data(100, "abc")},
			chunks: []string{`5: begin "abc"`, `2: "d"`, `4: "efg"`, `3: "hi"`, "5: end"},
			want:   Counters{Octets: 9},
		},
		{
			name:   "the whole copy came first",
			steps:  []step{syn(99), data(100, "abcdef"), data(100, "ab").cut(4), data(110, "klm"), data(108, "i").cut(4), data(106, "gh")},
			chunks: []string{`2: begin "abcdef"`, `6: "gh"`, `5: "i"`, `4: lost 1 "klm"`, "6: end"},
			want:   Counters{Octets: 12, Duplicate: 2, Lost: 1},
		},
		{
			name:   "given up behind more than CutSegments pieces, later ones still wait",
			limits: limits{cutSegments: 2},
			steps: []step{syn(99), data(100, "a").cut(1), data(102, "c"), data(104, "e"), data(105, "f").cut(1),
				data(101, "b")},
			chunks: []string{`2: begin "a"`, `3: lost 1 "c"`, `4: lost 1 "e"`, `5: "f"`, "6: lost 1 end"},
			want:   Counters{Octets: 4, Lost: 3, Stray: 1, Late: 1},
		},
		{
			name:   "CutSegments pieces behind a cut may wait",
			limits: limits{cutSegments: 2},
			steps:  []step{syn(99), data(100, "a").cut(1), data(102, "c"), data(104, "e"), data(101, "b")},
			chunks: []string{`2: begin "a"`, `5: "b"`, `3: "c"`, `4: lost 1 "e"`, "5: end"},
			want:   Counters{Octets: 4, Lost: 1},
		},
		{
			name:   "two cuts one over the other",
			steps:  []step{syn(99), data(100, "a").cut(5), data(103, "d").cut(9), data(101, "").cut(2), data(113, "n").fin()},
			chunks: []string{`2: begin "a"`, `3: lost 2 "d"`, `5: lost 9 "n"`, "5: end"},
			want:   Counters{Octets: 3, Lost: 11},
		},
		{
			name:   "FIN after a cut",
			steps:  []step{syn(99), data(100, "abc").cut(4).fin(), data(103, "defg")},
			chunks: []string{`2: begin "abc"`, `3: "defg"`, "2: end"},
			want:   Counters{Octets: 7},
		},
		{
			name:   "all cut, the stream can still begin earlier",
			steps:  []step{data(103, "").cut(2), data(100, "ab").cut(1), data(105, "f")},
			chunks: []string{`2: begin midway "ab"`, `3: lost 3 "f"`, "3: end"},
			want:   Counters{Octets: 3, Lost: 3},
		},
	})
}

// A segment may be longer than any limit, and a run of them longer than the history.
func TestLarge(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 8192)
	changed := strings.Repeat("0123456789abcdeX", 8192)
	x := rule{
		limits: limits{heldOctets: 10, heldTotal: 1000, history: 2048, window: 5},
		steps:  []step{syn(99), data(102, long), data(102, changed)},
		chunks: []string{`2: begin lost 2 ` + quoted(long), "3: end"},
		want:   Counters{Octets: int64(len(long)), Lost: 2, Stray: int64(len(long))},
	}
	x.run(t, 0)
	x.run(t, 1<<32-5000)
}

func quoted(s string) string { return `"` + s + `"` }
