package trainhost

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/network"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// TestRecorded plays what was recorded with the host that this one is to be like: it says the same, octet for octet but for its
// clock, and nothing besides.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for name, received := range map[string]string{
		"basic": "9b000000", "loss": "ad000000", "reorder": "7c000000", "packet": "48000000", "leave": "44000000",
		"odd": "18000000", "indexes": "ea000000",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play := func(t *testing.T, o Options) {
				s := joined(t, o)
				s.play(name)
				s.quiet(received)
			}
			t.Run("bubble", inBubble(play))
			t.Run("system", func(t *testing.T) { play(t, Options{Network: network.System{}}) })
		})
	}
}

// What is said to the host comes out as it says: late, twice, or not at all.
func TestDelivered(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := joined(t, o)
		s.play("loss")
		assert.Equal(t, []string{strings.Repeat("x", 40), "second", "second", "far ahead", "back"}, s.delivered(5))
		o.Network = socktest.New()
		s = joined(t, o)
		s.play("reorder")
		assert.Equal(t, []string{"m2", "m1", "m4", "m3", "B1B2"}, s.delivered(5))
		in, out := s.host.Frames()
		assert.Equal(t, []int{8, 6}, []int{in, out}, "the greeting and five ACKs")

		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := s.host.Delivered(ctx, 6)
		assert.ErrorIs(t, err, context.Canceled)
	})(t)
}

// TestFragments has the 4,500 octets and the 300 frames of a capture; frames and answers are those.
func TestFragments(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := joined(t, o)
		head := unhex(t, "0000010001000100f0032c01")
		large := append([]byte(nil), head...)
		for i := range 4488 {
			large = append(large, byte(i))
		}
		const frame = 1496
		s.send(s.frames, append(unhex(t, "010031010100"), large[:frame]...))
		s.send(s.frames, append(unhex(t, "010021010201"), large[frame:2*frame]...))
		s.send(s.frames, append(unhex(t, "010021010302"), large[2*frame:3*frame]...))
		s.send(s.frames, append(unhex(t, "01002d010403"), large[3*frame:]...))
		s.expect("000103010403a41100009f070000")

		acks := []string{"1c17f0130000", "342f30160000", "4c4770180000", "645fb01a0000", "7c77f01c0000", "948f301f0000", "aca770210000",
			"c4bfb0230000", "dcd7f0250000", "f4ef30280000", "0c07702a0000", "241fb02c0000", "302bd02d0000"}
		for i := range 300 {
			flags, data := reliable.CMD|reliable.RLY, bytes.Repeat([]byte{byte(i)}, 20)
			switch {
			case i == 0:
				flags |= reliable.STA
				data = append(head, append([]byte{1}, data[1:]...)...)
			case i == 299:
				flags |= reliable.EOM | reliable.SAK
			case i%24 == 23:
				flags |= reliable.SAK
			}
			s.say(fmt.Sprintf("0100%02x02%02x%02x%x", uint8(flags), uint8(5+i), uint8(i), data))
			if flags&reliable.SAK != 0 {
				s.expect("00010302" + acks[0] + "00000000")
				acks = acks[1:]
			}
		}
		assert.Empty(t, acks)
		got := s.delivered(2)
		assert.Equal(t, string(large[12:]), got[0])
		assert.Len(t, got[1], 300*20)
	})(t)
}

// TestWrap has the 519 messages of a capture, whose ids and sequences pass 255 twice, and its answers.
func TestWrap(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := joined(t, o)
		for i := 1; i <= 519; i++ {
			n := uint8(i)
			s.say(fmt.Sprintf("01003d%02x%02x000000010001000100f0032c01%02x%02x", n, n, n, i>>8))
			s.expect(fmt.Sprintf("000103%02x%02x00%02x%02x000000000000", n, n, uint8(18*i), 18*i>>8))
		}
		assert.Equal(t, "\x00\x01", s.delivered(519)[255])
	})(t)
}

// TestEcho has the game's message 1004 said again, with the host's ids, in one frame.
func TestEcho(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := joined(t, o)
		long := strings.Repeat("ab", 1200)
		s.say("010031010100" + "0000010001000100ec032c01" + long)
		s.say("01002d010201" + long)
		b := make([]byte, 1<<12)
		n, _, _, _, err := s.frames.ReadMsgUDPAddrPort(b, nil)
		require.NoError(t, err)
		assert.Equal(t, "000138020100"+"0100010000000000ec032c01"+long+long, hex.EncodeToString(b[:n]))
		s.expect("0001030102017409000000000000")
	})(t)
}

// TestLoss loses frames of either direction, by their number, and nothing else.
func TestLoss(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		o.LoseIn, o.LoseOut = func(n int) bool { return n == 2 }, func(n int) bool { return n == 3 }
		s := newScript(t, o)
		s.play("join")
		for i := 1; i <= 4; i++ {
			s.say(fmt.Sprintf("01003d%02x0100%02x", i, i))
		}
		s.expect("00010301010005000000" + "00000000")
		s.expect("0001030401000f000000" + "00000000")
		assert.Equal(t, []string{"\x01", "\x03", "\x04"}, s.delivered(3))
		in, out := s.host.Frames()
		assert.Equal(t, []int{4, 4}, []int{in, out})
	})(t)
}

// TestStrangeFrames sends what the host takes for nothing, and does not count.
func TestStrangeFrames(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := joined(t, o)
		other, err := s.net.ListenDatagrams(netip.AddrPortFrom(s.at, 2350))
		require.NoError(t, err)
		defer other.Close()
		s.send(other, unhex(t, "01003d010100aa"))
		for _, b := range []string{"", "01003d0101", "0100bd0101000000", "0100ff010100", "0100822001010000000000000000"} {
			s.say(b)
		}
		s.quiet("04000000")
		s.say("01013d010100aa") // to an index that nobody has: counted
		s.quiet("0d000000")
		s.say("01003d010100" + strings.Repeat("00", 3000)) // as much as the buffer takes
		s.expect("0001030101000b08000000000000")
	})(t)
}

// said returns a message of the joiner with an SP header.
func said(t *testing.T, version wire.Dialect, m wire.Message) []byte {
	t.Helper()
	at := wire.SockAddr{Family: wire.FamilyINet, Port: 5}
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: at}, Version: version, Message: m}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// reply returns the next message over TCP.
func (s *script) reply() wire.Message {
	s.t.Helper()
	b := s.heard(wire.SPHeaderSize)
	size, err := wire.FrameSize(b)
	require.NoError(s.t, err)
	var d wire.Decoder
	e, err := d.DecodeStream(append(b, s.heard(size-len(b))...))
	require.NoError(s.t, err)
	return e.Message
}

// Of what comes at once one message is taken, if it is whole and of version 14; a PACKET is unwrapped, likewise in a frame.
// Each id that is asked for is a new one, so the ids tell what was heard. The answers go to the host's own port, whatever
// SockAddr says.
func TestOneASegment(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := newScript(t, o)
		system, game := &wire.RequestPlayerID{Flags: wire.PlayerSystem}, &wire.RequestPlayerID{}
		packet := func(m wire.Message) *wire.Packet {
			b := said(t, wire.DX9, m)[wire.SPHeaderSize:]
			return &wire.Packet{Total: 1, MessageSize: uint32(len(b)), Data: wire.Inner{Octets: b}}
		}
		at := func(b ...[]byte) {
			s.host.mu.Lock()
			defer s.host.mu.Unlock()
			s.host.message(s.host.joiner(s.at), bytes.Join(b, nil))
		}
		is := func(want wire.PlayerID) {
			t.Helper()
			assert.Equal(t, want, s.reply().(*wire.RequestPlayerReply).ID)
		}
		at(said(t, wire.DX9, game)[:31])
		at(said(t, wire.DX8, game))
		at(said(t, wire.DX9, system), said(t, wire.DX9, game))
		is(0x10001)
		at(said(t, wire.DX9, system)) // who has one is not answered
		at(said(t, wire.DX9, packet(game)))
		is(0x10002)
		_, err := s.tcp.Write(append(said(t, wire.DX9, game), said(t, wire.DX9, game)...))
		require.NoError(t, err)
		is(0x10003)
		s.host.mu.Lock()
		s.host.framed(netip.AddrPortFrom(s.at, recorded), unhex(t, "01003d010100")) // there are no frames yet
		s.host.mu.Unlock()
		at(said(t, wire.DX9, &wire.CreatePlayer{Player: 0x10003, Info: wire.PackedPlayer{ID: 0x10003, System: 0x10001}}))
		s.expect("0001380101000100010000000000ea032c01ffffffff00000000")
		s.say("010038010100" + fmt.Sprintf("%x", said(t, wire.DX9, packet(game))[wire.SPHeaderSize:]))
		is(0x10004)
		s.say("010038010100" + fmt.Sprintf("%x", said(t, wire.DX8, game)[wire.SPHeaderSize:]))
		is(0x10005)
		in, _ := s.host.Frames()
		assert.Equal(t, 2, in)
	})(t)
}

// A second CREATEPLAYER gets the greeting once more; the end of the joiner's connection is its departure, but not that of an
// older one, and who comes again is another one.
func TestComesAndGoes(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := joined(t, o)
		create := said(t, wire.DX9, &wire.CreatePlayer{Player: 0x10002, Info: wire.PackedPlayer{ID: 0x10002, System: 0x10001}})
		greeting := "0001380101000100010000000000ea032c01ffffffff00000000"
		older := s.tcp
		s.tcp = s.dial()
		_, err := s.tcp.Write(create)
		require.NoError(t, err)
		s.expect(greeting)
		_, err = older.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, "the host has one connection of it")
		s.quiet("04000000")

		require.NoError(t, s.tcp.Close())
		_, err = s.in.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		s.in, s.tcp = nil, s.dial()
		s.play("join") // with the same ids
		s.quiet("04000000")
	})(t)
}

// Another game, name and port are the host's if it is told so, and those alone are found.
func TestOptions(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		o.Application, o.Name = wire.GUID{7}, "Other"
		s := newScript(t, o)
		for _, g := range []wire.GUID{{}, {8}, {7}} {
			s.line("search", ">", fmt.Sprintf("%x", said(t, wire.DX9, &wire.EnumSessions{Application: g})))
		}
		m := s.reply().(*wire.EnumSessionsReply)
		assert.Equal(t, "Other", m.Name.String())
		assert.Equal(t, wire.GUID{7}, m.Desc.Application)
		assert.Equal(t, wire.SessionDirectPlayProtocol|wire.SessionOptimizeLatency, m.Desc.Flags)
	})(t)
}

// Who closes the host's connection is not answered any more: there is no second one.
func TestHungUp(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, o Options) {
		s := joined(t, o)
		connection := func() net.Conn {
			s.host.mu.Lock()
			defer s.host.mu.Unlock()
			return s.host.joiners[s.at].out
		}
		before := connection()
		require.NoError(t, s.in.Close())
		for i := range 3 { // the system tells who writes a second time
			s.say(fmt.Sprintf("010038%02x0100%x", i, said(t, wire.DX9, &wire.RequestPlayerID{})[wire.SPHeaderSize:]))
			s.expect(fmt.Sprintf("000102%02x0100%02x00000000000000", i, 16*(i+1)))
		}
		assert.Same(t, before, connection())
	})(t)
}
