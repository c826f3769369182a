package wire_test

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// load returns a golden message from its signature on.
func load(t testing.TB, name string) []byte {
	t.Helper()
	return readGolden(t, ""+name+"").message()
}

// again decodes b, encodes it, and requires the same octets.
func again(t *testing.T, b []byte) wire.Message {
	t.Helper()
	h, m, err := new(wire.Decoder).DecodeMessage(b)
	require.NoError(t, err)
	got, err := wire.AppendMessage(nil, h.Version, m)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(b), hex.EncodeToString(got))
	return m
}

func put32[T ~int | ~uint32](b []byte, at int, v T) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }

// insert puts octets into a message and moves the offset fields that point behind them.
func insert(b []byte, at int, octets string, offsets ...int) []byte {
	b = append(append(append([]byte(nil), b[:at]...), octets...), b[at:]...)
	for _, o := range offsets {
		put32(b, o, int(binary.LittleEndian.Uint32(b[o:]))+len(octets))
	}
	return b
}

// TestRoundTripTail appends octets to every golden message. Windows tolerates such tails (facts 3.4, 3.13) and Total
// Annihilation sends them (facts, real captures).
func TestRoundTripTail(t *testing.T) {
	for _, g := range goldens(t) {
		if _, rest := restBegins[g.Name]; rest || strings.HasPrefix(g.Name, "ASK4MULTICAST") {
			continue // there the tail belongs to the last field
		}
		for _, tail := range []string{"\x00", "\x00\x00\x00\x00", strings.Repeat("stray ", 40)} {
			b := append(append([]byte(nil), g.message()...), tail...)
			var d wire.Decoder
			h, m, err := d.DecodeMessage(b)
			require.NoError(t, err, g.Name)
			stray := d.Stray()
			require.NotEmpty(t, stray, g.Name)
			last := stray[len(stray)-1]
			assert.Equal(t, wire.Stray{Offset: len(g.message()), Octets: []byte(tail)}, last, g.Name)
			got, err := wire.AppendMessage(nil, h.Version, m)
			require.NoError(t, err, g.Name)
			require.Equal(t, b, got, g.Name)
		}
	}
}

// TestRoundTripGaps puts octets between the parts of a message.
func TestRoundTripGaps(t *testing.T) {
	b := insert(load(t, "KEYEXCHANGE"), 30, "gap", 20)
	b = insert(b, 24, "\x00", 12, 20)
	m := again(t, b).(*wire.KeyExchange)
	assert.Equal(t, "abcde", string(m.PublicKey))
	assert.Equal(t, []wire.Stray{{Offset: 24, Octets: []byte{0}}, {Offset: 31, Octets: []byte("gap")}}, m.Layout.Stray())
	assert.False(t, m.Layout.Regular())

	b = insert(load(t, "ENUMPLAYERSREPLY-distinct"), 130, "after the texts", 16)
	b = insert(b, 36, "before the description", 16, 24, 28, 32)
	r := again(t, b).(*wire.EnumPlayersReply)
	assert.Len(t, r.Layout.Stray(), 2)
	assert.Equal(t, "Red", r.Groups[0].ShortName.String())

	b = insert(load(t, "ADDFORWARDREQUEST-distinct"), 28, "....", 20, 24)
	f := again(t, b).(*wire.AddForwardRequest)
	assert.Equal(t, uint32(0x01020304), f.Reserved1)
}

// TestRoundTripOrder has parts in another order than the one that Append chooses.
func TestRoundTripOrder(t *testing.T) {
	b := load(t, "KEYEXCHANGE")
	copy(b[24:], "abcdeQRSTUV") // public key, then session key
	put32(b, 12, 29)
	put32(b, 20, 24)
	m := again(t, b).(*wire.KeyExchange)
	assert.Equal(t, "QRSTUV", string(m.SessionKey))
	assert.Equal(t, "abcde", string(m.PublicKey))
	assert.Empty(t, m.Layout.Stray())
	assert.False(t, m.Layout.Regular())

	b = load(t, "SESSIONDESCCHANGED") // the texts are equally long
	put32(b, 12, 106)
	put32(b, 16, 100)
	s := again(t, b).(*wire.SessionDescChanged)
	assert.Equal(t, "pw", s.Name.String())
	assert.Equal(t, "My", s.Password.String())

	// The list right after the fixed part, then description, password and name.
	b = load(t, "SUPERENUMPLAYERSREPLY-distinct")
	moved := append([]byte(nil), b[:36]...)
	moved = append(moved, b[130:]...)
	list := len(b) - 130
	moved = append(moved, b[36:116]...)
	moved = append(moved, b[122:130]...)
	moved = append(moved, b[116:122]...)
	for at, v := range map[int]int{16: 36, 24: 36 + list, 28: 36 + list + 88, 32: 36 + list + 80} {
		put32(moved, at, v)
	}
	r := again(t, moved).(*wire.SuperEnumPlayersReply)
	assert.Equal(t, "My", r.Name.String())
	assert.Equal(t, "pw!", r.Password.String())
	assert.Equal(t, uint32(0x000284cb), r.Desc.Reserved1)
	assert.Len(t, r.Players, 2)
	assert.Empty(t, r.Layout.Stray())
}

// TestRoundTripEmptyParts: the offset of a part without octets means nothing and is kept.
func TestRoundTripEmptyParts(t *testing.T) {
	for _, offset := range []int{0, 5, 24, 25, 1 << 30} {
		b := load(t, "PLAYERDATACHANGED")[:24]
		put32(b, 16, 0)
		put32(b, 20, offset)
		m := again(t, b).(*wire.PlayerDataChanged)
		assert.Nil(t, m.Data)
		assert.Equal(t, offset == 24, m.Layout.Regular(), "Append would write 24, not %d", offset)

		b = load(t, "SUPERENUMPLAYERSREPLY-distinct")[:130]
		for at, v := range map[int]int{8: 0, 12: 0, 16: offset, 20: 0} {
			put32(b, at, v)
		}
		r := again(t, b).(*wire.SuperEnumPlayersReply)
		assert.Empty(t, r.Players)
		assert.False(t, r.Layout.Regular())
	}
}

// TestRoundTripPacketOffset: where PackedOffset is zero, the data follows.
func TestRoundTripPacketOffset(t *testing.T) {
	for _, name := range []string{"PACKET", "PACKET2_DATA", "PACKET-whole"} {
		b := load(t, name)
		put32(b, 44, 0)
		switch m := again(t, b).(type) {
		case *wire.Packet:
			assert.Len(t, m.Data.Octets, len(b)-48)
			assert.False(t, m.Layout.Regular())
		case *wire.Packet2Data:
			assert.Len(t, m.Data.Octets, len(b)-48)
		}
	}
}

// TestRoundTripSizes keeps sizes that contradict what they are the size of.
func TestRoundTripSizes(t *testing.T) {
	for _, size := range []uint32{0, 1, 79, 81, 1 << 31} {
		b := load(t, "ENUMSESSIONSREPLY")
		put32(b, 8, size)
		m := again(t, b).(*wire.EnumSessionsReply)
		assert.Equal(t, "RZsession", m.Name.String())

		b = load(t, "CREATEGROUP")
		put32(b, 28, size)
		g := again(t, b).(*wire.CreateGroup)
		assert.Equal(t, size, g.Info.SizeField())

		b = load(t, "SUPERENUMPLAYERSREPLY-distinct")
		put32(b, 193, size)
		again(t, b)
	}

	// A list that is decoded once more forgets what it had to keep of the one before.
	b := load(t, "SUPERENUMPLAYERSREPLY-distinct")
	odd := append([]byte(nil), b...)
	put32(odd, 193, 99)
	var d wire.Decoder
	_, _, err := d.DecodeMessage(odd)
	require.NoError(t, err)
	h, m, err := d.DecodeMessage(b)
	require.NoError(t, err)
	got, err := wire.AppendMessage(nil, h.Version, m)
	require.NoError(t, err)
	assert.Equal(t, b, got)
}

// TestRoundTripMasks has entries whose mask is not the one that Append would compute.
func TestRoundTripMasks(t *testing.T) {
	head := load(t, "SUPERENUMPLAYERSREPLY-distinct")[:130]
	for at, v := range map[int]int{8: 1, 12: 0, 20: 0} {
		put32(head, at, v)
	}
	entry := func(mask uint32, rest string) []byte {
		b := append(append([]byte(nil), head...), "\x10\x00\x00\x00\x08\x00\x00\x00\xc9\x84\x03\x00....\xcb\x84\x03\x00"...)
		put32(b, 142, mask)
		return append(b, rest...)
	}
	for name, b := range map[string][]byte{
		"two octets for what fits into one":  entry(0x20, "\x02\x00ab"),
		"four octets for what fits into one": entry(0x30, "\x02\x00\x00\x00ab"),
		"four octets for SP data":            entry(0x0C, "\x01\x00\x00\x00s"),
		"two octets for members":             entry(0x80, "\x01\x00\x01\x02\x03\x04"),
		"four octets for members":            entry(0xC0, "\x01\x00\x00\x00\x01\x02\x03\x04"),
		"four octets for shortcuts":          entry(0x600, "\x01\x00\x00\x00\x01\x02\x03\x04"),
		"a length of zero":                   entry(0x10, "\x00"),
		"all lengths zero":                   entry(0x6FC, strings.Repeat("\x00", 16)),
		"a parent of zero":                   entry(0x100, "\x00\x00\x00\x00"),
		"an empty name":                      entry(0x3, "\x00\x00\x00\x00"),
		"unknown bits":                       entry(0xFFFFF800, ""),
	} {
		m := again(t, b).(*wire.SuperEnumPlayersReply)
		require.Len(t, m.Players, 1, name)
		assert.Equal(t, binary.LittleEndian.Uint32(b[142:]), m.Players[0].InfoMask(), name)
	}

	// A kept mask gives way where it no longer fits.
	_, m, err := new(wire.Decoder).DecodeMessage(entry(0x20, "\x02\x00ab"))
	require.NoError(t, err)
	p := &m.(*wire.SuperEnumPlayersReply).Players[0]
	p.Data = nil
	assert.Equal(t, uint32(0x20), p.InfoMask(), "zero fits into two octets")
	p.Data = make([]byte, 0x10000)
	assert.Equal(t, uint32(0x30), p.InfoMask())
	p.Data, p.ShortName = []byte("ab"), wire.NewText("x")
	assert.Equal(t, uint32(0x11), p.InfoMask())
}

// TestRoundTripNames keeps names in the encoding, and with the length, in which they came.
func TestRoundTripNames(t *testing.T) {
	base := load(t, "PLAYERNAMECHANGED-long")[:24]
	for _, name := range []string{
		"Nobleman\x00\x00",                         // 8-bit, Lords of the Realm II (facts, real captures)
		"Bob\x00\x00\x00",                          // 8-bit of odd length, padded
		"J\x00\xfc\x00r\x00\x00\x00",               // UTF-16
		"\x00\x00",                                 // empty
		"\x00\xd8\x00\x00",                         // half a surrogate pair
		"\xff\xff\x00\x00",                         // not a character
		"a\x00\x00b\x00\x00",                       // a zero octet on either side of a WCHAR boundary is no terminator
		strings.Repeat("long ", 1000) + "\x00\x00", //
	} {
		m := again(t, append(append([]byte(nil), base...), name...)).(*wire.PlayerNameChanged)
		assert.Equal(t, wire.Text(name), m.LongName)
	}

	// A packed player says how long its names are: they need neither be whole WCHARs nor have a terminator.
	for _, name := range []string{"a", "abc", "abc\x00", "ab", "\x00", "a\x00\x00\x00b\x00"} {
		b := insert(load(t, "CREATEPLAYER-distinct"), 84, name)
		b = append(b[:76], b[84:]...)
		put32(b, 28, 107-8+len(name))
		put32(b, 40, len(name))
		m := again(t, b).(*wire.CreatePlayer)
		assert.Equal(t, wire.Text(name), m.Info.ShortName)
		assert.Equal(t, "Ann Lee", m.Info.LongName.String())
		assert.True(t, m.Layout.Regular())
	}
}

// TestRoundTripWide has lengths at the limits of the widths that a mask can give them.
func TestRoundTripWide(t *testing.T) {
	for n, width := range map[int]uint32{0: 0, 1: 1, 0xFF: 1, 0x100: 2, 0xFFFF: 2, 0x10000: 3, 0x20000: 3} {
		want := &wire.SuperEnumPlayersReply{Players: []wire.SuperPackedPlayer{{Flags: wire.PlayerLocal, ID: 1, Owner: 2}}}
		if n > 0 {
			want.Players[0].Data = make([]byte, n)
			want.Players[0].SPData = make([]byte, n)
		}
		if n > 0 && n <= wire.MaxPlayers {
			want.Players[0].PlayerIDs = make([]wire.PlayerID, n)
			want.Players[0].Shortcuts = make([]wire.PlayerID, n)
		}
		assert.Equal(t, width<<2|width<<4, want.Players[0].InfoMask()&0x3C, n)
		b, err := wire.AppendMessage(nil, wire.DX9, want)
		require.NoError(t, err)
		require.Equal(t, want, again(t, b), n)

		info := &wire.CreateGroup{Info: wire.PackedPlayer{Data: want.Players[0].Data, PlayerIDs: want.Players[0].PlayerIDs}}
		b, err = wire.AppendMessage(nil, wire.DX9, info)
		require.NoError(t, err)
		require.Equal(t, info, again(t, b), n)
	}
}

func TestRoundTripUnknown(t *testing.T) {
	for _, cmd := range []uint16{0, 0x14, 0x1B, 0x39, 1000, 0xFFFF} {
		b := binary.LittleEndian.AppendUint16([]byte("play"), cmd)
		b = append(b, "\x0e\x00whatever"...)
		m := again(t, b).(*wire.Unknown)
		assert.Equal(t, &wire.Unknown{Cmd: wire.Command(cmd), Body: []byte("whatever")}, m)
	}
}
