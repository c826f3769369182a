package captures_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
)

// almost are octets that look nearly like an SP header: each one lacks one thing.
func almost() []byte {
	good := ping(9)[:20]
	change := func(at int, v ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], v)
		return append(b, "no signature here"...)
	}
	return bytes.Join([][]byte{
		change(4, 3),                   // another address family
		change(3, 0xFB),                // no token
		change(0, 20, 0, 0xB0),         // a size of the header alone
		change(12, 1),                  // padding, and no signature
		[]byte("play\x16\x00\x0e\x00"), // a signature without a header
		good[:19],
		{2, 0, 2, 0, 2, 0, 2, 0},
	}, []byte("."))
}

// TestMidway begins a capture in the middle of a message that is full of things that look like headers.
func TestMidway(t *testing.T) {
	msg := game(2300, 5, 6, string(almost())+string(almost()))
	for from := 1; from <= 28; from++ {
		n := newNetwork(t)
		c := n.midway(joiner+":1025", host+":2300")
		c.send(msg[from:], ping(1)[:5])
		c.send(ping(1)[5:], ping(2))
		g := n.read(captures.Options{})
		g.want(fmt.Sprintf(`
			! octets-skipped frame 1: %d octets skipped before the first header of a stream that began before the capture
			[1 2] PING from=0x00000005 tick=1
			[2] PING from=0x00000005 tick=2`, len(msg)-from))
		assert.Equal(t, account(72, 0, skipBefore, len(msg)-from), g.sum.TCP)
		assert.Equal(t, 2, g.sum.FramesWith)
	}
}

// TestMidwayAtAHeader begins a capture between two messages: nothing is skipped.
func TestMidwayAtAHeader(t *testing.T) {
	n := newNetwork(t)
	c := n.midway(joiner+":1025", host+":2300")
	c.send(ping(1)[:23])
	c.send(ping(1)[23:])
	g := n.read(captures.Options{})
	g.want(`[1 2] PING from=0x00000005 tick=1`)
}

// TestGarbageBetweenMessages: the next header is found, and the octets before it are counted.
func TestGarbageBetweenMessages(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(ping(1), almost())
	c.send(almost()[:50], ping(2))
	c.send([]byte("more"))
	c.fin()
	g := n.read(captures.Options{})
	g.want(fmt.Sprintf(`
		[2] PING from=0x00000005 tick=1
		! octets-skipped frame 2: %d octets skipped: no header where one should be
		[3] PING from=0x00000005 tick=2
		! message-incomplete frame 4: 4 octets of a message, then the end of the stream`, len(almost())+50))
	assert.Equal(t, account(72, 0, skipNo, len(almost())+50, skipIncomplete, 4), g.sum.TCP)
}

// TestNotDirectPlay: a stream of something else is counted and nothing more, on whatever port, from its
// beginning or midway.
func TestNotDirectPlay(t *testing.T) {
	text := []byte(strings.Repeat("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 10))
	for _, port := range []string{":80", ":2300", ":2350"} {
		n := newNetwork(t)
		a := n.tcp(joiner+":1025", host+port)
		a.send(text)
		a.send(text, ping(1)) // what looks like a message later is no proof
		b := n.midway(host+port, joiner+":1025")
		b.send(text)
		b.fin()
		g := n.read(captures.Options{})
		g.want(``)
		assert.Equal(t, captures.Account{}, g.sum.TCP)
		assert.EqualValues(t, 3*len(text)+36, g.sum.OtherOctets)
		assert.Zero(t, g.sum.Streams)
		assert.Equal(t, g.sum.Frames, g.sum.FramesOther)
	}
}

// TestMidwaySearchEnds: a stream that began before the capture is searched for a header only so far.
func TestMidwaySearchEnds(t *testing.T) {
	n := newNetwork(t)
	c := n.midway(joiner+":1025", host+":2300")
	for range 300 {
		c.send(make([]byte, 1000))
	}
	c.send(ping(1))
	g := n.read(captures.Options{})
	g.want(``)
	assert.EqualValues(t, 300036, g.sum.OtherOctets)
}

// TestExpected: to a socket where DirectPlay is to be expected a stream may begin with garbage: the port of
// enumerations, sockets that headers named, ports that the reader names.
func TestExpected(t *testing.T) {
	learn := func(n *network) { n.UDP(other+":1030", "255.255.255.255:47624", sys(6073, &wire.EnumSessions{})) }
	cases := []struct {
		name string
		dst  string
		opt  captures.Options
		prep func(*network)
		ok   bool
	}{
		{"47624", host + ":47624", captures.Options{}, nil, true},
		{"SockAddr of a header", other + ":6073", captures.Options{}, learn, true},
		{"the same port elsewhere", host + ":6073", captures.Options{}, learn, false},
		{"by option", host + ":6112", captures.Options{Ports: []uint16{6112}}, nil, true},
		{"usual port", host + ":2300", captures.Options{}, nil, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			if c.prep != nil {
				c.prep(n)
			}
			s := n.tcp(joiner+":1025", c.dst)
			s.send([]byte("this is no header at all"), ping(1))
			g := n.read(c.opt)
			if !c.ok {
				assert.Zero(t, g.sum.Streams)
				assert.EqualValues(t, 60, g.sum.OtherOctets)
				return
			}
			assert.Equal(t, account(36, 0, skipNo, 24), g.sum.TCP)
			last := g.events[len(g.events)-2:]
			assert.Contains(t, last[0], "24 octets skipped: no header where one should be")
			assert.Contains(t, last[1], "PING from=0x00000005 tick=1")
		})
	}
}

// TestExpectedButNeverThere: a stream to such a socket that never has a header is accounted for as skipped.
func TestExpectedButNeverThere(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":47624")
	c.send(make([]byte, 1000))
	c.send(make([]byte, 1000))
	c.fin()
	d := n.tcp(joiner+":1026", host+":47624")
	d.send([]byte("short"))
	g := n.read(captures.Options{})
	g.want(`
		! octets-skipped frame 2: 2000 octets skipped: no header where one should be, up to the end of the stream
		! message-incomplete frame 6: 5 octets of a message, then the end of the stream`)
	assert.Equal(t, account(0, 0, skipNo, 2000, skipIncomplete, 5), g.sum.TCP)
}

// TestSizeLies: sizes that cannot be, that cut a message short, and that swallow what follows.
func TestSizeLies(t *testing.T) {
	lie := func(size uint32, b []byte) []byte {
		b = bytes.Clone(b)
		binary.LittleEndian.PutUint32(b, size|0xfab<<20)
		return b
	}
	cases := []struct {
		name string
		send []byte
		want string
		sum  captures.Account
	}{
		{"19", lie(19, ping(2)), `
			! octets-skipped frame 2: 36 octets skipped: no header where one should be
			[2] PING from=0x00000005 tick=3`, account(72, 0, skipNo, 36)},
		{"20", lie(20, ping(2)), `
			[2] PLAYERMESSAGE  ! PLAYERMESSAGE.IDFrom at octet 20: message too short
			  ! message-malformed frame 2 PLAYERMESSAGE.IDFrom @20: PLAYERMESSAGE.IDFrom at octet 20: message too short
			! octets-skipped frame 2: 16 octets skipped: no header where one should be
			[2] PING from=0x00000005 tick=3`, account(72, 0, int(captures.SkipMalformed), 20, skipNo, 16)},
		{"21", lie(21, ping(2)), `
			[2] PLAYERMESSAGE  ! PLAYERMESSAGE.IDFrom at octet 20: message too short
			  ! message-malformed frame 2 PLAYERMESSAGE.IDFrom @20: PLAYERMESSAGE.IDFrom at octet 20: message too short
			! octets-skipped frame 2: 15 octets skipped: no header where one should be
			[2] PING from=0x00000005 tick=3`, account(72, 0, int(captures.SkipMalformed), 21, skipNo, 15)},
		{"the largest", lie(0xfffff, ping(2)), `
			! message-incomplete frame 2: 36 of 1048575 octets of a message (PING), then another header
			[2] PING from=0x00000005 tick=3`, account(72, 0, skipIncomplete, 36)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			s := n.tcp(joiner+":1025", host+":2300")
			s.send(ping(1), c.send, ping(3))
			s.fin()
			g := n.read(captures.Options{})
			g.want("[2] PING from=0x00000005 tick=1\n" + c.want)
			assert.Equal(t, c.sum, g.sum.TCP)
		})
	}
}

// TestSwallowed: a size that is a lie swallows the messages behind it until the stream has a gap or ends. Then
// they are found again, each with the frames it came in.
func TestSwallowed(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(append([]byte{0xff, 0xff, 0xbf}, ping(1)[3:]...), ping(2)[:10])
	c.send(ping(2)[10:], ping(3), game(2300, 5, 6, "cut")[:25])
	c.skip(6)
	c.send(ping(4))
	c.fin()
	g := n.read(captures.Options{})
	g.want(`
		! octets-lost frame 4: 6 octets are missing from the TCP stream 10.0.0.2:1025 > 10.0.0.1:2300
		! message-incomplete frame 2: 36 of 1048575 octets of a message (PING), then another header
		[2 3] PING from=0x00000005 tick=2
		[3] PING from=0x00000005 tick=3
		! message-incomplete frame 3: 25 of 31 octets of a message, then a gap
		[4] PING from=0x00000005 tick=4`)
	assert.Equal(t, account(108, 6, skipIncomplete, 61), g.sum.TCP)
}

// TestUnknownToken: a token that the specification does not list is taken where a signature confirms the
// header, and reported.
func TestUnknownToken(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	odd := ping(1)
	binary.LittleEndian.PutUint32(odd, 36|0x123<<20)
	c.send(odd[:22])
	c.send(odd[22:], ping(2))
	g := n.read(captures.Options{})
	g.want(`
		[2 3] PING from=0x00000005 tick=1
		  ! unknown-token frame 3 token @0: token 0x123 is not one of the specification's
		[3] PING from=0x00000005 tick=2`)
}
