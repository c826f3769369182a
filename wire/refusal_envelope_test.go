package wire_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wantError compares the whole of a DecodeError.
func wantError(t *testing.T, want wire.DecodeError, err error) {
	t.Helper()
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, want, *e)
	assert.ErrorIs(t, err, want.Err)
}

func TestRefuseSPHeader(t *testing.T) {
	var d wire.Decoder
	ping := readGolden(t, "PING").Raw
	for _, size := range []uint32{0, 1, 19} {
		b := append([]byte(nil), ping...)
		binary.LittleEndian.PutUint32(b, size|0xFAB<<20)
		want := wire.DecodeError{Message: "SPHEADER", Field: "size", Value: size, Err: wire.ErrValue}
		_, err := d.DecodeStream(b)
		wantError(t, want, err)
		_, err = d.DecodeDatagram(b)
		wantError(t, want, err)
		h, err := wire.ParseSPHeader(b)
		wantError(t, want, err)
		assert.Equal(t, int(size), h.Size)
	}
	for _, size := range []uint32{37, 4096, wire.MaxMessage} {
		b := append([]byte(nil), ping...)
		binary.LittleEndian.PutUint32(b, size|0xFAB<<20)
		want := wire.DecodeError{Message: "SPHEADER", Field: "size", Value: size, Err: wire.ErrOffset}
		e, err := d.DecodeStream(b)
		wantError(t, want, err)
		assert.True(t, e.HasSP, "the header is there all the same")
		assert.Equal(t, int(size), e.SP.Size)
		assert.Nil(t, e.Message)
		_, err = d.DecodeDatagram(b)
		wantError(t, want, err)
	}
	_, err := d.DecodeStream(ping[:3])
	wantError(t, wire.DecodeError{Message: "SPHEADER", Field: "size", Err: wire.ErrShort}, err)
	_, err = d.DecodeStream(ping[:19])
	wantError(t, wire.DecodeError{Message: "SPHEADER", Field: "SockAddr", Offset: 4, Err: wire.ErrShort}, err)

	// An SP header and nothing else is a game message without its ids.
	b := append([]byte(nil), ping[:20]...)
	binary.LittleEndian.PutUint32(b, 20|0xFAB<<20)
	e, err := d.DecodeStream(b)
	wantError(t, wire.DecodeError{Message: "PLAYERMESSAGE", Field: "IDFrom", Err: wire.ErrShort}, err)
	assert.False(t, e.System())
}

func TestRefuseSignature(t *testing.T) {
	b := readGolden(t, "PING").message()
	for i := range 4 {
		c := append([]byte(nil), b...)
		c[i] ^= 0x20
		h, m, err := new(wire.Decoder).DecodeMessage(c)
		wantError(t, wire.DecodeError{Message: "MESSAGE", Field: "Signature", Err: wire.ErrSignature}, err)
		assert.Nil(t, m)
		assert.Zero(t, h)
	}
	for n, field := range map[int]string{0: "Signature", 3: "Signature", 4: "Command", 5: "Command", 6: "Version", 7: "Version"} {
		_, m, err := new(wire.Decoder).DecodeMessage(b[:n])
		at := map[string]int{"Signature": 0, "Command": 4, "Version": 6}[field]
		wantError(t, wire.DecodeError{Message: "MESSAGE", Field: field, Offset: at, Err: wire.ErrShort}, err)
		assert.Nil(t, m)
	}
}

// TestRefuseTooLong: the longest message is the longest that an SP header can announce.
func TestRefuseTooLong(t *testing.T) {
	const most = wire.MaxMessage - wire.SPHeaderSize
	b := append(readGolden(t, "VOICE").message()[:16], make([]byte, most-16)...)
	var d wire.Decoder
	_, m, err := d.DecodeMessage(b)
	require.NoError(t, err)
	again, err := wire.AppendMessage(nil, wire.DX9, m)
	require.NoError(t, err)
	assert.Equal(t, b, again)

	want := wire.DecodeError{Message: "MESSAGE", Field: "Body", Value: most + 1, Err: wire.ErrLimit}
	_, m, err = d.DecodeMessage(append(b, 0))
	wantError(t, want, err)
	assert.Nil(t, m)
	_, err = d.DecodePlayerMessage(append(b, 0))
	wantError(t, want, err)
	_, err = d.DecodeDatagram(append(b, 0))
	wantError(t, want, err)

	_, err = wire.AppendPlayerMessage(nil, &wire.PlayerMessage{Payload: make([]byte, most-7)})
	var e *wire.EncodeError
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, wire.EncodeError{Message: "PLAYERMESSAGE", Field: "PlayerMessage", Err: wire.ErrLimit}, *e)
}

// nest wraps a PING depth times in ASK4MULTICAST.
func nest(depth int) []byte {
	const wrap = "play\x25\x00\x0e\x00\x11\x00\x00\x00\x22\x00\x00\x00\x14\x00\x00\x00"
	return []byte(strings.Repeat(wrap, depth) + "play\x16\x00\x0e\x00\x01\x02\x03\x04\x05\x06\x07\x08")
}

func TestRefuseNesting(t *testing.T) {
	var d wire.Decoder
	_, m, err := new(wire.Decoder).DecodeMessage(nest(wire.MaxNesting))
	require.NoError(t, err)
	again, err := wire.AppendMessage(nil, wire.DX9, m)
	require.NoError(t, err)
	assert.Equal(t, nest(wire.MaxNesting), again)

	_, _, err = d.DecodeMessage(nest(wire.MaxNesting + 1))
	const path = "MulticastMessage.ASK4MULTICAST."
	wantError(t, wire.DecodeError{Message: "ASK4MULTICAST", Field: path + path + path + path + "MulticastMessage",
		Offset: 20 * (wire.MaxNesting + 1), Err: wire.ErrNesting}, err)

	// 50,000 deep is what fits into a message. It must not be worked off recursively.
	_, _, err = d.DecodeMessage(nest(50000))
	assert.ErrorIs(t, err, wire.ErrNesting)

	// What decoders refuse is not encoded, and a message inside itself ends.
	m = &wire.Ask4Multicast{Inner: wire.Inner{Message: m}}
	_, err = wire.AppendMessage(nil, wire.DX9, m)
	var e *wire.EncodeError
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, wire.EncodeError{Message: "ASK4MULTICAST", Field: path + path + path + path + "MulticastMessage",
		Err: wire.ErrNesting}, *e)
	self := &wire.Ask4Multicast{}
	self.Inner.Message = self
	_, err = wire.AppendMessage(nil, wire.DX9, self)
	assert.ErrorIs(t, err, wire.ErrNesting)
}

// TestRefuseInner has errors in a message inside a message: path and offset lead to the octet.
func TestRefuseInner(t *testing.T) {
	var d wire.Decoder
	b := readGolden(t, "ASK4MULTICASTGUARANTEED").message() // around a CHAT
	binary.LittleEndian.PutUint32(b[20+20:], 1000)
	_, m, err := d.DecodeMessage(b)
	wantError(t, wire.DecodeError{Message: "ASK4MULTICASTGUARANTEED", Field: "MulticastMessage.CHAT.MessageOffset",
		Offset: 40, Value: 1000, Err: wire.ErrOffset}, err)
	in := m.(*wire.Ask4MulticastGuaranteed)
	assert.Equal(t, wire.PlayerID(0x000384cc), in.Group, "the fields before it are there")
	assert.Nil(t, in.Inner.Message)
	assert.Equal(t, b[20:], in.Inner.Octets, "and so are the octets")

	b = readGolden(t, "MULTICASTDELIVERY").message() // around a game message
	_, _, err = d.DecodeMessage(b[:25])
	wantError(t, wire.DecodeError{Message: "MULTICASTDELIVERY", Field: "BroadcastMessage.PLAYERMESSAGE.IDTo",
		Offset: 24, Err: wire.ErrShort}, err)

	b = readGolden(t, "ASK4MULTICAST").message()
	_, _, err = d.DecodeMessage(b[:26])
	wantError(t, wire.DecodeError{Message: "ASK4MULTICAST", Field: "MulticastMessage.MESSAGE.Version", Offset: 26,
		Err: wire.ErrShort}, err)
}

func TestErrorText(t *testing.T) {
	for want, err := range map[string]error{
		"PING.TickCount at octet 12: message too short": &wire.DecodeError{Message: "PING", Field: "TickCount", Offset: 12,
			Err: wire.ErrShort},
		"CHALLENGE.DataSize at octet 12: message too short (9000)": &wire.DecodeError{Message: "CHALLENGE", Field: "DataSize",
			Offset: 12, Value: 9000, Err: wire.ErrShort},
		"CHAT.MessageOffset at octet 20: points outside the message (1000)": &wire.DecodeError{Message: "CHAT", Field: "MessageOffset",
			Offset: 20, Value: 1000, Err: wire.ErrOffset},
		"CHAT.MessageOffset at octet 20: overlaps another part of the message (4)": &wire.DecodeError{Message: "CHAT",
			Field: "MessageOffset", Offset: 20, Value: 4, Err: wire.ErrOverlap},
		"ENUMPLAYERSREPLY.PlayerCount at octet 8: larger than the limit (70000)": &wire.DecodeError{Message: "ENUMPLAYERSREPLY",
			Field: "PlayerCount", Offset: 8, Value: 70000, Err: wire.ErrLimit},
		"CREATEPLAYER.PlayerInfo.FixedSize at octet 64: value is not allowed (0)": &wire.DecodeError{Message: "CREATEPLAYER",
			Field: "PlayerInfo.FixedSize", Offset: 64, Err: wire.ErrValue},
		"CHAT.ChatMessage at octet 24: no terminating zero": &wire.DecodeError{Message: "CHAT", Field: "ChatMessage", Offset: 24,
			Err: wire.ErrTerminator},
		"MESSAGE.Signature at octet 0: signature is not 'play'": &wire.DecodeError{Message: "MESSAGE", Field: "Signature",
			Err: wire.ErrSignature},
		"SIGNED.Message at octet 28: messages nested too deep": &wire.DecodeError{Message: "SIGNED", Field: "Message", Offset: 28,
			Err: wire.ErrNesting},
		"CHAT.Layout: does not fit the layout that was decoded": &wire.EncodeError{Message: "CHAT", Field: "Layout",
			Err: wire.ErrLayout},
		"PLAYERMESSAGE.PlayerMessage: larger than the limit": &wire.EncodeError{Message: "PLAYERMESSAGE", Field: "PlayerMessage",
			Err: wire.ErrLimit},
	} {
		assert.EqualError(t, err, want)
	}
}

// TestErrorLeavesNoTrace: a message that fails to decode shows its own fields only, not those of the message
// that the decoder had before.
func TestErrorLeavesNoTrace(t *testing.T) {
	var d wire.Decoder
	for _, name := range []string{"PING", "CREATEPLAYER-distinct", "SUPERENUMPLAYERSREPLY", "SIGNED-nested", "KEYEXCHANGE",
		"SESSIONDESCCHANGED"} {
		b := readGolden(t, ""+name+"").message()
		for _, n := range []int{8, 11, 15, len(b) / 2, len(b) - 1} {
			_, _, err := d.DecodeMessage(b)
			require.NoError(t, err)
			h, m, err := d.DecodeMessage(b[:n])
			require.Error(t, err)
			h2, fresh, err2 := new(wire.Decoder).DecodeMessage(b[:n])
			assert.Equal(t, err2, err)
			assert.Equal(t, h2, h)
			assert.Equal(t, fresh, m, "%s, %d octets", name, n)
		}
	}
}
