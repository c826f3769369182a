package reliable

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// data is a Data frame with the given flags beside CMD.
func data(flags Flags, id, sequence uint8, text string) *Frame {
	return &Frame{Flags: CMD | flags, MessageID: id, Sequence: sequence, Data: []byte(text)}
}

// A step is one frame and what must become of it.
type step struct {
	frame   *Frame
	verdict Verdict
	message string
	dropped []Dropped
}

func run(t *testing.T, a *Assembler, steps []step) {
	t.Helper()
	for i, s := range steps {
		r := a.Add(s.frame)
		require.Equal(t, s.verdict, r.Verdict, "step %d: %v", i, r.Verdict)
		require.Equal(t, s.message, string(r.Message), "step %d", i)
		require.Equal(t, s.dropped, r.Dropped, "step %d", i)
		checkInvariants(t, a)
	}
}

// checkInvariants compares what the assembler counts with what it holds.
func checkInvariants(t testing.TB, a *Assembler) {
	t.Helper()
	held := 0
	for i, e := range a.window {
		if (e.state == unfinished) != (e.m != nil) {
			t.Fatalf("window[%d] has state %d and message %v", i, e.state, e.m)
		}
		if e.m == nil {
			continue
		}
		octets := len(e.m.data)
		var seen [256]bool
		for _, p := range e.m.ahead {
			if seen[p.sequence] {
				t.Fatalf("message %d has frame %d twice", e.m.id, p.sequence)
			}
			seen[p.sequence] = true
			octets += len(p.data)
		}
		if octets != e.m.octets || e.m.run+len(e.m.ahead) != e.m.frames || e.m.octets > MaxMessage || e.m.frames > MaxFrames {
			t.Fatalf("message %d says %d octets in %d frames, has %d in %d", e.m.id, e.m.octets, e.m.frames, octets, e.m.run+len(e.m.ahead))
		}
		if e.m.id != a.newest-uint8(i) {
			t.Fatalf("message %d stands at %d", e.m.id, a.newest-uint8(i))
		}
		held += octets
	}
	if held != a.held || held > MaxHeld {
		t.Fatalf("holds %d octets, counts %d", held, a.held)
	}
}

// Example 4.1, with frames as long as its counts of bytes received ask for: 4500 after message 1, and 8954 when
// the NACK is sent, message 3 being lost.
func TestExample(t *testing.T) {
	var a Assembler
	part := func(b string, n int) string { return strings.Repeat(b, n-4) }
	one, two, three := part("1", 1500), part("2", 1500), part("3", 1500)
	run(t, &a, []step{
		{data(STA|RLY, 0, 0, one), Kept, "", nil},
		{data(RLY, 0, 1, two), Kept, "", nil},
		{data(EOM|RLY, 0, 2, three), Complete, one + two + three, nil},
	})
	assert.EqualValues(t, 4500, a.BytesReceived())
	run(t, &a, []step{
		{data(STA|EOM, 1, 3, part("m", 1500)), Complete, part("m", 1500), nil},
		{data(STA, 3, 5, part("a", 1500)), Kept, "", nil},
		{data(EOM, 3, 6, part("b", 1454)), Complete, part("a", 1500) + part("b", 1454), nil},
	})
	assert.EqualValues(t, 8954, a.BytesReceived())
	retry := data(STA|EOM|RLY, 2, 4, "late")
	retry.Serial = 1
	run(t, &a, []step{{retry, Complete, "late", nil}})
	assert.Empty(t, a.Flush())
}

func TestOrderOfFrames(t *testing.T) {
	f := []*Frame{data(STA|RLY, 1, 254, "a"), data(RLY, 1, 255, "b"), data(RLY, 1, 0, "c"), data(EOM|RLY, 1, 1, "d")}
	for _, order := range [][4]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}, {3, 0, 1, 2}} {
		var a Assembler
		for i, k := range order {
			r := a.Add(f[k])
			if i < 3 {
				require.Equal(t, Result{Verdict: Kept}, r)
				// The same frame again, as a retry: its serial differs.
				again := *f[k]
				again.Serial, again.Data = 9, []byte("!")
				require.Equal(t, Result{Verdict: Repeated}, a.Add(&again))
				continue
			}
			require.Equal(t, Result{Verdict: Complete, Message: []byte("abcd")}, r)
		}
		for _, frame := range f { // the ACK was lost
			require.Equal(t, Result{Verdict: Repeated}, a.Add(frame))
		}
	}
}

func TestMessagesInterleaved(t *testing.T) {
	var a Assembler
	run(t, &a, []step{
		{data(STA|RLY, 1, 1, "A1"), Kept, "", nil},
		{data(STA, 2, 3, "B1"), Kept, "", nil},
		{data(EOM, 2, 4, "B2"), Complete, "B1B2", nil},
		{data(STA|EOM|RLY, 3, 5, ""), Complete, "", nil},
		{data(EOM|RLY, 1, 2, "A2"), Complete, "A1A2", nil},
	})
}

func TestEmptyFrames(t *testing.T) {
	var a Assembler
	run(t, &a, []step{
		{data(STA|EOM, 1, 1, ""), Complete, "", nil},
		{data(EOM, 2, 4, ""), Kept, "", nil},
		{data(0, 2, 3, ""), Kept, "", nil},
		{data(STA, 2, 2, ""), Complete, "", nil},
	})
}

func TestIgnoredFrames(t *testing.T) {
	var a Assembler
	for _, f := range []*Frame{
		{Flags: ACK, MessageID: 1}, {Flags: EXT | ACK, MessageID: 1}, {}, {Flags: BIG | CMD | STA | EOM, MessageID: 1},
		data(EXT|STA|EOM, 1, 1, "x"), // 2.2.2: a Data frame with EXT must be ignored
	} {
		assert.Equal(t, Result{}, a.Add(f), f.Flags.String())
	}
	assert.False(t, a.started)
	assert.EqualValues(t, 4+1+1, a.BytesReceived(), "the frame that is ignored came all the same")
}

func TestASecondStartIsRefused(t *testing.T) {
	var a Assembler
	run(t, &a, []step{
		{data(STA, 1, 10, "a"), Kept, "", nil},
		{data(STA, 1, 11, "x"), Refused, "", nil},
		{data(STA|EOM, 1, 12, "x"), Refused, "", nil},
		{data(EOM, 1, 11, "b"), Complete, "ab", nil},
	})
}

// A frame before the one with STA has no place in the message and must not end up in it.
func TestFramesBeforeTheStart(t *testing.T) {
	var a Assembler
	run(t, &a, []step{
		{data(0, 1, 9, "x"), Kept, "", nil},
		{data(STA, 1, 10, "a"), Kept, "", nil},
		{data(EOM, 1, 11, "b"), Complete, "ab", nil},
	})
	assert.Zero(t, a.held)
}

func TestFirstMessageIDIsTheFirstSeen(t *testing.T) {
	var a Assembler
	run(t, &a, []step{
		{data(EOM|RLY, 200, 17, "end"), Kept, "", nil}, // a capture that begins inside a message
		{data(STA|EOM, 201, 18, "x"), Complete, "x", nil},
		{data(STA|EOM|RLY, 199, 16, "before"), Complete, "before", nil}, // see Assembler: Window
		{data(STA|EOM|RLY, 201-24, 1, "old"), Outside, "", nil},
	})
	assert.Equal(t, []Dropped{{200, true, 1, 3, Unfinished}}, a.Flush())
}

// 3.1.5.2: the messageids are counted modulo 256, the earliest one and 23 after it are inside.
func TestWindow(t *testing.T) {
	for _, first := range []uint8{1, 0, 231, 232, 233, 250, 255} {
		var a Assembler
		run(t, &a, []step{
			{data(STA|RLY, first, 1, "a"), Kept, "", nil},
			{data(STA|EOM, first+23, 2, "last inside"), Complete, "last inside", nil},
			{data(STA|EOM, first+24, 3, "outside"), Outside, "", nil},
			{data(STA|EOM, first+127, 3, "outside"), Outside, "", nil},
			{data(STA|EOM, first-1, 3, "outside"), Outside, "", nil},
			{data(EOM|RLY, first, 2, "b"), Complete, "ab", nil},
			{data(STA|EOM, first+24, 3, "now inside"), Complete, "now inside", nil},
			{data(STA|EOM|RLY, first, 3, "left it"), Outside, "", nil},
			{data(STA|EOM|RLY, first+1, 3, "still in it"), Complete, "still in it", nil},
			{data(STA|EOM, first+24+127, 3, "far ahead"), Complete, "far ahead", nil},
			{data(STA|EOM, first+24, 3, "far behind"), Outside, "", nil},
		})
	}
}

// 3.1.5.2, note: an unreliable message is dropped by the messageid 24 after it.
func TestUnreliableExpires(t *testing.T) {
	var a Assembler
	run(t, &a, []step{
		{data(STA, 250, 1, "abc"), Kept, "", nil},
		{data(0, 250, 3, "ghi!"), Kept, "", nil},
		{data(EOM, 252, 9, "12"), Kept, "", nil},
		{data(STA|EOM, 250+23-256, 20, "x"), Complete, "x", nil},
		{data(0, 250, 2, "def"), Kept, "", nil}, // still alive
		{data(STA|EOM, 250+24-256, 21, "y"), Complete, "y", []Dropped{{250, false, 3, 10, Expired}}},
		{data(EOM, 250, 4, ""), Outside, "", nil},
		{data(STA|RLY, 250+40-256, 22, "z"), Kept, "", []Dropped{{252, false, 1, 2, Expired}}},
	})
	assert.Equal(t, []Dropped{{250 + 40 - 256, true, 1, 1, Unfinished}}, a.Flush())
}

func TestDroppedOldestFirst(t *testing.T) {
	var a Assembler
	for _, id := range []uint8{3, 1, 2} {
		require.Equal(t, Kept, a.Add(data(STA, id, id, "x")).Verdict)
	}
	r := a.Add(data(STA|EOM, 90, 4, "y"))
	assert.Equal(t, []Dropped{{1, false, 1, 1, Expired}, {2, false, 1, 1, Expired}, {3, false, 1, 1, Expired}}, r.Dropped)
	assert.Zero(t, a.held)
}

// Of what was overheard some can be missing; a reliable message then holds nothing up.
func TestCaptureGoesOn(t *testing.T) {
	a := Assembler{Capture: true}
	run(t, &a, []step{
		{data(EOM|RLY, 5, 1, "end"), Kept, "", nil},
		{data(STA, 6, 1, "u"), Kept, "", nil},
		{data(STA|EOM|RLY, 28, 2, "x"), Complete, "x", nil},
		{data(STA|EOM|RLY, 29, 3, "y"), Complete, "y", []Dropped{{5, true, 1, 3, Expired}}},
	})
	assert.Equal(t, []Dropped{{6, false, 1, 1, Unfinished}}, a.Flush())
	assert.True(t, a.Capture, "Flush keeps it")
}

// A refused window move changes nothing: no unreliable message is dropped for a frame that is ignored.
func TestRefusedMoveDropsNothing(t *testing.T) {
	var a Assembler
	run(t, &a, []step{
		{data(STA, 1, 1, "u"), Kept, "", nil},
		{data(STA|RLY, 2, 2, "r"), Kept, "", nil},
		{data(STA|EOM, 30, 3, "x"), Outside, "", nil},
		{data(EOM, 1, 2, "U"), Complete, "uU", nil},
	})
}

func TestLongMessages(t *testing.T) {
	for _, frames := range []int{127, 128, 129, 255, 256, 257, 1000} {
		var a Assembler
		var want []byte
		for i := range frames {
			f := data(RLY, 7, uint8(200+i), "")
			f.Serial, f.Data = uint8(i), []byte{byte(i), byte(i >> 8)}
			want = append(want, f.Data...)
			if i == 0 {
				f.Flags |= STA
			}
			if i == frames-1 {
				f.Flags |= EOM
			}
			r := a.Add(f)
			if i == frames-1 {
				require.Equal(t, Result{Verdict: Complete, Message: want}, r, "%d frames", frames)
				break
			}
			require.Equal(t, Result{Verdict: Kept}, r)
			require.Equal(t, Result{Verdict: Repeated}, a.Add(f), "frame %d of %d", i, frames)
			old := data(RLY, 7, uint8(200+max(0, i-127)), "old") // as far back as a sender may repeat
			require.Equal(t, Result{Verdict: Repeated}, a.Add(old), "frame %d of %d", i, frames)
			start := data(STA|RLY, 7, 200, "the first again") // told by STA even where its sequence comes round
			require.Equal(t, Result{Verdict: Repeated}, a.Add(start), "frame %d of %d", i, frames)
		}
	}
}

// What comes before its turn is new wherever it is among 256 frames, as long as fewer than 128 have come in turn.
func TestReversedMessageOf256Frames(t *testing.T) {
	for _, inTurn := range []int{0, 1, 127} {
		var a Assembler
		var order []int
		for i := range inTurn {
			order = append(order, i)
		}
		for i := 255; i >= inTurn; i-- {
			order = append(order, i)
		}
		var want []byte
		for n, i := range order {
			f := data(0, 1, uint8(i+99), string(rune('a'+i%26)))
			if i == 0 {
				f.Flags |= STA
			}
			if i == 255 {
				f.Flags |= EOM
			}
			want = append(want, byte('a'+n%26))
			if n < 255 {
				require.Equal(t, Kept, a.Add(f).Verdict, "%d in turn, then frame %d", inTurn, i)
			} else {
				require.Equal(t, Result{Verdict: Complete, Message: want}, a.Add(f))
			}
		}
	}
}

func TestTooManyOctets(t *testing.T) {
	var a Assembler
	half := string(make([]byte, MaxMessage/2))
	run(t, &a, []step{
		{data(STA, 1, 1, half), Kept, "", nil},
		{data(0, 1, 2, half), Kept, "", nil},
		{data(0, 1, 3, "xx"), Refused, "", []Dropped{{1, false, 2, 2 * (MaxMessage / 2), TooLarge}}},
		{data(EOM, 1, 3, ""), Refused, "", nil}, // and stays refused
		{data(STA|EOM, 2, 4, "next"), Complete, "next", nil},
		{data(STA, 3, 5, half), Kept, "", nil},
		{data(EOM, 3, 6, half+"x"), Complete, half + half + "x", nil}, // MaxMessage is odd
		{data(STA|EOM, 4, 7, half+half+"x"), Complete, half + half + "x", nil},
		{data(STA|EOM, 5, 8, half+half+"xx"), Refused, "", []Dropped{{5, false, 0, 0, TooLarge}}},
	})
	assert.Empty(t, a.Flush())
}

func TestTooManyFrames(t *testing.T) {
	var a Assembler
	require.Equal(t, Kept, a.Add(data(STA|RLY, 1, 0, "")).Verdict)
	for i := 1; i < MaxFrames; i++ {
		require.Equal(t, Kept, a.Add(data(RLY, 1, uint8(i), "")).Verdict)
	}
	r := a.Add(data(EOM|RLY, 1, uint8(MaxFrames&0xFF), ""))
	assert.Equal(t, Result{Verdict: Refused, Dropped: []Dropped{{1, true, MaxFrames, 0, TooLarge}}}, r)
}

func TestTooManyOctetsOnALink(t *testing.T) {
	var a Assembler
	whole := string(make([]byte, MaxMessage))
	run(t, &a, []step{
		{data(STA|RLY, 1, 1, whole), Kept, "", nil},
		{data(STA|RLY, 2, 2, whole), Kept, "", nil},
		{data(STA|RLY, 3, 3, whole), Kept, "", nil},
		{data(EOM|RLY, 4, 9, whole), Kept, "", nil},
		{data(STA|RLY, 5, 5, ""), Kept, "", nil},
		{data(RLY, 5, 6, "x"), Refused, "", []Dropped{{5, true, 1, 0, LinkFull}}},
		{data(EOM|RLY, 1, 2, ""), Complete, whole, nil}, // makes room
		{data(STA|RLY, 6, 7, "x"), Kept, "", nil},
	})
	assert.Len(t, a.Flush(), 4)
	assert.Zero(t, a.held)
}

func TestAliasing(t *testing.T) {
	var a Assembler
	whole := data(STA|EOM, 1, 1, "whole")
	r := a.Add(whole)
	assert.Same(t, &whole.Data[0], &r.Message[0], "a message of one frame is not copied")

	begin, end := data(STA, 2, 2, "begin"), data(EOM, 2, 4, "end")
	a.Add(begin)
	a.Add(end)
	clear(begin.Data)
	clear(end.Data)
	r = a.Add(data(0, 2, 3, "-"))
	assert.Equal(t, "begin-end", string(r.Message), "frames that wait are copied")
	assert.Equal(t, len(r.Message), cap(r.Message))

	kept := bytes.Clone(r.Message)
	a.Add(data(STA, 3, 5, "other"))
	a.Add(data(EOM, 3, 6, "message"))
	assert.Equal(t, kept, r.Message, "a message given out is not written to again")
}

func TestHeld(t *testing.T) {
	var a Assembler
	for _, c := range []struct {
		frame *Frame
		want  int
	}{
		{data(STA|EOM, 1, 1, "whole"), 0},
		{data(STA, 2, 2, "abc"), 3},
		{data(EOM, 2, 4, "de"), 5},
		{data(EOM, 2, 4, "again"), 5},
		{data(STA, 3, 5, "f"), 6},
		{data(0, 2, 3, ""), 1},
		{data(STA|EOM, 60, 6, "the third expires"), 0},
	} {
		a.Add(c.frame)
		assert.Equal(t, c.want, a.Held())
	}
}

func TestFlushForgets(t *testing.T) {
	var a Assembler
	a.Add(data(STA|EOM, 1, 1, "x"))
	a.Add(data(STA|RLY, 3, 3, "abc"))
	a.Add(data(STA, 2, 2, "ab"))
	assert.Equal(t, []Dropped{{2, false, 1, 2, Unfinished}, {3, true, 1, 3, Unfinished}}, a.Flush())
	assert.Zero(t, a)
	assert.Empty(t, a.Flush())
	assert.Equal(t, Complete, a.Add(data(STA|EOM, 200, 1, "y")).Verdict)
}

// 3.1.5.4: the octets of the frame without its player indexes, whatever becomes of it.
func TestBytesReceived(t *testing.T) {
	var a Assembler
	for _, c := range []struct {
		frame *Frame
		want  uint32
	}{
		{data(STA|EOM, 1, 1, ""), 4},
		{data(STA|EOM, 1, 1, ""), 8},      // 3.1.3: repeated ones count
		{data(STA|EOM, 233, 1, "ab"), 14}, // outside
		{&Frame{From: 65535, To: 65535, Flags: CMD | EXT, Extended: 0x60, Data: []byte("x")}, 23},
		{&Frame{Flags: ACK, Trailing: []byte("abc")}, 23},
	} {
		a.Add(c.frame)
		assert.Equal(t, c.want, a.BytesReceived())
	}
	a.received = 0xFFFFFFFE
	a.Add(data(STA|EOM, 2, 2, ""))
	assert.EqualValues(t, 2, a.BytesReceived(), "modulo 2^32")
}

func TestWholeMessagesAllocateNothing(t *testing.T) {
	var a Assembler
	f := data(STA|EOM, 0, 0, "position")
	bad := 0
	n := testing.AllocsPerRun(1000, func() {
		f.MessageID++
		f.Sequence++
		if a.Add(f).Verdict != Complete {
			bad++
		}
	})
	assert.Zero(t, n)
	assert.Zero(t, bad)
}
