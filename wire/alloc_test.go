package wire_test

import (
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// playerMessage32 is a game message with a payload of 32 octets, as on TCP and as on UDP.
func playerMessage32(t testing.TB) (stream, datagram []byte) {
	t.Helper()
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Message: &wire.PlayerMessage{From: 0x384c9, To: 0x384ca, Payload: []byte("a payload of thirty-two octets..")}}
	stream, err := e.Append(nil)
	require.NoError(t, err)
	require.Len(t, stream, 60)
	return stream, stream[wire.SPHeaderSize:]
}

// TestNoAllocations: the frequent messages are decoded and encoded without allocating.
func TestNoAllocations(t *testing.T) {
	stream, datagram := playerMessage32(t)
	ping, reply := readGolden(t, "PING").Raw, readGolden(t, "PINGREPLY").Raw

	var d wire.Decoder
	none := func(what string, f func() error) {
		t.Helper()
		require.NoError(t, f(), what) // and the decoder has the message's type now
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			if f() != nil {
				panic(what)
			}
		}), what)
	}
	decoded := func(_ wire.Envelope, err error) error { return err }
	none("decode PING, stream", func() error { return decoded(d.DecodeStream(ping)) })
	none("decode PING, datagram", func() error { return decoded(d.DecodeDatagram(ping)) })
	none("decode PING, bare", func() error { return decoded(d.DecodeBare(ping[20:])) })
	none("decode PINGREPLY, stream", func() error { return decoded(d.DecodeStream(reply)) })
	none("decode PINGREPLY, datagram", func() error { return decoded(d.DecodeDatagram(reply)) })
	none("decode PLAYERMESSAGE, stream", func() error { return decoded(d.DecodeStream(stream)) })
	none("decode PLAYERMESSAGE, datagram", func() error { return decoded(d.DecodeDatagram(datagram)) })

	buf := make([]byte, 0, 256)
	encoded := func(_ []byte, err error) error { return err }
	var asked, answered wire.Message = &wire.Ping{From: 1, Tick: 2}, &wire.PingReply{From: 1, Tick: 2}
	none("encode PING", func() error { return encoded(wire.AppendMessage(buf, wire.DX9, asked)) })
	none("encode PINGREPLY", func() error { return encoded(wire.AppendMessage(buf, wire.DX9, answered)) })
	game := wire.PlayerMessage{From: 1, To: 2, Payload: datagram[8:]}
	none("encode PLAYERMESSAGE", func() error { return encoded(wire.AppendPlayerMessage(buf, &game)) })

	for _, raw := range [][]byte{ping, reply, stream, datagram} {
		var own wire.Decoder
		e, err := own.DecodeDatagram(raw)
		if len(raw) == len(stream) {
			e, err = own.DecodeStream(raw)
		}
		require.NoError(t, err)
		none("encode an envelope", func() error { return encoded(e.Append(buf)) })
		got, err := e.Append(buf)
		require.NoError(t, err)
		assert.Equal(t, raw, got)
	}
}
