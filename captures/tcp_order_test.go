package captures_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// ping is a PING with an SP header, 36 octets.
func ping(tick uint32) []byte { return sys(2300, &wire.Ping{From: 5, Tick: tick}) }

// TestOneMessageInManySegments splits a message at every place, and into single octets.
func TestOneMessageInManySegments(t *testing.T) {
	msg := game(2300, 5, 0, "hello, everybody")
	for cut := 1; cut < len(msg); cut++ {
		n := newNetwork(t)
		c := n.tcp(joiner+":1025", host+":2300")
		c.send(msg[:cut])
		c.send(msg[cut:])
		c.fin()
		g := n.read(captures.Options{})
		g.want(`[2 3] PLAYERMESSAGE from=0x00000005 to=all payload=16 octets 68656c6c6f2c206576657279626f6479`)
		require.Equal(t, account(44, 0), g.sum.TCP)
		require.Equal(t, began.Add(2*time.Millisecond), g.records[0].time, "of the frame that completed it")
	}
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	var frames []int
	for i := range msg {
		frames = append(frames, c.send(msg[i:i+1]))
	}
	g := n.read(captures.Options{})
	require.Len(t, g.records, 1)
	assert.Equal(t, frames, g.records[0].frames)
	assert.Equal(t, msg, g.records[0].raw)
	assert.Equal(t, 44, g.sum.FramesWith)
}

// TestManyMessagesInOneSegment puts messages into one segment, the last of them in part.
func TestManyMessagesInOneSegment(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	last := ping(4)
	c.send(ping(1), ping(2), game(2300, 5, 6, "x"), ping(3), last[:5])
	c.send(last[5:], ping(5))
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		[2] PING from=0x00000005 tick=2
		[2] PLAYERMESSAGE from=0x00000005 to=0x00000006 payload=1 octets 78
		[2] PING from=0x00000005 tick=3
		[2 3] PING from=0x00000005 tick=4
		[3] PING from=0x00000005 tick=5`)
	assert.Equal(t, 1, g.sum.Streams)
	assert.Equal(t, 2, g.sum.FramesWith)
	assert.Equal(t, 1, g.sum.FramesOther, "the SYN")
}

// TestOrders sends one stream of messages in different orders and with repetitions: the messages are the same.
func TestOrders(t *testing.T) {
	var all []byte
	want := ""
	for i := range 6 {
		all = append(all, ping(uint32(i))...)
		want += fmt.Sprintf("PING from=0x00000005 tick=%d\n", i)
	}
	type segment struct{ from, to int }
	cases := []struct {
		name      string
		segments  []segment
		duplicate int64
		frames    string // of the six messages
	}{
		{"in order", []segment{{0, 100}, {100, 216}}, 0, "[[2] [2] [2 3] [3] [3] [3]]"},
		{"retransmitted", []segment{{0, 100}, {0, 100}, {100, 216}, {100, 216}}, 216, "[[2] [2] [2 4] [4] [4] [4]]"},
		{"overlapping", []segment{{0, 80}, {40, 120}, {100, 216}}, 60, "[[2] [2] [2 3] [3 4] [4] [4]]"},
		{"swapped", []segment{{0, 40}, {80, 216}, {40, 80}}, 0, "[[2] [2 4] [3 4] [3] [3] [3]]"},
		{"backwards", []segment{{0, 10}, {180, 216}, {100, 180}, {10, 100}}, 0, "[[2 5] [5] [4 5] [4] [4] [3]]"},
		{"repacked", []segment{{0, 36}, {72, 108}, {36, 216}}, 36, "[[2] [4] [3] [4] [4] [4]]"},
		{"repacked inside a message", []segment{{0, 36}, {40, 60}, {36, 216}}, 20, "[[2] [3 4] [4] [4] [4] [4]]"},
	}
	for _, c := range cases {
		for _, isn := range []uint32{1000, 0xffffffff, 0xffffff80} { // the latter two wrap
			t.Run(fmt.Sprintf("%s/%x", c.name, isn), func(t *testing.T) {
				n := newNetwork(t)
				s := n.midwayAt(joiner+":1025", host+":2300", isn)
				s.at(-1, nil) // for the frame numbers
				for _, p := range c.segments {
					s.at(p.from, all[p.from:p.to])
				}
				g := n.read(captures.Options{})
				var got bytes.Buffer
				var frames [][]int
				for _, r := range g.records {
					fmt.Fprintln(&got, r.text)
					frames = append(frames, r.frames)
					assert.Equal(t, began.Add(time.Duration(r.frames[len(r.frames)-1]-1)*time.Millisecond), r.time, "of the last of its frames")
				}
				assert.Equal(t, want, got.String())
				assert.Equal(t, c.frames, fmt.Sprint(frames))
				assert.Equal(t, c.duplicate, g.sum.Duplicate)
				assert.Equal(t, account(216, 0), g.sum.TCP)
				assert.Zero(t, g.sum.Findings)
			})
		}
	}
}

// TestRetransmitConflict sends octets again with other content: the first count, and the reader is told.
func TestRetransmitConflict(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(ping(1), ping(2))
	c.at(36, ping(0xffff0002))
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		[2] PING from=0x00000005 tick=2
		! retransmit-conflict frame 4: 2 octets of 10.0.0.2:1025 > 10.0.0.1:2300 came again with other content; the first were taken`)
	assert.EqualValues(t, 36, g.sum.Duplicate)
}

// TestStrayOctets counts what belongs nowhere in a stream: here what stands before the first segment seen, once
// that was handed on.
func TestStrayOctets(t *testing.T) {
	n := newNetwork(t)
	c := n.midway(joiner+":1025", host+":2300")
	c.at(36, ping(2))
	c.at(0, ping(1)) // the capture's beginning, or reordered: nobody can tell
	c.at(72, ping(3))
	g := n.read(captures.Options{})
	g.want(`
		[1] PING from=0x00000005 tick=2
		[3] PING from=0x00000005 tick=3`)
	assert.Equal(t, account(72, 0), g.sum.TCP)
	assert.EqualValues(t, 36, g.sum.Stray)
}

// TestTwoConnections: one machine's streams do not disturb each other, and a new connection between the same
// ports is a stream of its own.
func TestTwoConnections(t *testing.T) {
	n := newNetwork(t)
	a, b := n.tcp(joiner+":1025", host+":2300"), n.tcp(host+":1025", joiner+":2300")
	one, two := ping(1), ping(2)
	a.send(one[:20])
	b.send(two[:30])
	a.send(one[20:])
	b.send(two[30:])
	a.fin()
	a = n.midwayAt(joiner+":1025", host+":2300", 7_000_000)
	a.segment(synHeader(a), nil)
	a.send(ping(3))
	g := n.read(captures.Options{})
	g.want(`
		[3 5] PING from=0x00000005 tick=1
		[4 6] PING from=0x00000005 tick=2
		[9] PING from=0x00000005 tick=3`)
	assert.Equal(t, 3, g.sum.Streams)
	assert.Equal(t, []int{1, 1, 1}, []int{g.records[0].conversation, g.records[1].conversation, g.records[2].conversation},
		"both machines listen on 2300, whatever the connection")
}
