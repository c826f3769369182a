package wire_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefuseSizes makes each length and count field larger than what is left of the message. Each is tried with
// values around the limits of signed numbers, too.
func TestRefuseSizes(t *testing.T) {
	for _, f := range []struct {
		golden string
		field  string
		at     int
		left   uint32 // the largest length that there would be room for
	}{
		{"ACCESSGRANTED", "PublicKeySize", 8, 24},
		{"CHALLENGE", "DataSize", 12, 9},
		{"CHALLENGERESPONSE", "DataSize", 12, 11},
		{"NEGOTIATE", "DataSize", 12, 10},
		{"GROUPDATACHANGED", "DataSize", 16, 8},
		{"PLAYERDATACHANGED", "DataSize", 16, 5},
		{"KEYEXCHANGE", "SessionKeySize", 8, 11},
		{"KEYEXCHANGE", "PublicKeySize", 16, 5},
		{"KEYEXCHANGEREPLY", "SessionKeySize", 8, 6},
		{"IAMNAMESERVER", "SPDataSize", 20, 32},
		{"PACKET", "DataSize", 28, 6},
		{"PACKET2_DATA", "DataSize", 28, 5},
		{"SIGNED-encrypted", "DataSize", 16, 14},
		{"SIGNED-encrypted", "SignatureSize", 20, 5},
		{"CREATEGROUP", "GroupInfo.ShortNameLength", 40, 37},
		{"CREATEGROUP", "GroupInfo.LongNameLength", 44, 29},
		{"CREATEGROUP", "GroupInfo.ServiceProviderDataSize", 48, 11},
		{"CREATEGROUP", "GroupInfo.PlayerDataSize", 52, 11},
		{"CREATEPLAYER", "PlayerInfo.ShortNameLength", 40, 79},
		{"ADDFORWARD", "PlayerInfo.ServiceProviderDataSize", 48, 32},
		{"ENUMPLAYERSREPLY-distinct", "Players[1].ShortNameLength", 222, 123},
		{"ENUMPLAYERSREPLY-distinct", "Groups[0].PlayerDataSize", 340, 9},
		{"SUPERENUMPLAYERSREPLY-distinct", "Players[0].PlayerDataLength", 150, 196},
		{"SUPERENUMPLAYERSREPLY-distinct", "Players[0].ServiceProviderDataLength", 157, 189},
	} {
		t.Run(f.golden+"."+f.field, func(t *testing.T) {
			for _, v := range []uint32{f.left + 1, 1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32 - 1, math.MaxUint32} {
				refusal{f.golden, f.at, v, f.field, f.at, wire.ErrShort}.check(t)
			}
		})
	}
}

// TestRefuseCounts makes each count of a list larger than what is left, and larger than MaxPlayers.
func TestRefuseCounts(t *testing.T) {
	for _, f := range []struct {
		golden string
		field  string
		at     int
		left   uint32 // the largest count that there would be room for, by the smallest size of an element
	}{
		{"CREATEGROUP", "GroupInfo.NumberOfPlayers", 56, 2},
		{"ENUMPLAYERSREPLY-distinct", "PlayerCount", 8, 251 / 48},
		{"ENUMPLAYERSREPLY-distinct", "GroupCount", 12, 65 / 48},
		{"ENUMPLAYERSREPLY-distinct", "Groups[0].NumberOfPlayers", 344, 2},
		{"SUPERENUMPLAYERSREPLY-distinct", "PlayerCount", 8, 220 / 20},
		{"SUPERENUMPLAYERSREPLY-distinct", "GroupCount", 12, 76 / 20},
		{"SUPERENUMPLAYERSREPLY-distinct", "ShortcutCount", 20, 29 / 20},
	} {
		t.Run(f.golden+"."+f.field, func(t *testing.T) {
			for _, v := range []uint32{f.left + 1, wire.MaxPlayers} {
				refusal{f.golden, f.at, v, f.field, f.at, wire.ErrShort}.check(t)
			}
			for _, v := range []uint32{wire.MaxPlayers + 1, 1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32} {
				refusal{f.golden, f.at, v, f.field, f.at, wire.ErrLimit}.check(t)
			}
		})
	}
}

// TestRefuseNarrowSizes does the same where the mask of an entry makes lengths one or two octets wide.
func TestRefuseNarrowSizes(t *testing.T) {
	for _, f := range []struct {
		field string
		at    int
		width int
		left  uint32
	}{
		{"Players[1].PlayerDataLength", 237, 2, 111},
		{"Players[1].ServiceProviderDataLength", 241, 1, 108},
		{"Groups[0].PlayerCount", 302, 1, 47 / 4},
		{"Groups[0].ShortcutIDCount", 315, 2, 33 / 4},
		{"Shortcuts[0].ShortcutIDCount", 341, 1, 2},
	} {
		for _, v := range []uint32{f.left + 1, 0xFF, 0xFFFF} {
			if v > 1<<(8*f.width)-1 {
				continue
			}
			b := readGolden(t, "SUPERENUMPLAYERSREPLY-distinct").message()
			var le [4]byte
			binary.LittleEndian.PutUint32(le[:], v)
			copy(b[f.at:f.at+f.width], le[:])
			_, _, err := new(wire.Decoder).DecodeMessage(b)
			var e *wire.DecodeError
			require.True(t, errors.As(err, &e), "%s=%d: %v", f.field, v, err)
			assert.Equal(t, wire.DecodeError{Message: "SUPERENUMPLAYERSREPLY", Field: f.field, Offset: f.at, Value: v, Err: wire.ErrShort},
				*e)
		}
	}
}

// TestRefuseWideCount has a member count of four octets above MaxPlayers.
func TestRefuseWideCount(t *testing.T) {
	b := readGolden(t, "SUPERENUMPLAYERSREPLY-distinct").message()
	binary.LittleEndian.PutUint32(b[333:], 0x600) // Shortcuts[0].PlayerInfoMask: a shortcut count of four octets
	binary.LittleEndian.PutUint32(b[341:], wire.MaxPlayers+1)
	_, _, err := new(wire.Decoder).DecodeMessage(b)
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, wire.DecodeError{Message: "SUPERENUMPLAYERSREPLY", Field: "Shortcuts[0].ShortcutIDCount", Offset: 341,
		Value: wire.MaxPlayers + 1, Err: wire.ErrLimit}, *e)
}

// TestRefuseFixedSize: a FixedSize other than 48 would move everything after it.
func TestRefuseFixedSize(t *testing.T) {
	for _, v := range []uint32{0, 47, 49, math.MaxUint32} {
		refusal{"ADDFORWARD", 64, v, "PlayerInfo.FixedSize", 64, wire.ErrValue}.check(t)
		refusal{"ENUMPLAYERSREPLY-distinct", 246, v, "Players[1].FixedSize", 246, wire.ErrValue}.check(t)
	}
}

// TestRefuseMissingTerminator removes the terminator of each text that ends with the message.
func TestRefuseMissingTerminator(t *testing.T) {
	for _, f := range []struct {
		golden string
		field  string
		at     int
	}{
		{"ENUMSESSIONS", "Password", 32},
		{"ENUMSESSIONSREPLY", "SessionName", 92},
		{"SESSIONDESCCHANGED", "Password", 106},
		{"PLAYERNAMECHANGED", "LongName", 32},
		{"GROUPNAMECHANGED", "LongName", 32},
		{"CHAT", "ChatMessage", 24},
		{"REQUESTPLAYERREPLY", "CAPIProvider", 58},
	} {
		b := readGolden(t, ""+f.golden+"").message()
		b[len(b)-2] = 'x'
		_, _, err := new(wire.Decoder).DecodeMessage(b)
		var e *wire.DecodeError
		require.True(t, errors.As(err, &e), "%s: %v", f.golden, err)
		assert.ErrorIs(t, err, wire.ErrTerminator, f.golden)
		assert.Equal(t, f.field, e.Field)
		assert.Equal(t, f.at, e.Offset)
	}

	// Names of entries have no length, only a terminator, and one can run through the rest of the message.
	b := readGolden(t, "SUPERENUMPLAYERSREPLY-distinct").message()
	for i := 294; i < len(b); i++ {
		b[i] |= 1
	}
	_, _, err := new(wire.Decoder).DecodeMessage(b)
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, wire.DecodeError{Message: "SUPERENUMPLAYERSREPLY", Field: "Groups[0].ShortName", Offset: 294,
		Err: wire.ErrTerminator}, *e)
}
