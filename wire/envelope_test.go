package wire_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEnvelopeTokens keeps tokens, the unknown ones included; zero is one of them.
func TestEnvelopeTokens(t *testing.T) {
	for _, token := range []wire.Token{wire.TokenRemote, wire.TokenForward, wire.TokenServer, 0, 0x123, 0xFFF} {
		b := readGolden(t, "PING").Raw
		binary.LittleEndian.PutUint32(b, 36|uint32(token)<<20)
		var d wire.Decoder
		e, err := d.DecodeStream(b)
		require.NoError(t, err)
		assert.Equal(t, wire.SPHeader{Size: 36, Token: token, SockAddr: wire.SockAddr{Family: 2, Port: 2349}}, e.SP)
		got, err := e.Append(nil)
		require.NoError(t, err)
		assert.Equal(t, b, got, token)
	}
	got, err := (&wire.Envelope{HasSP: true, Version: wire.DX9, Message: &wire.YouAreDead{}}).Append(nil)
	require.NoError(t, err)
	assert.Equal(t, uint32(28|0xFAB<<20), binary.LittleEndian.Uint32(got), "size and token are filled in")
}

// TestEnvelopeSize: the size follows the message, whatever was decoded.
func TestEnvelopeSize(t *testing.T) {
	var d wire.Decoder
	e, err := d.DecodeStream(readGolden(t, "PLAYERMESSAGE-tcp").Raw)
	require.NoError(t, err)
	e.Message.(*wire.PlayerMessage).Payload = []byte("longer than it was before")
	got, err := e.Append(nil)
	require.NoError(t, err)
	sp, err := wire.ParseSPHeader(got)
	require.NoError(t, err)
	assert.Equal(t, len(got), sp.Size)
	e, err = d.DecodeStream(got)
	require.NoError(t, err)
	assert.Equal(t, "longer than it was before", string(e.Message.(*wire.PlayerMessage).Payload))
}

// TestEnvelopeTrailing keeps what a datagram or a stream has after the size in the SP header. Wine ignores it
// (facts, section 2).
func TestEnvelopeTrailing(t *testing.T) {
	for _, name := range []string{"PING", "PLAYERMESSAGE-tcp", "ENUMSESSIONS"} {
		b := append(readGolden(t, ""+name+"").Raw, "after the size"...)
		var d wire.Decoder
		e, err := d.DecodeStream(b)
		require.NoError(t, err)
		assert.Equal(t, "after the size", string(e.Trailing))
		got, err := e.Append(nil)
		require.NoError(t, err)
		assert.Equal(t, b, got, name)
	}
}

// TestEnvelopeKinds tells the kinds of messages apart, [MC-DPL4CS] 3.1.5 as facts 2.15 and 2.16 correct it.
func TestEnvelopeKinds(t *testing.T) {
	var d wire.Decoder
	ping := readGolden(t, "PING")
	game := readGolden(t, "PLAYERMESSAGE-udp")

	e, err := d.DecodeDatagram(ping.Raw)
	require.NoError(t, err)
	assert.True(t, e.HasSP && e.System())
	assert.IsType(t, &wire.Ping{}, e.Message)

	e, err = d.DecodeDatagram(game.Raw)
	require.NoError(t, err)
	assert.False(t, e.HasSP || e.System())
	assert.IsType(t, &wire.PlayerMessage{}, e.Message)

	// A datagram that begins with the signature has no SP header: 'play' is the id of its sender.
	e, err = d.DecodeDatagram(ping.message())
	require.NoError(t, err)
	assert.Equal(t, wire.PlayerID(wire.Signature), e.Message.(*wire.PlayerMessage).From)

	// Without an SP header, as the reliable protocol carries messages.
	e, err = d.DecodeBare(ping.message())
	require.NoError(t, err)
	assert.True(t, e.System() && !e.HasSP)
	assert.IsType(t, &wire.Ping{}, e.Message)
	e, err = d.DecodeBare(game.Raw)
	require.NoError(t, err)
	assert.False(t, e.System() || e.HasSP)
	assert.IsType(t, &wire.PlayerMessage{}, e.Message)

	// Four octets fewer than a signature needs.
	for n := range 24 {
		e, err = d.DecodeDatagram(ping.Raw[:n])
		assert.False(t, e.System(), "%d octets", n)
		assert.Equal(t, n < 8, err != nil, "%d octets: %v", n, err)
	}

	// A session without message ids.
	d.Options.NoMessageID = true
	e, err = d.DecodeDatagram([]byte("x"))
	require.NoError(t, err)
	assert.Equal(t, &wire.PlayerMessage{NoIDs: true, Payload: []byte("x")}, e.Message)
	e, err = d.DecodeDatagram(nil)
	require.NoError(t, err)
	assert.Equal(t, &wire.PlayerMessage{NoIDs: true}, e.Message)
	e, err = d.DecodeStream(readGolden(t, "PLAYERWRAPPER").Raw)
	require.NoError(t, err)
	w := e.Message.(*wire.PlayerWrapper)
	assert.True(t, w.Player.NoIDs)
	assert.Len(t, w.Player.Payload, 25)
}

// TestAppendRefuses: what has no encoding gives an error and leaves the destination alone.
func TestAppendRefuses(t *testing.T) {
	dst := []byte("before")
	check := func(want wire.EncodeError) func([]byte, error) {
		return func(got []byte, err error) {
			t.Helper()
			var e *wire.EncodeError
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, want, *e)
			assert.ErrorIs(t, err, want.Err)
			assert.Equal(t, "before", string(got))
		}
	}
	none := wire.EncodeError{Message: "MESSAGE", Field: "Body", Err: wire.ErrValue}
	check(none)(wire.AppendMessage(dst, wire.DX9, nil))
	check(none)((&wire.Envelope{HasSP: true}).Append(dst))
	check(wire.EncodeError{Message: "PLAYERMESSAGE", Field: "Command", Err: wire.ErrValue})(wire.AppendMessage(dst, wire.DX9,
		&wire.PlayerMessage{}))
	check(wire.EncodeError{Message: "CHAT", Field: "ChatMessage", Err: wire.ErrTerminator})(wire.AppendMessage(dst, wire.DX9,
		&wire.Chat{Text: wire.Text("ab")}))
	check(wire.EncodeError{Message: "CHAT", Field: "ChatMessage", Err: wire.ErrTerminator})(wire.AppendMessage(dst, wire.DX9,
		&wire.Chat{Text: wire.Text("ab\x00\x00ab\x00\x00")}))
	check(wire.EncodeError{Message: "CHAT", Field: "ChatMessage", Err: wire.ErrTerminator})(wire.AppendMessage(dst, wire.DX9,
		&wire.Chat{Text: wire.Text("a\x00\x00")}))
	check(wire.EncodeError{Message: "CHAT", Field: "ChatMessage", Err: wire.ErrTerminator})(wire.AppendMessage(dst, wire.DX9,
		&wire.Chat{Text: wire.Text("a")}))
	check(wire.EncodeError{Message: "SUPERENUMPLAYERSREPLY", Field: "Groups[1].LongName",
		Err: wire.ErrTerminator})(wire.AppendMessage(dst, wire.DX9,
		&wire.SuperEnumPlayersReply{Groups: []wire.SuperPackedPlayer{{}, {LongName: wire.Text("x")}}}))
	check(wire.EncodeError{Message: "SIGNED", Field: "Message.CHAT.ChatMessage",
		Err: wire.ErrTerminator})(wire.AppendMessage(dst, wire.DX9,
		&wire.Signed{Inner: wire.Inner{Message: &wire.Chat{Text: wire.Text("ab")}}}))
	check(wire.EncodeError{Message: "CREATEGROUP", Field: "GroupInfo.NumberOfPlayers",
		Err: wire.ErrLimit})(wire.AppendMessage(dst, wire.DX9,
		&wire.CreateGroup{Info: wire.PackedPlayer{PlayerIDs: make([]wire.PlayerID, wire.MaxPlayers+1)}}))
	check(wire.EncodeError{Message: "SUPERENUMPLAYERSREPLY", Field: "Players[0].ShortcutIDCount",
		Err: wire.ErrLimit})(wire.AppendMessage(dst, wire.DX9,
		&wire.SuperEnumPlayersReply{Players: []wire.SuperPackedPlayer{{Shortcuts: make([]wire.PlayerID, wire.MaxPlayers+1)}}}))
	check(wire.EncodeError{Message: "ENUMPLAYERSREPLY", Field: "PlayerCount", Err: wire.ErrLimit})(wire.AppendMessage(dst, wire.DX9,
		&wire.EnumPlayersReply{Players: make([]wire.PackedPlayer, wire.MaxPlayers+1)}))
	check(wire.EncodeError{Message: "VOICE", Field: "VoiceData", Err: wire.ErrLimit})(wire.AppendMessage(dst, wire.DX9,
		&wire.Voice{Data: make([]byte, wire.MaxMessage)}))
	check(wire.EncodeError{Message: "VOICE", Field: "VoiceData", Err: wire.ErrLimit})((&wire.Envelope{HasSP: true,
		Message: &wire.Voice{Data: make([]byte, wire.MaxMessage)}}).Append(dst))
}
