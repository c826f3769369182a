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

// A refusal is a golden message with a DWORD overwritten, and the error that is to follow.
type refusal struct {
	golden string
	at     int    // of the DWORD, from the signature
	value  uint32 // that is written there
	field  string // where the error is, with its path
	offset int
	reason error
}

func (r refusal) check(t *testing.T) {
	t.Helper()
	g := readGolden(t, r.golden)
	b := g.message()
	name := wire.Command(binary.LittleEndian.Uint16(b[4:])).String()
	binary.LittleEndian.PutUint32(b[r.at:], r.value)
	_, _, err := new(wire.Decoder).DecodeMessage(b)
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%s @%d=%#x: %v", r.golden, r.at, r.value, err)
	assert.ErrorIs(t, err, r.reason, "%s @%d=%#x", r.golden, r.at, r.value)
	assert.Equal(t, name, e.Message, "%s @%d=%#x", r.golden, r.at, r.value)
	assert.Equal(t, r.field, e.Field, "%s @%d=%#x", r.golden, r.at, r.value)
	assert.Equal(t, r.offset, e.Offset, "%s @%d=%#x", r.golden, r.at, r.value)
	if r.offset == r.at { // the error is about the value itself
		assert.Equal(t, r.value, e.Value, "%s @%d=%#x", r.golden, r.at, r.value)
	}
}

// offsetFields are all offset fields of all messages, with a golden message in which each is used. Where another
// part than the fixed one follows the header, inside is an offset into that part.
var offsetFields = []struct {
	golden string
	field  string
	at     int
	inside uint32 // a place in another part, 0 where the message has no other
}{
	{"ACCESSGRANTED", "PublicKeyOffset", 12, 0},
	{"ADDFORWARD", "CreateOffset", 20, 0},
	{"ADDFORWARDREQUEST", "CreateOffset", 20, 0},
	{"ADDFORWARDREQUEST", "PasswordOffset", 24, 28},
	{"ASK4MULTICAST", "MessageOffset", 16, 0},
	{"ASK4MULTICASTGUARANTEED", "MessageOffset", 16, 0},
	{"CHALLENGE", "DataOffset", 16, 0},
	{"CHALLENGERESPONSE", "DataOffset", 16, 0},
	{"CHAT", "MessageOffset", 20, 0},
	{"CREATEGROUP", "CreateOffset", 20, 0},
	{"CREATEPLAYER", "CreateOffset", 20, 0},
	{"CREATEPLAYERVERIFY", "CreateOffset", 20, 0},
	{"ENUMPLAYERSREPLY-distinct", "PlayerOffset", 16, 36},
	{"ENUMPLAYERSREPLY-distinct", "DescriptionOffset", 24, 0},
	{"ENUMPLAYERSREPLY-distinct", "NameOffset", 28, 40},
	{"ENUMPLAYERSREPLY-distinct", "PasswordOffset", 32, 118},
	{"ENUMSESSIONS", "PasswordOffset", 24, 0},
	{"ENUMSESSIONSREPLY", "NameOffset", 88, 0},
	{"GROUPDATACHANGED", "DataOffset", 20, 0},
	{"GROUPNAMECHANGED", "ShortOffset", 16, 0},
	{"GROUPNAMECHANGED", "LongOffset", 20, 24},
	{"KEYEXCHANGE", "SessionKeyOffset", 12, 0},
	{"KEYEXCHANGE", "PublicKeyOffset", 20, 25},
	{"KEYEXCHANGEREPLY", "SessionKeyOffset", 12, 0},
	{"MULTICASTDELIVERY", "MessageOffset", 16, 0},
	{"NEGOTIATE", "DataOffset", 16, 0},
	{"PACKET", "PackedOffset", 44, 0},
	{"PACKET2_DATA", "PacketOffset", 44, 0},
	{"PLAYERDATACHANGED", "DataOffset", 20, 0},
	{"PLAYERNAMECHANGED", "ShortOffset", 16, 0},
	{"PLAYERNAMECHANGED", "LongOffset", 20, 30},
	{"REQUESTPLAYERREPLY", "SSPIProviderOffset", 36, 0},
	{"REQUESTPLAYERREPLY", "CAPIProviderOffset", 40, 50},
	{"SESSIONDESCCHANGED", "SessionNameOffset", 12, 0},
	{"SESSIONDESCCHANGED", "PasswordOffset", 16, 100},
	{"SIGNED", "DataOffset", 12, 0},
	{"SUPERENUMPLAYERSREPLY-distinct", "PackedOffset", 16, 36},
	{"SUPERENUMPLAYERSREPLY-distinct", "DescriptionOffset", 24, 0},
	{"SUPERENUMPLAYERSREPLY-distinct", "NameOffset", 28, 114},
	{"SUPERENUMPLAYERSREPLY-distinct", "PasswordOffset", 32, 121},
}

// TestRefuseOffsets points each offset field outside the message, into the header and the fixed part, and into
// another part.
func TestRefuseOffsets(t *testing.T) {
	for _, o := range offsetFields {
		t.Run(o.golden+"."+o.field, func(t *testing.T) {
			size := uint32(len(readGolden(t, o.golden).message()))
			for _, outside := range []uint32{size + 1, 1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32} {
				refusal{o.golden, o.at, outside, o.field, o.at, wire.ErrOffset}.check(t)
			}
			for _, fixed := range []uint32{1, 4, wire.HeaderSize - 1, wire.HeaderSize, uint32(o.at), uint32(o.at) + 3} {
				refusal{o.golden, o.at, fixed, o.field, o.at, wire.ErrOverlap}.check(t)
			}
			if o.inside != 0 {
				refusal{o.golden, o.at, o.inside, o.field, o.at, wire.ErrOverlap}.check(t)
			}
		})
	}
}

// TestOffsetFieldsComplete keeps the table above complete: every offset field of a golden message that is not
// documented as ignored is in it.
func TestOffsetFieldsComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, o := range offsetFields {
		g := readGolden(t, o.golden)
		h, _, err := new(wire.Decoder).DecodeMessage(g.message())
		require.NoError(t, err)
		listed[h.Command.String()+"."+o.field] = true
	}
	for _, ignored := range []string{"ADDFORWARD.PasswordOffset", "CREATEGROUP.PasswordOffset", "CREATEPLAYER.PasswordOffset",
		"CREATEPLAYERVERIFY.PasswordOffset", "KEYEXCHANGEREPLY.PublicKeyOffset"} {
		listed[ignored] = true
	}
	for _, c := range []wire.Command{wire.CmdAddPlayerToGroup, wire.CmdAddShortcutToGroup, wire.CmdDeleteGroup,
		wire.CmdDeleteGroupFromGroup, wire.CmdDeletePlayer, wire.CmdDeletePlayerFromGroup} {
		listed[c.String()+".CreateOffset"], listed[c.String()+".PasswordOffset"] = true, true
	}
	for _, g := range goldens(t) {
		if !g.system() {
			continue
		}
		cmd := wire.Command(binary.LittleEndian.Uint16(g.message()[4:])).String()
		depth := 0
		d := wire.Decoder{Visitor: func(f *wire.Field) {
			switch f.Kind {
			case wire.KindStruct, wire.KindList, wire.KindMessage:
				depth++
			case wire.KindEnd:
				depth--
			}
			if n := len(f.Name); depth == 0 && n > 6 && f.Name[n-6:] == "Offset" {
				assert.True(t, listed[cmd+"."+f.Name], "%s.%s is not in the table", cmd, f.Name)
			}
		}}
		_, _, err := d.DecodeMessage(g.message())
		require.NoError(t, err)
	}
}

// TestRefuseMandatoryOffsetZero sets offsets to zero that are not allowed to mean "absent".
func TestRefuseMandatoryOffsetZero(t *testing.T) {
	for _, o := range offsetFields {
		switch o.field {
		case "PasswordOffset", "NameOffset", "SessionNameOffset", "ShortOffset", "LongOffset", "SSPIProviderOffset",
			"CAPIProviderOffset":
			continue // a text: zero is none
		case "PackedOffset", "PacketOffset":
			if o.golden == "PACKET" || o.golden == "PACKET2_DATA" {
				continue // the data follows, then
			}
		case "MessageOffset":
			if o.golden == "CHAT" {
				continue // a null message
			}
		}
		refusal{o.golden, o.at, 0, o.field, o.at, wire.ErrOverlap}.check(t)
	}
}

// TestRefuseOverlapAtEnd lets a part begin outside all others and run into one: KEYEXCHANGE with its keys the
// other way round, the second one too long by one octet.
func TestRefuseOverlapAtEnd(t *testing.T) {
	g := readGolden(t, "KEYEXCHANGE")
	b := g.message()
	for at, v := range map[int]uint32{8: 5, 12: 30, 16: 7, 20: 24} {
		binary.LittleEndian.PutUint32(b[at:], v)
	}
	_, _, err := new(wire.Decoder).DecodeMessage(b)
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, wire.DecodeError{Message: "KEYEXCHANGE", Field: "PublicKeyOffset", Offset: 20, Value: 24, Err: wire.ErrOverlap},
		*e)

	binary.LittleEndian.PutUint32(b[16:], 6)
	_, m, err := new(wire.Decoder).DecodeMessage(b)
	require.NoError(t, err, "six octets fit")
	assert.False(t, m.(*wire.KeyExchange).Layout.Regular())
}
