package captures_test

import (
	"testing"
	"time"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/assert"

	"dplay4/captures"
)

// longAfter is when the octets of a gap are no longer waited for.
const longAfter = time.Minute

const skipNo, skipBefore, skipIncomplete = int(captures.SkipNoHeader), int(captures.SkipBefore), int(captures.SkipIncomplete)

// TestGapInOneMessage loses the middle of a message: its tail is skipped by the size in its header, however
// much it looks like messages, and the next one is decoded.
func TestGapInOneMessage(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	msg := game(2300, 5, 6, string(ping(7))+"0123456789"+string(ping(8))+string(ping(9)))
	c.send(ping(1), msg[:40])
	c.skip(45)
	c.send(msg[85:100])
	c.send(msg[100:], ping(2))
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		! octets-lost frame 3: 45 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		! message-incomplete frame 2: 40 of 146 octets of a message, then a gap
		[4] PING from=0x00000005 tick=2`)
	assert.Equal(t, account(72, 45, skipIncomplete, 101), g.sum.TCP)
	assert.Equal(t, 3, g.sum.FramesWith)
}

// TestGapInTheHeader loses octets after the size was seen: that is enough to find the next message.
func TestGapInTheHeader(t *testing.T) {
	for seen := 1; seen < 20; seen++ {
		n := newNetwork(t)
		c := n.tcp(joiner+":1025", host+":2300")
		msg := game(2300, 5, 6, string(ping(7)))
		c.send(ping(1))
		c.send(msg[:seen])
		c.skip(25 - seen)
		c.send(msg[25:], ping(2))
		c.fin()
		g := n.read(captures.Options{})
		events := g.events[len(g.events)-1]
		if seen >= 4 {
			assert.Equal(t, "[4] PING from=0x00000005 tick=2", events, "%d octets seen", seen)
			assert.Equal(t, account(72, 25-seen, skipIncomplete, seen+39), g.sum.TCP)
			continue
		}
		// What follows the gap cannot be told from messages.
		assert.Equal(t, account(108, 25-seen, skipNo, 3, skipIncomplete, seen), g.sum.TCP)
	}
}

// TestGapOverMessages loses the end of a message, whole messages and the beginning of another one: the next
// header is found again, and the octets before it are counted.
func TestGapOverMessages(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	last := game(2300, 5, 6, "the end of this one is in the capture")
	c.send(ping(1), ping(2)[:30])
	c.skip(6 + 36 + 36 + 10)
	c.send(last[10:], ping(3))
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		! octets-lost frame 3: 88 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		! message-incomplete frame 2: 30 of 36 octets of a message (PING), then a gap
		! octets-skipped frame 3: 55 octets skipped: no header where one should be
		[3] PING from=0x00000005 tick=3`)
	assert.Equal(t, account(72, 88, skipIncomplete, 30, skipNo, 55), g.sum.TCP)
}

// TestGapBetweenMessages loses whole messages: nothing is skipped.
func TestGapBetweenMessages(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(ping(1))
	c.skip(72)
	c.send(ping(2))
	c.send(ping(3)[:10])
	c.skip(26 + 36)
	c.send(ping(4))
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		! octets-lost frame 3: 72 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		[3] PING from=0x00000005 tick=2
		! octets-lost frame 5: 62 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		! message-incomplete frame 4: 10 of 36 octets of a message, then a gap
		[5] PING from=0x00000005 tick=4`)
	assert.Equal(t, account(108, 134, skipIncomplete, 10), g.sum.TCP)
}

// TestTwoGapsInOneMessage loses two parts of one message, the second one up to its end.
func TestTwoGapsInOneMessage(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	msg := game(2300, 5, 6, string(make([]byte, 200)))
	c.send(ping(1), msg[:50])
	c.skip(50)
	c.send(msg[100:150])
	c.skip(78)
	c.send(ping(2))
	c.fin()
	g := n.read(captures.Options{})
	assert.Equal(t, "[4] PING from=0x00000005 tick=2", g.events[len(g.events)-1])
	assert.Equal(t, account(72, 128, skipIncomplete, 100), g.sum.TCP)
	assert.Equal(t, 2, g.sum.ByCode[captures.OctetsLost])
	assert.Equal(t, 1, g.sum.ByCode[captures.MessageIncomplete])
	assert.Zero(t, g.sum.ByCode[captures.OctetsSkipped])
}

// TestGapWhileSearching: what stands before a gap is no part of a header after it.
func TestGapWhileSearching(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	false1 := ping(8)
	c.send(ping(1), []byte("garbage that is no header"), false1[:22])
	c.skip(100)
	c.send([]byte("play more garbage"), ping(2))
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		! octets-skipped frame 2: 25 octets skipped: no header where one should be
		! octets-lost frame 3: 100 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		! message-incomplete frame 2: 22 of 36 octets of a message, then a gap
		! octets-skipped frame 3: 17 octets skipped: no header where one should be
		[3] PING from=0x00000005 tick=2`)
	assert.Equal(t, account(72, 100, skipIncomplete, 22, skipNo, 42), g.sum.TCP)

	n = newNetwork(t)
	c = n.tcp(joiner+":1025", host+":2300")
	c.send(ping(1), []byte("garbage that is no header"), false1[:12])
	c.skip(100)
	c.send(false1[12:], ping(2))
	c.fin()
	g = n.read(captures.Options{})
	assert.Equal(t, account(72, 100, skipNo, 37+24), g.sum.TCP)
	assert.Len(t, g.records, 2)
}

// TestLateOctets: a gap is waited for, up to a limit of time; what fills it later is stray.
func TestLateOctets(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(ping(1))
	c.skip(36)
	c.send(ping(3))
	c.at(36, ping(2)) // in time
	c.skip(36)
	c.send(ping(5))
	n.Wait(longAfter)
	c.send(ping(6))
	c.at(3*36, ping(4)) // too late
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		[4] PING from=0x00000005 tick=2
		[3] PING from=0x00000005 tick=3
		! octets-lost frame 5: 36 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		[5] PING from=0x00000005 tick=5
		[6] PING from=0x00000005 tick=6`)
	assert.Equal(t, account(180, 36), g.sum.TCP)
	assert.EqualValues(t, 36, g.sum.Stray)
}

// TestSnapLength cuts segments: the octets are lost and the next message is found by the size.
func TestSnapLength(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	msg := game(2300, 5, 6, string(make([]byte, 1000)))
	n.Snap = 54 + 96
	c.send(ping(1))
	c.send(msg)
	for i := range 10 {
		c.send(ping(uint32(i + 2)))
	}
	c.fin()
	g := n.read(captures.Options{})
	assert.Equal(t, account(11*36, 1028-96, skipIncomplete, 96), g.sum.TCP)
	assert.Len(t, g.records, 11)
	assert.Contains(t, g.events, "! octets-lost frame 4: 932 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300")
	assert.Contains(t, g.events, "! message-incomplete frame 3: 96 of 1028 octets of a message, then a gap")
}

// TestTheEndIsMissing ends the capture, or the connection, inside a message.
func TestTheEndIsMissing(t *testing.T) {
	for _, end := range []func(c *conn){
		func(*conn) {},
		func(c *conn) { c.fin() },
		func(c *conn) { c.segment(layers.TCP{Seq: c.isn + 1 + c.next, RST: true}, nil) },
	} {
		n := newNetwork(t)
		c := n.tcp(joiner+":1025", host+":2300")
		c.send(ping(1), ping(2)[:30])
		c.send(ping(2)[30:35])
		end(c)
		g := n.read(captures.Options{})
		g.want(`
			[2] PING from=0x00000005 tick=1
			! message-incomplete frame 2: 35 of 36 octets of a message (PING), then the end of the stream`)
		assert.Equal(t, account(36, 0, skipIncomplete, 35), g.sum.TCP)
	}
}

// TestTheEndIsLost gives up the last octets of a stream, those before its FIN.
func TestTheEndIsLost(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(ping(1), ping(2)[:30])
	c.skip(6 + 36)
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		[2] PING from=0x00000005 tick=1
		! octets-lost frame 3: 42 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		! message-incomplete frame 2: 30 of 36 octets of a message (PING), then a gap`)
	assert.Equal(t, account(36, 42, skipIncomplete, 30), g.sum.TCP)
}
