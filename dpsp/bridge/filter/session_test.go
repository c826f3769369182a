package filter

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestSession: whether datagrams are frames is our game's word as host, and otherwise that of the host that it asked to be let in.
func TestSession(t *testing.T) {
	host, other := Ports{2300, 2350}, Ports{2301, 2351}
	desc := func(framed bool) (d wire.SessionDesc) {
		if framed {
			d.Flags = wire.SessionDirectPlayProtocol | wire.SessionKeepAlive
		}
		return d
	}
	list := func(framed bool) wire.Message { return &wire.SuperEnumPlayersReply{Desc: desc(framed)} }
	small := func(framed bool) wire.Message { return &wire.EnumPlayersReply{Desc: desc(framed)} }
	found := func(framed bool) wire.Message { return &wire.EnumSessionsReply{Desc: desc(framed)} }
	in := func(m wire.Message) wire.Message {
		return &wire.Packet{Total: 1, Data: wire.Inner{Message: &wire.Packet2Data{Total: 1, Data: wire.Inner{Message: m}}}}
	}
	asks := &wire.AddForwardRequest{}
	type step struct {
		from   Ports // zero: our game says it
		to     Ports
		m      wire.Message
		framed bool // then
	}
	for name, steps := range map[string][]step{
		"we host": {{to: other, m: found(true), framed: true}, {from: other, m: list(false), framed: true},
			{to: other, m: &wire.Ping{}, framed: true}, {to: other, m: in(found(false))}},
		"nobody asked": {{from: other, m: list(true)}, {from: host, m: small(true)}, {from: host, m: found(true)}},
		"we join": {{to: host, m: asks}, {from: other, m: list(true)}, {from: host, m: found(true)},
			{from: host, m: &wire.SessionDescChanged{Desc: desc(true)}}, {from: host, m: list(true), framed: true},
			{from: other, m: list(false), framed: true}, {from: host, m: list(false)}},
		"client and server":  {{to: host, m: in(asks)}, {from: host, m: in(small(true)), framed: true}},
		"we join others":     {{to: host, m: asks}, {from: host, m: list(true), framed: true}, {to: other, m: asks}, {from: host, m: list(true)}},
		"then we host":       {{to: host, m: asks}, {from: host, m: list(true), framed: true}, {to: host, m: found(false)}, {from: host, m: list(true)}},
		"a fragment of some": {{to: host, m: asks}, {from: host, m: &wire.Packet{Data: wire.Inner{Octets: octets(t, list(true))}}}},
	} {
		var s Session
		for i, x := range steps {
			if x.from == (Ports{}) {
				s.Says(x.to, x.m)
			} else {
				s.Hears(x.from, x.m)
			}
			assert.Equal(t, x.framed, s.Framed(), "%s: step %d", name, i)
		}
	}
}

// TestFramed: a game's message in frames may have the signature anywhere, and is no system message but by its header. Where
// datagrams are no frames, it is dropped: it can stop Wine's UDP, or end its program.
func TestFramed(t *testing.T) {
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351})
	framed := true
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }, Framed: func() bool { return framed }}
	d := NewDatagrams(rule)
	var frames [][]byte
	for n := range 40 {
		f := append([]byte{1, 0, 0x3D, 1, 1, 0}, make([]byte, n)...)
		frames = append(frames, append(f, "play\x29\x00 a game of mine?"...))
	}
	frames = append(frames, []byte("play\x29\x00\x0b\x00of two players with large indexes"))
	for _, f := range frames {
		framed = true
		assert.NoError(t, d.Check(f), "%q", f)
		framed = false
		assert.Equal(t, wire.HasSignature(f) || isSystem(f), d.Check(f) != nil, "%q", f)
	}
	ping := append(headOf(16), octets(t, &wire.Ping{})...)
	evil := append(headOf(len(evilMessage)), evilMessage...)
	resized := func(by int, token wire.Token) []byte {
		b := append([]byte{}, evil...)
		binary.LittleEndian.PutUint32(b, uint32(len(b)+by)|uint32(token)<<20)
		return b
	}
	for _, x := range []struct {
		b                 []byte
		inFrames, without bool
	}{
		{ping, true, true}, {evil, false, false},
		{resized(0, wire.TokenForward), false, false}, {resized(0, wire.TokenServer), false, false},
		{resized(0, 0x123), false, false}, {resized(-1, wire.TokenRemote), false, false}, {resized(1, wire.TokenRemote), true, false},
		{put(append(headOf(8), "play\x0b\x00\x0e\x00"...), 0, 0x12300000+28), false, false}, // to Wine it is one with a player
		{append(headOf(8), octets(t, &wire.YouAreDead{})...), true, true},
		{put(append(headOf(8), octets(t, &wire.YouAreDead{})...), 8, 0x0100000a), false, false}, // its header names a port of 10.0.0.1
		{append(headOf(9), "play\x16\x00\x0b\x00x"...)[:27], true, false},
		{append(headOf(4), "play"...), true, false}, // it says no command
		{append(headOf(9), "play\x16\x00\x0b\x00x"...), false, false},
		{put(append(headOf(9), "play\x16\x00\x0b\x00x"...), 0, 0x12300000+29), true, false},
		{evilMessage, true, false}, {octets(t, &wire.EnumSessionsReply{}), true, false}, {[]byte("play\xe8\x03\x0b\x00"), true, false},
		{[]byte("play me a song"), true, true}, {[]byte("play"), true, true}, {[]byte("play\x29\x00\x0b"), true, true},
	} {
		framed = true
		assert.Equal(t, x.inFrames, d.Check(x.b) == nil, "%q", x.b)
		framed = false
		assert.Equal(t, x.without, d.Check(x.b) == nil, "%q", x.b)
	}
	var heard []wire.Command
	rule.Heard = func(m wire.Message) { heard = append(heard, m.Command()) }
	_, err := NewStream(rule, nil).Pass(nil, join(ping, headOf(4), []byte("game"), ping, evil))
	require.Error(t, err)
	assert.Equal(t, []wire.Command{wire.CmdPing, wire.CmdPing}, heard, "of what passes")
}

// TestWatch: what our game says passes as it is, whatever it is, and its messages are shown.
func TestWatch(t *testing.T) {
	ping := append(headOf(16), octets(t, &wire.Ping{})...)
	said := join(ping, headOf(4), []byte("game"), append(headOf(9), "play\x2e\x00\x0e\x00x"...), ping, []byte("GET / HTTP/1.1\r\n\r\n......"), ping)
	var seen []wire.Command
	w := Watch(func(m wire.Message) { seen = append(seen, m.Command()) })
	for i := range said {
		w.Pass(nil, said[i:i+1]) //nolint:errcheck // it ends where messages do
	}
	assert.Equal(t, []wire.Command{wire.CmdPing, wire.CmdPing}, seen)
}
