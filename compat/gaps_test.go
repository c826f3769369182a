package compat_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// Ids as Windows makes them (lotr2 capture): their lowest octet is what the index and the session's Reserved1
// happen to give.
const (
	leaver       wire.PlayerID = 0x000384C8
	leaverSystem wire.PlayerID = 0x000384C9
	roundID      wire.PlayerID = 0x00038400 // what tshark takes for the only ids of game messages
)

// gameText is what the game messages below hold.
const gameText = "the game's own octets"

// gaps shows every entry of TsharkGaps: write makes the capture, see looks at what tshark makes of it. The
// frames of the messages follow the three of the handshake, so the first one is packets[3].
var gaps = map[string]struct {
	write func(*testing.T, *madeup.Conn)
	see   func(*testing.T, []packet)
}{
	"second-message": {
		write: func(t *testing.T, c *madeup.Conn) {
			c.Send(append(madeup.System(2300, &wire.DeletePlayer{Player: leaver}),
				madeup.System(2300, &wire.DeletePlayer{Player: leaverSystem})...))
		},
		see: func(t *testing.T, p []packet) {
			assert.Equal(t, []string{"0x000b"}, p[3].show("dplay.command"), "two messages, one command")
			assert.Equal(t, []string{"c8:84:03:00"}, p[3].show("dplay.multi.player_id"))
			require.Len(t, p[3].show("dplay.multi.password"), 1, "the second message is a password")
		},
	},
	"split-message": {
		write: func(t *testing.T, c *madeup.Conn) {
			b := madeup.System(2300, &wire.DeletePlayer{Player: leaver})
			c.Send(b[:30])
			c.Send(b[30:])
		},
		see: func(t *testing.T, p []packet) {
			assert.True(t, p[3].has("_ws.malformed"), "the first part is malformed")
			assert.False(t, p[4].has("dplay"), "the second part is unknown")
			assert.Empty(t, append(p[3].show("dplay.multi.player_id"), p[4].show("dplay.multi.player_id")...))
		},
	},
	"tcp-game-message": {
		write: func(t *testing.T, c *madeup.Conn) {
			c.Send(madeup.Game(2300, leaver, leaverSystem, gameText))
			c.Send(madeup.Game(2300, roundID, leaverSystem, gameText))
		},
		see: func(t *testing.T, p []packet) {
			assert.False(t, p[3].has("dplay"), "an id as Windows makes it")
			assert.True(t, p[4].has("dplay"), "an id that ends in a zero octet")
		},
	},
	"udp-game-message": {
		write: func(t *testing.T, c *madeup.Conn) {
			c.N.UDP("10.0.0.1:2350", "10.0.0.2:2350",
				madeup.Game(2300, roundID, leaverSystem, gameText)[wire.SPHeaderSize:])
		},
		see: func(t *testing.T, p []packet) { assert.False(t, p[3].has("dplay")) },
	},
	"8-bit-name": {
		write: func(t *testing.T, c *madeup.Conn) {
			c.Send(madeup.System(2300, &wire.EnumSessionsReply{Name: wire.NewText8("Nobleman")}))
		},
		see: func(t *testing.T, p []packet) {
			assert.Equal(t, []string{"潎汢浥湡"}, p[3].show("dplay.type_01.game_name"))
		},
	},
	"offsets": {
		write: func(t *testing.T, c *madeup.Conn) { c.Send(withGap(t, "lord", "gap!")) },
		see: func(t *testing.T, p []packet) {
			assert.Equal(t, []string{"36"}, p[3].show("dplay.type02.password_offset"))
			assert.NotEqual(t, []string{"lord"}, p[3].show("dplay.type02.password"))
		},
	},
	"no-body": {
		write: func(t *testing.T, c *madeup.Conn) {
			c.Send(madeup.System(2300, &wire.YouAreDead{}))
			c.Send(madeup.System(2300, &wire.LogonDenied{}))
			c.Send(madeup.System(2300, &wire.EnumPlayer{}))
		},
		see: func(t *testing.T, p []packet) {
			assert.True(t, p[3].has("_ws.malformed"), "YOUAREDEAD")
			assert.True(t, p[4].has("_ws.malformed"), "LOGONDENIED")
			assert.False(t, p[5].has("_ws.malformed"), "ENUMPLAYER, which has no body either")
		},
	},
	"packet-fragment": {
		write: func(t *testing.T, c *madeup.Conn) {
			whole := madeup.System(2300, &wire.Chat{From: leaver, Text: wire.NewText("a long line")})[wire.SPHeaderSize:]
			c.Send(madeup.System(2300, &wire.Packet{Index: 1, Offset: 24, Total: 2, MessageSize: uint32(len(whole)),
				Data: wire.Inner{Octets: whole[24:]}}))
		},
		see: func(t *testing.T, p []packet) {
			assert.NotEmpty(t, p[3].show("dplay.command_2"), "a command is read out of the middle of a message")
		},
	},
	"wrapped-message": {
		write: func(t *testing.T, c *madeup.Conn) {
			in := wire.Inner{Version: wire.DX9, Message: &wire.DeletePlayer{Player: leaver}}
			c.Send(madeup.System(2300, &wire.PlayerWrapper{Player: wire.PlayerMessage{From: leaver, Payload: []byte(gameText)}}))
			c.Send(madeup.System(2300, &wire.Signed{From: leaver, Inner: in}))
			c.Send(madeup.System(2300, &wire.MulticastDelivery{Group: roundID, From: leaver, Inner: in}))
			c.Send(madeup.System(2300, &wire.Packet2Data{Total: 1, MessageSize: 28, Data: in}))
		},
		see: func(t *testing.T, p []packet) {
			for i, name := range []string{"PLAYERWRAPPER", "SIGNED", "MULTICASTDELIVERY", "PACKET2_DATA"} {
				assert.True(t, p[3+i].has("dplay"), name)
				assert.Empty(t, p[3+i].body(), name)
			}
		},
	},
}

// TestTsharkGaps checks that what tshark is said not to see, it does not see.
func TestTsharkGaps(t *testing.T) {
	program := findTshark(t)
	o := newOracle(program)
	assert.Len(t, gaps, len(compat.TsharkGaps), "tests of gaps that are not listed")
	first := map[string]int{} // frames before those of a gap
	packets := program.decode(t, func(c *madeup.Network) {
		for i, gap := range compat.TsharkGaps {
			require.Contains(t, gaps, gap.Key, "a gap without a test")
			first[gap.Key] = c.Frames
			gaps[gap.Key].write(t, c.Dial(fmt.Sprintf("10.0.0.1:%d", 1045+i), host))
		}
	})
	for _, gap := range compat.TsharkGaps {
		t.Run(gap.Key, func(t *testing.T) {
			if !o.strict {
				t.Logf("tshark %s: not checked, the list is of %s", program.version, compat.TsharkStrict)
				return
			}
			gaps[gap.Key].see(t, packets[first[gap.Key]:])
		})
	}
}

// TestTsharkBodies sends an empty message of every command. It checks which bodies tshark shows anything of,
// and what it calls the commands.
func TestTsharkBodies(t *testing.T) {
	program := findTshark(t)
	o := newOracle(program)
	packets := program.decode(t, func(c *madeup.Network) {
		conn := c.Dial(joiner, host)
		for _, cmd := range wire.Commands() {
			m := wire.New(cmd)
			if p, ok := m.(*wire.Packet); ok { // tshark reads a message in it, and stumbles where there is none
				p.Data = wire.Inner{Version: wire.DX9, Message: new(wire.DeletePlayer)}
				p.Total, p.MessageSize = 1, 28
			}
			conn.Send(madeup.System(2300, m))
		}
	})
	var bodies []wire.Command
	for i, cmd := range wire.Commands() {
		p := packets[3+i]
		require.True(t, p.has("dplay"), "%v", cmd)
		if len(p.body()) > 0 {
			bodies = append(bodies, cmd)
		}
		for _, f := range p.dplay() {
			if f.Name == "dplay.command" {
				o.name(t, f, commandLeaf(t, cmd))
			}
		}
	}
	if o.strict {
		assert.Equal(t, compat.TsharkBodies, bodies, "commands of whose bodies tshark shows something")
	}
	for _, n := range compat.TsharkNames {
		if n.Tshark == "dplay.command" {
			assert.True(t, slices.Contains(wire.Commands(), wire.Command(n.Value)), "TsharkNames has command %#x", n.Value)
		}
	}
}

// commandLeaf returns the command field of an empty message. Some empty messages are errors further on, where
// they ought to hold another message.
func commandLeaf(t *testing.T, cmd wire.Command) *leaf {
	t.Helper()
	l := leaf{path: "Command"}
	d := wire.Decoder{Visitor: func(f *wire.Field) {
		if f.Name == l.path && f.Offset == 4 {
			l.Field = *f
		}
	}}
	_, _, err := d.DecodeMessage(madeup.System(2300, wire.New(cmd))[wire.SPHeaderSize:])
	require.Equal(t, uint32(cmd), l.Num, "%v", err)
	return &l
}

// withGap encodes ENUMSESSIONS with four octets before its password, as the specification allows, and checks
// that package wire finds the password.
func withGap(t *testing.T, password, gap string) []byte {
	t.Helper()
	b := madeup.System(2300, &wire.EnumSessions{Password: wire.NewText(password)})
	const offsetAt, passwordAt = wire.SPHeaderSize + 24, wire.SPHeaderSize + 32
	b = slices.Insert(b, passwordAt, []byte(gap)...)
	binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)+uint32(len(gap)))
	binary.LittleEndian.PutUint32(b[offsetAt:], uint32(32+len(gap)))
	var d wire.Decoder
	e, err := d.DecodeStream(b)
	require.NoError(t, err)
	require.Equal(t, password, e.Message.(*wire.EnumSessions).Password.String())
	return b
}
