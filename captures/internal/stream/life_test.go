package stream

import "testing"

// The rules of the package comment for where a stream begins.
func TestBegin(t *testing.T) {
	play(t, []rule{
		{
			name:   "SYN with data",
			steps:  []step{data(99, "abc").syn(), data(103, "d")},
			chunks: []string{`1: begin "abc"`, `2: "d"`, "2: end"},
			want:   Counters{Octets: 4},
		},
		{
			name:   "SYN with data that is sent again without it",
			steps:  []step{data(99, "abc").syn(), syn(99), data(100, "abc"), data(103, "d")},
			chunks: []string{`1: begin "abc"`, `4: "d"`, "4: end"},
			want:   Counters{Octets: 4, Duplicate: 3},
		},
		{
			name:   "SYN again, early and late",
			steps:  []step{syn(99), syn(99), data(100, "abc"), syn(99), data(103, "d")},
			chunks: []string{`3: begin "abc"`, `5: "d"`, "5: end"},
			want:   Counters{Octets: 4},
		},
		{
			name:   "SYN alone",
			steps:  []step{syn(99)},
			chunks: []string{"1: begin end"},
		},
		{
			name:   "midway",
			steps:  []step{data(100, "abc"), data(103, "d")},
			chunks: []string{`1: begin midway "abc"`, `2: "d"`, "2: end"},
			want:   Counters{Octets: 4},
		},
		{
			name:   "midway, then what was before it",
			steps:  []step{data(103, "de"), data(100, "abc"), data(101, "bcdX"), data(105, "f")},
			chunks: []string{`1: begin midway "de"`, `4: "f"`, "4: end"},
			want:   Counters{Octets: 3, Duplicate: 2, Conflict: 1, Stray: 5, Before: 5},
		},
		{
			name:   "midway, SYN late",
			steps:  []step{data(100, "abc"), syn(99), data(103, "d")},
			chunks: []string{`1: begin midway "abc"`, `3: "d"`, "3: end"},
			want:   Counters{Octets: 4},
		},
		{
			name:   "midway, SYN late, octets between them lost or later",
			steps:  []step{data(103, "de"), data(99, "a").syn(), data(101, "bc"), data(105, "f")},
			chunks: []string{`1: begin midway "de"`, `4: "f"`, "4: end"},
			want:   Counters{Octets: 3, Stray: 3, Before: 3},
		},
		{
			name:   "midway, SYN too late to be its own",
			limits: limits{window: 8},
			steps:  []step{data(103, "defghi"), syn(99), data(100, "abc")},
			chunks: []string{`1: begin midway "defghi"`, "2: end", `3: begin "abc"`, "3: end"},
			want:   Counters{Octets: 9},
		},
		{
			name:  "FIN or RST alone",
			steps: []step{data(103, "").fin(), data(103, "").rst(), data(103, "reset").rst()},
			want:  Counters{Stray: 5},
		},
		{
			name:   "FIN alone, then what was before it",
			steps:  []step{data(103, "").fin(), data(100, "abc")},
			chunks: []string{`2: begin midway "abc"`, "2: end"},
			want:   Counters{Octets: 3},
		},
		{
			name: "two streams",
			steps: []step{syn(99), syn(120).on(1), data(121, "x").on(1), data(100, "abc"), data(123, "z").on(1),
				data(104, "e"), data(122, "y").on(1)},
			chunks: []string{`stream 1 3: begin "x"`, `4: begin "abc"`, `stream 1 7: "y"`, `stream 1 5: "z"`,
				`6: lost 1 "e"`, "6: end", "stream 1 7: end"},
			want: Counters{Octets: 7, Lost: 1},
		},
	})
}

// The rules of the package comment for where a stream ends.
func TestEnd(t *testing.T) {
	play(t, []rule{
		{
			name:   "FIN",
			steps:  []step{syn(99), data(100, "abc"), data(103, "").fin(), data(103, "").fin()},
			chunks: []string{`2: begin "abc"`, "3: end"},
			want:   Counters{Octets: 3},
		},
		{
			name:   "SYN and FIN in one",
			steps:  []step{data(99, "abc").syn().fin()},
			chunks: []string{`1: begin "abc"`, "1: end"},
			want:   Counters{Octets: 3},
		},
		{
			name:   "FIN with data, early, and twice",
			steps:  []step{syn(99), data(103, "de").fin(), data(103, "de").fin(), data(100, "abc")},
			chunks: []string{`4: begin "abc"`, `2: "de"`, "2: end"},
			want:   Counters{Octets: 5, Duplicate: 2},
		},
		{
			name:   "FIN alone, early, its octets lost",
			steps:  []step{syn(99), data(103, "").fin()},
			chunks: []string{"2: begin lost 3 end"},
			want:   Counters{Lost: 3},
		},
		{
			name:   "FIN with data that came before",
			steps:  []step{syn(99), data(100, "abc"), data(100, "abc").fin()},
			chunks: []string{`2: begin "abc"`, "3: end"},
			want:   Counters{Octets: 3, Duplicate: 3},
		},
		{
			name:   "FIN before octets that came",
			steps:  []step{syn(99), data(100, "abc"), data(102, "").fin(), data(106, "gh"), data(107, "").fin(), data(103, "def")},
			chunks: []string{`2: begin "abc"`, `6: "def"`, `4: "gh"`, "6: end"},
			want:   Counters{Octets: 8},
		},
		{
			name:   "two FINs, the second before the first",
			steps:  []step{syn(99), data(105, "").fin(), data(103, "").fin(), data(100, "abcde")},
			chunks: []string{`4: begin "abcde"`, "2: end"},
			want:   Counters{Octets: 5},
		},
		{
			name: "two FINs, and octets after the first",
			steps: []step{syn(99), data(103, "").fin(), data(103, "def"), data(109, "").fin(), data(102, "cdefg"),
				data(100, "ab")},
			chunks: []string{`6: begin "ab"`, `5: "c"`, "2: end"},
			want:   Counters{Octets: 3, Duplicate: 3, Stray: 4},
		},
		{
			name: "segments after the FIN",
			steps: []step{syn(99), data(100, "abc").fin(), data(101, "bX"), data(102, "\x00"), data(102, "cde"),
				data(104, "x"), data(99, "\x00")},
			chunks: []string{`2: begin "abc"`, "2: end"},
			want:   Counters{Octets: 3, Duplicate: 4, Conflict: 1, Stray: 4, Before: 1},
		},
		{
			name:   "SYN again after the FIN",
			steps:  []step{data(99, "abc").syn().fin(), data(99, "abc").syn().fin()},
			chunks: []string{`1: begin "abc"`, "1: end"},
			want:   Counters{Octets: 3, Duplicate: 3},
		},
		{
			name:   "RST in its place",
			steps:  []step{syn(99), data(100, "abc"), data(103, "").rst(), data(103, "").rst()},
			chunks: []string{`2: begin "abc"`, "3: end"},
			want:   Counters{Octets: 3},
		},
		{
			name:   "RST with a text",
			steps:  []step{syn(99), data(100, "abc"), data(103, "refused").rst(), data(103, "refused").rst()},
			chunks: []string{`2: begin "abc"`, "3: end"},
			want:   Counters{Octets: 3, Stray: 14},
		},
		{
			name:   "RST behind, what waits is delivered",
			steps:  []step{syn(99), data(100, "abc"), data(105, "f"), data(101, "").rst(), data(103, "de")},
			chunks: []string{`2: begin "abc"`, `3: lost 2 "f"`, "4: end"},
			want:   Counters{Octets: 4, Lost: 2, Stray: 2, Late: 2},
		},
		{
			name:   "RST in its place, what waits behind a gap is delivered",
			steps:  []step{syn(99), data(100, "abc"), data(105, "f"), data(103, "").rst()},
			chunks: []string{`2: begin "abc"`, `3: lost 2 "f"`, "4: end"},
			want:   Counters{Octets: 4, Lost: 2},
		},
		{
			name:   "RST early",
			steps:  []step{syn(99), data(100, "abc"), data(105, "").rst(), data(103, "de")},
			chunks: []string{`2: begin "abc"`, `4: "de"`, "3: end"},
			want:   Counters{Octets: 5},
		},
		{
			name:   "RST outside the window, before and behind",
			limits: limits{window: 20},
			steps:  []step{syn(99), data(100, "abc"), data(124, "").rst(), data(82, "").rst(), data(103, "d")},
			chunks: []string{`2: begin "abc"`, `5: "d"`, "5: end"},
			want:   Counters{Octets: 4},
		},
		{
			name:   "FIN waits, RST after it",
			steps:  []step{syn(99), data(103, "").fin(), data(104, "").rst(), data(100, "abc")},
			chunks: []string{`4: begin "abc"`, "2: end"},
			want:   Counters{Octets: 3},
		},
		{
			name:   "the same ports again after a FIN",
			steps:  []step{syn(99), data(100, "abc").fin(), syn(150), data(151, "x")},
			chunks: []string{`2: begin "abc"`, "2: end", `4: begin "x"`, "4: end"},
			want:   Counters{Octets: 4},
		},
		{
			name:   "the same ports again, the end of the old stream missing, and its late octets",
			steps:  []step{syn(199), data(200, "abc"), data(205, "f"), syn(120), data(203, "de"), data(121, "xyz")},
			chunks: []string{`2: begin "abc"`, `3: lost 2 "f"`, "4: end", `6: begin "xyz"`, `5: lost 79 "de"`, "6: end"},
			want:   Counters{Octets: 9, Lost: 81},
		},
		{
			name:   "the same ports again after the end, a little before",
			steps:  []step{data(100, "abc").fin(), syn(95), data(96, "x")},
			chunks: []string{`1: begin midway "abc"`, "1: end", `3: begin "x"`, "3: end"},
			want:   Counters{Octets: 4},
		},
		{
			name:   "the same ports again after a midway stream",
			steps:  []step{data(100, "abc"), syn(150), data(151, "x").fin()},
			chunks: []string{`1: begin midway "abc"`, "2: end", `3: begin "x"`, "3: end"},
			want:   Counters{Octets: 4},
		},
	})
}

// A late SYN tells that nothing is missing before a stream, unless octets stand between them.
func TestLateSYN(t *testing.T) {
	for seq, midway := range map[uint32]bool{99: false, 98: true} {
		r := newRecorder(t, limits{})
		r.add(data(100, "abc").Segment)
		r.add(syn(seq).Segment)
		if s := r.order[0]; s.Midway != midway {
			t.Errorf("after a SYN at %d Midway is %t", seq, s.Midway)
		}
		r.finish()
	}
}

// The caller's own value stays with the stream, and a stream's counters go on after its end.
func TestStreamIsTheCallers(t *testing.T) {
	r := newRecorder(t, limits{})
	r.add(data(99, "abc").syn().Segment)
	s := r.order[0]
	s.User = "mine"
	r.add(data(103, "").fin().Segment)
	r.add(data(100, "abX").Segment)
	r.add(data(50, "abc").on(1).Segment)
	if s.User != "mine" || s.Duplicate != 3 || s.Conflict != 1 || s.Midway || !r.order[1].Midway {
		t.Errorf("streams are %+v and %+v", s, r.order[1])
	}
	r.finish()
}
