package links

import (
	"math/rand/v2"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire/reliable"
)

// TestAnswered: messages that are acknowledged one by one, through all wraps of the messageid.
func TestAnswered(t *testing.T) {
	w := newWorld()
	const messages = 1000
	for i := range uint32(messages) {
		id := uint8(i + 1)
		s := w.say(one, id, 1, 0, "a move")
		require.Equal(t, Step{Link: w.link()}, s)
		s = w.ack(id, 1, 0, 10*(i+1))
		require.Equal(t, w.n-1, s.Answers)
		require.Equal(t, time.Millisecond, s.Trip)
		require.Empty(t, s.Lost)
	}
	l := w.link()
	assert.Equal(t, []int{messages, messages, messages, messages}, []int{l.Data, l.Whole, l.Acked, l.ACKs})
	assert.Equal(t, messages, l.Trips.Count)
	assert.Equal(t, time.Millisecond, l.Trips.Median())
	assert.Zero(t, l.Repeated.Count+l.Holes.Count+l.Missing()+l.LostFirst+l.Unacked())
	assert.Zero(t, l.Restarts.Count+l.Leaps.Count+l.Behind.Count+l.Unsent.Count)
	assert.EqualValues(t, 10*messages, l.Counted)
	assert.EqualValues(t, 10*messages, l.Octets)
}

// TestSentAgain: a frame that is lost, twice, and then answered by its serial.
func TestSentAgain(t *testing.T) {
	w := newWorld()
	w.say(one, 1, 1, 0, "a move")
	assert.Equal(t, 1, w.say(one, 1, 1, 1, "a move").Again)
	w.say(one, 2, 1, 0, "another")
	assert.Equal(t, 2, w.say(one, 1, 1, 2, "a move").Again)
	s := w.ack(1, 1, 2, 10)
	assert.Equal(t, 4, s.Answers)
	assert.Equal(t, []int{2, 1}, s.Lost, "the sendings that nothing answered")
	assert.Equal(t, time.Millisecond, s.Trip)
	l := w.link()
	assert.Equal(t, 2, l.Repeated.Count)
	assert.Equal(t, []int{2, 4}, []int{l.Repeated.First.N, l.Repeated.Last.N})
	assert.Equal(t, 1, l.Acked)
	assert.Equal(t, 1, l.Unacked())

	s = w.say(one, 1, 1, 3, "a move")
	assert.Equal(t, 3, s.Again)
	assert.Equal(t, 1, l.Twice, "it was acknowledged before")
	assert.Equal(t, 1, w.say(one, 2, 1, 0, "another").Again)
	assert.Equal(t, 1, l.Copies, "with the same serial")
	w.now = w.now.Add(time.Second)
	assert.Equal(t, 2, w.say(one, 2, 1, 0, "another").Again)
	assert.Equal(t, 1, l.Copies, "its sender does not count")
}

// TestLostBefore: what the serials and messageids say of frames that are not in the capture.
func TestLostBefore(t *testing.T) {
	w := newWorld()
	w.say(one, 7, 1, 3, "the capture begins in the middle")
	l := w.link()
	assert.Zero(t, l.LostFirst)
	assert.Equal(t, 2, w.say(one, 8, 1, 2, "sent twice before").Again)
	assert.Equal(t, 2, l.LostFirst)
	assert.Equal(t, 3, w.say(one, 12, 1, 0, "x").Missing)
	assert.Equal(t, 3, l.Missing())
	w.say(one, 10, 1, 0, "late")
	assert.Equal(t, 2, l.Missing())
	w.say(first, 13, 1, 0, "one")
	w.say(last, 13, 3, 2, "three")
	assert.Equal(t, 3, l.LostFirst)
	assert.Equal(t, 1, w.say(part, 13, 2, 3, "two").Again, "its serial says that it comes after what is behind it")
	assert.Equal(t, 3, l.LostFirst)

	// An ACK of an unreliable message says nothing about a reliable one with its messageid.
	w = newWorld()
	w.say(one, 1, 1, 0, "reliable")
	w.say(loose, 1, 1, 0, "not")
	w.see(path.Back(), reliable.Frame{Flags: reliable.ACK, MessageID: 1, Sequence: 1, BytesReceived: 7})
	assert.Equal(t, 1, w.link().Unacked())

	// Those that a network lets change places are not sent again.
	w = newWorld()
	w.say(first, 1, 1, 0, "one")
	w.say(last, 1, 3, 2, "three")
	assert.Zero(t, w.say(part, 1, 2, 1, "two").Again)
	assert.Zero(t, w.link().LostFirst)
}

// TestMissingForGood: a messageid that never came is missing for good, also when its number comes again 256 messages later.
func TestMissingForGood(t *testing.T) {
	w := newWorld()
	for i := range 600 {
		if i != 5 {
			w.say(one, uint8(i), 1, 0, "a move")
			w.ack(uint8(i), 1, 0, 10*uint32(i+1))
		}
	}
	assert.Equal(t, 1, w.link().Missing())
}

// TestLongMessage: a message of a thousand frames wraps its sequences and serials; every 24th is acknowledged.
func TestLongMessage(t *testing.T) {
	w := newWorld()
	received := uint32(0)
	for i := range 1000 {
		flags := part
		switch i {
		case 0:
			flags = first
		case 999:
			flags = last
		}
		require.Zero(t, w.say(flags, 1, uint8(i+1), uint8(i), string(rune('a'+i%7))).Again, i)
		received += 5
		if i%24 == 23 || i == 999 {
			s := w.ack(1, uint8(i+1), uint8(i), received)
			require.Equal(t, w.n-1, s.Answers, i)
		}
	}
	l := w.link()
	assert.Zero(t, l.Unacked()+l.Holes.Count+l.LostFirst+l.Repeated.Count)
	assert.Equal(t, 42, l.ACKs)
}

// TestNACK: what a NACK names is lost, the rest that it speaks of has arrived, and it is seen whether it is obeyed.
func TestNACK(t *testing.T) {
	w := newWorld()
	w.say(first, 1, 1, 0, "one")  // 1
	w.say(part, 1, 2, 1, "two")   // 2
	w.say(part, 1, 3, 2, "three") // 3
	w.say(part, 1, 4, 3, "four")  // 4
	w.say(last, 1, 5, 4, "five")  // 5
	s := w.nack(1, 2, 0b010, 4+3+4+5+4+4)
	assert.Equal(t, []int{2, 4}, s.Lost, "sequences 2 and 4")
	l := w.link()
	assert.Equal(t, 1, l.Unacked())
	w.say(part, 1, 2, 5, "two")
	w.now = w.now.Add(time.Second)
	w.say(part, 1, 4, 6, "four")
	assert.Equal(t, [2]int{1, 1}, [2]int{l.peer.Seen[NACKObeyed][0].Count, l.peer.Seen[NACKObeyed][1].Count})
	w.ack(1, 5, 6, 42)
	assert.Zero(t, l.Unacked()+l.Holes.Count)
	assert.Equal(t, 1, l.Acked)
}

// TestRunningNACK: where sequences run on through the link, a mask names frames of later messages.
func TestRunningNACK(t *testing.T) {
	w := newWorld()
	w.say(one, 1, 1, 0, "a")
	w.say(one, 2, 2, 0, "b")
	w.say(one, 3, 3, 0, "c")
	assert.Equal(t, []int{1, 3}, w.nack(1, 1, 0b010, 5).Lost)
	w.say(one, 3, 3, 1, "c")
	assert.Equal(t, 1, w.link().peer.Seen[NACKObeyed][0].Count)
}

// TestNACKOfUnseen: a NACK of a message that never reached the capture acknowledges those before.
func TestNACKOfUnseen(t *testing.T) {
	w := newWorld()
	w.say(one, 1, 1, 0, "a")
	w.say(one, 2, 1, 0, "b")
	assert.Empty(t, w.nack(3, 1, 0, 10).Lost)
	assert.Zero(t, w.link().Unacked()+w.link().Unsent.Count)
	assert.Equal(t, 2, w.link().Acked)
}

// TestReadings: which answers messageids give, late ones included.
func TestReadings(t *testing.T) {
	other := path
	other.FromIndex = 9
	type say struct {
		k     Key
		flags reliable.Flags
		ids   []uint8
	}
	cases := []struct {
		name          string
		say           []say
		spaces, pairs int
	}{
		{"one counter", []say{{path, one, []uint8{1, 2}}, {path, loose, []uint8{3, 4}}, {path, one, []uint8{5}}}, 0, -1},
		{"one for each kind", []say{{path, one, []uint8{1, 2, 3}}, {path, loose, []uint8{1, 2}}, {path, one, []uint8{4}}}, 1, -1},
		{"a late one of another kind", []say{{path, one, []uint8{2, 3}}, {path, loose, []uint8{1}}}, -1, -1},
		{"late ones of one kind", []say{{path, one, []uint8{1}}, {path, loose, []uint8{4}}, {path, one, []uint8{2, 3}}}, -1, -1},
		{"one for each pair", []say{{path, one, []uint8{1, 2, 3}}, {other, one, []uint8{1, 2}}, {path, one, []uint8{4}}}, -1, 1},
		{"one for all pairs", []say{{path, one, []uint8{1}}, {other, one, []uint8{2, 3}}, {path, one, []uint8{4}}}, -1, 0},
		{"a late one of another pair", []say{{path, one, []uint8{2, 3}}, {other, one, []uint8{1}}}, -1, -1},
		{"a late one of a pair", []say{{path, one, []uint8{1}}, {other, one, []uint8{3}}, {path, one, []uint8{2}}}, -1, -1},
		{"in the middle", []say{{path, one, []uint8{100, 101}}, {path, loose, []uint8{50}}, {path, one, []uint8{102}}, {path, loose, []uint8{51}}}, 1, -1},
	}
	for _, c := range cases {
		w := newWorld()
		for _, s := range c.say {
			for _, id := range s.ids {
				w.see(s.k, reliable.Frame{Flags: s.flags, MessageID: id, Sequence: 1, Data: []byte{id, byte(s.flags), byte(s.k.FromIndex)}})
			}
		}
		p := w.Peers()[0]
		assert.Equal(t, c.spaces, p.Reading(Spaces), "%s: %v", c.name, p.Seen[Spaces])
		assert.Equal(t, c.pairs, p.Reading(LinkPer), "%s: %v", c.name, p.Seen[LinkPer])
	}
}

// TestHoles: acknowledgements past what has not arrived, and what only looks like it.
func TestHoles(t *testing.T) {
	cases := []struct {
		name  string
		holes int
		do    func(w *world)
	}{
		{"by the count", 1, func(w *world) {
			w.say(one, 1, 1, 0, "a move")
			w.say(one, 2, 1, 0, "a move")
			w.ack(2, 1, 0, 10)
		}},
		{"a frame within a message", 1, func(w *world) {
			w.say(first, 1, 1, 0, "one")
			w.say(part, 1, 2, 1, "two")
			w.say(last, 1, 3, 2, "six")
			w.ack(1, 3, 2, 14)
		}},
		{"it comes later", 1, func(w *world) {
			w.say(one, 1, 1, 0, "a move")
			w.say(one, 3, 1, 0, "a move")
			w.ack(3, 1, 0, 20)
			w.say(one, 2, 1, 0, "late")
		}},
		{"changed places on the way", 1, func(w *world) {
			w.say(one, 1, 1, 0, "a move")
			w.ack(1, 1, 0, 10)
			w.say(one, 3, 1, 0, "a move")
			w.say(one, 2, 1, 0, "a move")
			w.ack(3, 1, 0, 20) // two frames came so far, the first and the third
		}},
		{"each as it comes", 2, func(w *world) {
			for _, id := range []uint8{2, 1, 4, 3} {
				w.say(one, id, 1, 0, "a move")
			}
			for i, id := range []uint8{2, 1, 4, 3} {
				w.ack(id, 1, 0, 10*(uint32(i)+1))
			}
		}},
		{"unreliable", 0, func(w *world) {
			w.say(one, 1, 1, 0, "a move")
			w.say(loose, 2, 1, 0, "a move")
			w.say(one, 3, 1, 0, "a move")
			w.ack(3, 1, 0, 20)
		}},
		{"repeated ones are not counted", 0, func(w *world) {
			for id := range uint8(50) {
				w.say(one, id, 1, 0, "a move")
				w.say(one, id, 1, 1, "a move")
				w.ack(id, 1, 1, 10*(uint32(id)+1))
			}
		}},
		{"the capture begins later", 0, func(w *world) {
			for id := range uint8(50) {
				w.say(one, 100+id, 1, 0, "a move")
				w.ack(100+id, 1, 0, 0xFFFFFF00+10*uint32(id)) // and the count wraps
			}
		}},
		{"ACKs are counted, too", 0, func(w *world) {
			for id := range uint8(50) {
				w.say(one, id, 1, 0, "a move")
				w.ack(id, 1, 0, 22*(uint32(id)+1))
			}
		}},
		{"octets counted without the header's four", 0, func(w *world) {
			for id := uint8(0); id < 100; id += 2 {
				w.say(one, id, 1, 0, "a move")
				w.say(one, id+1, 1, 0, "a move")
				w.ack(id+1, 1, 0, 6*(uint32(id)+2))
			}
		}},
		{"behind many unreliable octets", 1, func(w *world) {
			w.say(loose, 1, 1, 0, strings.Repeat("x", 100))
			w.say(one, 2, 1, 0, "a move")
			w.ack(2, 1, 0, 114)
			w.say(one, 3, 1, 0, "a move")
			w.say(one, 4, 1, 0, "a move")
			w.ack(4, 1, 0, 124)
		}},
		{"ACKs overtake each other", 0, func(w *world) {
			w.say(one, 1, 1, 0, "a move")
			w.say(one, 2, 1, 0, "a move")
			w.ack(2, 1, 0, 20)
			w.ack(1, 1, 0, 10)
			w.say(one, 3, 1, 0, "a move")
			w.ack(3, 1, 0, 30)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.do(w)
			assert.Equal(t, c.holes, w.link().Holes.Count)
		})
	}
}

// TestNewLink: the same indexes used again, by what comes and by the messageid alone.
func TestNewLink(t *testing.T) {
	for _, before := range []uint8{3, 60, 180} {
		w := newWorld()
		for id := range before {
			w.say(one, id+1, 1, 0, "an old move")
			w.ack(id+1, 1, 0, 15*(uint32(id)+1))
		}
		w.say(first, 1, 1, 0, "a new one")
		l := w.link()
		assert.Equal(t, 1, l.Restarts.Count, before)
		w.say(last, 1, 2, 1, "and its end")
		w.ack(1, 2, 1, 28)
		assert.Equal(t, 1, l.Restarts.Count, before)
		assert.Zero(t, l.Repeated.Count+l.Unacked()+l.Holes.Count+l.Missing()+l.Leaps.Count, before)
	}
}

// TestNewLinkInTheMiddle: a frame whose beginning the capture lacks comes again as the beginning of a message, with other octets.
func TestNewLinkInTheMiddle(t *testing.T) {
	w := newWorld()
	w.say(part, 1, 1, 1, "x")
	w.say(one, 1, 1, 0, "y")
	assert.Equal(t, []int{1, 0}, []int{w.link().Restarts.Count, w.link().Repeated.Count})
}

// TestStalls: when a link stands still, until when, and whether the other side speaks.
func TestStalls(t *testing.T) {
	w := newWorld()
	w.say(one, 1, 1, 0, "x")
	l := w.link()
	for serial := range uint8(3) {
		_, ok := l.Stalled()
		require.False(t, ok)
		w.now = w.now.Add(time.Second)
		w.say(one, 1, 1, serial+1, "x")
	}
	w.see(path.Back(), reliable.Frame{Flags: loose, MessageID: 1, Sequence: 1, Data: []byte("hello")})
	w.ack(9, 1, 0, 0)
	s, ok := l.Stalled()
	require.True(t, ok)
	assert.Equal(t, []int{3, 1, 0, 1, 4}, []int{s.Tries, s.Heard, s.Answers, s.Since.N, s.Last.N})
	w.ack(1, 1, 3, 20)
	_, ok = l.Stalled()
	assert.False(t, ok)
	require.Len(t, l.Stalls, 1)
	assert.Equal(t, 7, l.Stalls[0].Until.N)
	assert.Equal(t, 3004*time.Millisecond, l.Stalls[0].Last.Since(l.Stalls[0].Since)+time.Millisecond)
	for i := range uint8(10) {
		for serial := range uint8(4) {
			w.now = w.now.Add(time.Second)
			w.say(one, i+2, 1, serial, "x")
		}
		w.ack(i+2, 1, 3, 20)
	}
	assert.Len(t, l.Stalls, maxStalls)
	assert.Equal(t, l.Repeated.Count, l.InStalls())
	assert.Equal(t, 11-maxStalls, l.MoreStalls)
}

// TestAnswersElsewhere: machines that acknowledge between other indexes are understood as long as it is clear what they mean.
func TestAnswersElsewhere(t *testing.T) {
	w := newWorld()
	w.say(one, 1, 1, 0, "x")
	system := Key{From: there, To: here, FromIndex: 8, ToIndex: 9}
	s := w.see(system, reliable.Frame{Flags: rack, MessageID: 1, Sequence: 1, BytesReceived: 5})
	assert.Equal(t, w.link(), s.Link)
	assert.Zero(t, w.link().Unacked())
	assert.Equal(t, 0, w.peer(there).Reading(LinkPer))

	// The system players have said something, but not that.
	w.see(system.Back(), reliable.Frame{Flags: one, MessageID: 40, Sequence: 1, Data: []byte("s")})
	w.say(one, 3, 1, 0, "x")
	s = w.see(system, reliable.Frame{Flags: rack, MessageID: 3, Sequence: 1, BytesReceived: 15})
	assert.Equal(t, w.link(), s.Link)

	other := path
	other.FromIndex = 5
	w.say(one, 4, 1, 0, "x")
	w.see(other, reliable.Frame{Flags: one, MessageID: 4, Sequence: 1, Data: []byte("y")})
	s = w.see(system, reliable.Frame{Flags: rack, MessageID: 4, Sequence: 1, BytesReceived: 5})
	assert.Equal(t, system.Back(), s.Link.Key, "it may be about either")
	assert.Zero(t, s.Link.Unacked()-1, "its own message is not acknowledged by that")
}

// TestIgnored: frames with EXT are counted as octets, and nothing else comes of them.
func TestIgnored(t *testing.T) {
	w := newWorld()
	w.say(one|reliable.EXT, 1, 1, 0, "x")
	l := w.link()
	assert.Equal(t, []int{1, 1, 0, 0}, []int{l.Ignored.Count, l.Data, l.Whole, l.Unacked()})
	assert.EqualValues(t, 6, l.Octets)
	w.see(path, reliable.Frame{})
	assert.Equal(t, 1, l.Data, "not a frame at all")
}

// TestTrips: the sample of many round trips keeps their median.
func TestTrips(t *testing.T) {
	var trips Trips
	assert.Zero(t, trips.Median())
	for i := range 10_000 {
		trips.add(time.Duration(i%100)*time.Millisecond, Place{N: i + 1})
	}
	assert.Equal(t, 10_000, trips.Count)
	assert.LessOrEqual(t, len(trips.list), maxTrips)
	assert.InDelta(t, 50, trips.Median().Milliseconds(), 5)
	assert.Equal(t, 99*time.Millisecond, trips.Worst)
	assert.Equal(t, 100, trips.WorstAt.N)
	var uneven Trips
	for i := range 10_000 {
		uneven.add(time.Duration(1+9*(9999-i)/4000)*time.Millisecond, Place{})
	}
	assert.InDelta(t, 12, uneven.Median().Milliseconds(), 1, "each trip counts as much, whenever it was")
	var more Trips
	more.add(time.Second, Place{N: 7})
	more.Merge(&trips)
	assert.Equal(t, 10_001, more.Count)
	assert.Equal(t, 7, more.WorstAt.N)
	assert.InDelta(t, 50, more.Median().Milliseconds(), 5)
}

// TestHostile: whatever comes, memory is bounded and counts stay sound.
func TestHostile(t *testing.T) {
	frames := 20_000 // enough for every limit
	if os.Getenv("DPLAY_LONG") != "" {
		frames = 60_000
	}
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		w := newWorld()
		var flags []reliable.Flags
		for _, f := range []reliable.Flags{one, loose, first, part, last, rack, reliable.ACK, reliable.ACK | reliable.EXT,
			one | reliable.EXT, first &^ reliable.RLY} {
			flags = append(flags, f, f|reliable.SAK)
		}
		for range frames {
			k := path
			k.FromIndex, k.ToIndex = uint16(rnd.IntN(1+int(seed))), uint16(rnd.IntN(2))
			if seed == 7 {
				k.FromIndex = uint16(rnd.Uint32())
			}
			if rnd.IntN(2) == 0 {
				k = k.Back()
			}
			f := reliable.Frame{Flags: flags[rnd.IntN(len(flags))], MessageID: uint8(rnd.Uint32()), Sequence: uint8(rnd.IntN(40)),
				Serial: uint8(rnd.IntN(4)), Mask: rnd.Uint32() & 0xFFFFFF, BytesReceived: rnd.Uint32(),
				Data: []byte{byte(rnd.IntN(2))}}
			f.Extended = f.Extended.WithMaskSize(rnd.IntN(4))
			w.now = w.now.Add(time.Duration(rnd.IntN(2000)-500) * time.Millisecond)
			s := w.see(k, f)
			if s.Trip < 0 || len(s.Lost) > 8*reliable.MaxMask+1+reliable.Window { // require takes as long as the tracker
				require.Fail(t, "a step that cannot be", "seed %d: %+v", seed, s)
			}
		}
		require.LessOrEqual(t, len(w.Links()), maxLinks)
		total := 0
		for _, l := range w.Links() {
			n := len(l.flight.sent)
			total += n
			require.LessOrEqual(t, n, maxFlight)
			require.LessOrEqual(t, len(l.flight.frames), n)
			require.LessOrEqual(t, len(l.flight.spaces[0].messages)+len(l.flight.spaces[1].messages), 2*2*2*half)
			waiting := 0
			for _, x := range l.flight.frames {
				waiting += bit(x.id.reliable && !x.acked)
			}
			require.Len(t, l.flight.waiting, waiting)
			require.GreaterOrEqual(t, l.Missing(), 0)
		}
		require.Equal(t, total, w.sendings)
		require.LessOrEqual(t, total, maxSendings)
	}
}

// TestLimits: more links than are followed, and more sendings than are remembered.
func TestLimits(t *testing.T) {
	w := newWorld()
	for i := range maxLinks + 5 {
		k := path
		k.FromIndex = uint16(i)
		s := w.see(k, reliable.Frame{Flags: one, MessageID: 1, Sequence: 1})
		require.Equal(t, i < maxLinks, s.Link != nil)
	}
	for i := range maxSendings + 50 {
		k := path
		k.FromIndex = uint16(i % 300)
		w.see(k, reliable.Frame{Flags: one, MessageID: uint8(i / 300), Sequence: 1, Data: []byte{byte(i)}})
	}
	assert.LessOrEqual(t, w.sendings, maxSendings)
	assert.Greater(t, w.sendings, maxSendings-300)
	assert.Len(t, w.Peers(), 1)
	assert.Equal(t, netip.AddrPortFrom(here.Addr(), here.Port()), w.Peers()[0].Machine)
}
