package dpl8_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patched is a golden message with DWORDs overwritten.
func patched(t testing.TB, name string, words map[int]uint32) []byte {
	t.Helper()
	b := readGolden(t, name)
	for at, v := range words {
		binary.LittleEndian.PutUint32(b[at:], v)
	}
	return b
}

// refuse requires a decode error.
func refuse(t *testing.T, b []byte, want wire.DecodeError) {
	t.Helper()
	m, err := dpl8.Decode(b)
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, want, *e)
	assert.Contains(t, e.Error(), want.Message+"."+want.Field+" at octet ")
	require.NotNil(t, m)
	assert.Equal(t, want.Message, m.Type().String())
}

// partFields are all pairs of an offset and a size, the size four octets after the offset, with a golden message in
// which the part is there. At counts from the message's first octet; inside is an offset into another part, 0 where
// the message has no other.
var partFields = []struct {
	golden string
	field  string
	size   string
	at     int
	inside uint32
}{
	{"PLAYER_CONNECT_INFO", "dwNameOffset", "dwNameSize", 12, 91},
	{"PLAYER_CONNECT_INFO", "dwDataOffset", "dwDataSize", 20, 81},
	{"PLAYER_CONNECT_INFO", "dwPasswordOffset", "dwPasswordSize", 28, 81},
	{"PLAYER_CONNECT_INFO", "dwConnectDataOffset", "dwConnectDataSize", 36, 82},
	{"PLAYER_CONNECT_INFO", "dwURLOffset", "dwURLSize", 44, 86},
	{"PLAYER_CONNECT_INFO-example", "dwAlternateAddressDataOffset", "dwAlternateAddressDataSize", 84, 100},
	{"SEND_CONNECT_INFO", "dwReplyOffset", "dwReplySize", 4, 221},
	{"SEND_CONNECT_INFO", "dwSessionNameOffset", "dwSessionNameSize", 28, 221},
	{"SEND_CONNECT_INFO", "dwPasswordOffset", "dwPasswordSize", 36, 221},
	{"SEND_CONNECT_INFO", "dwReservedDataOffset", "dwReservedDataSize", 44, 221},
	{"SEND_CONNECT_INFO", "dwApplicationReservedDataOffset", "dwApplicationReservedDataSize", 52, 221},
	{"SEND_CONNECT_INFO", "DN_NameTable_Entry_Info[0].dwNameOffset", "DN_NameTable_Entry_Info[0].dwNameSize", 136, 221},
	{"SEND_CONNECT_INFO", "DN_NameTable_Entry_Info[1].dwNameOffset", "DN_NameTable_Entry_Info[1].dwNameSize", 184, 221},
	{"SEND_CONNECT_INFO", "DN_NameTable_Entry_Info[1].dwDataOffset", "DN_NameTable_Entry_Info[1].dwDataSize", 192, 221},
	{"SEND_CONNECT_INFO", "DN_NameTable_Entry_Info[1].dwURLOffset", "DN_NameTable_Entry_Info[1].dwURLSize", 200, 224},
	{"CONNECT_FAILED", "dwReplyOffset", "dwReplySize", 8, 0},
	{"ACK_NAMETABLE_OP", "Operations[0].dwOpOffset", "Operations[0].dwOpSize", 12, 44},
	{"ACK_NAMETABLE_OP", "Operations[1].dwOpOffset", "Operations[1].dwOpSize", 24, 41},
	{"ACK_NAMETABLE_OP", "Operations[2].dwOpOffset", "Operations[2].dwOpSize", 36, 44},
	{"ADD_PLAYER", "dwNameOffset", "dwNameSize", 28, 49},
	{"ADD_PLAYER", "dwDataOffset", "dwDataSize", 36, 49},
	{"ADD_PLAYER", "dwURLOffset", "dwURLSize", 44, 52},
	{"REQ_CREATE_GROUP", "dwNameOffset", "dwNameSize", 16, 0},
	{"REQ_CREATE_GROUP", "dwDataOffset", "dwDataSize", 24, 30},
	{"REQ_UPDATE_INFO", "dwNameOffset", "dwNameSize", 16, 29},
	{"REQ_UPDATE_INFO", "dwDataOffset", "dwDataSize", 24, 31},
	{"UPDATE_INFO", "dwNameOffset", "dwNameSize", 24, 41},
	{"UPDATE_INFO", "dwDataOffset", "dwDataSize", 32, 43},
	{"TERMINATE_SESSION", "dwTerminateDataOffset", "dwTerminateDataSize", 4, 0},
}

// TestRefuseParts points each offset outside the message, into the fixed part and into another part, and makes each
// size reach beyond the message.
func TestRefuseParts(t *testing.T) {
	for _, p := range partFields {
		name, _, _ := strings.Cut(p.golden, "-")
		whole := readGolden(t, p.golden)
		body := uint32(len(whole)) - 4
		offset, size := binary.LittleEndian.Uint32(whole[p.at:]), binary.LittleEndian.Uint32(whole[p.at+4:])
		require.NotZero(t, offset, "%s.%s", p.golden, p.field)
		require.NotZero(t, size, "%s.%s", p.golden, p.field)
		for _, outside := range []uint32{body + 1, 1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32} {
			refuse(t, patched(t, p.golden, map[int]uint32{p.at: outside}),
				wire.DecodeError{Message: name, Field: p.field, Offset: p.at, Value: outside, Err: wire.ErrOffset})
		}
		for _, long := range []uint32{body - offset + 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32} {
			refuse(t, patched(t, p.golden, map[int]uint32{p.at + 4: long}),
				wire.DecodeError{Message: name, Field: p.size, Offset: p.at + 4, Value: long, Err: wire.ErrShort})
		}
		for _, fixed := range []uint32{1, 4, uint32(p.at)} {
			refuse(t, patched(t, p.golden, map[int]uint32{p.at: fixed, p.at + 4: 1}),
				wire.DecodeError{Message: name, Field: p.field, Offset: p.at, Value: fixed, Err: wire.ErrOverlap})
		}
		if p.inside != 0 {
			refuse(t, patched(t, p.golden, map[int]uint32{p.at: p.inside, p.at + 4: 1}),
				wire.DecodeError{Message: name, Field: p.field, Offset: p.at, Value: p.inside, Err: wire.ErrOverlap})
		}
	}
}

// TestPartFieldsComplete keeps the table above complete: every offset field of a golden message whose part is there is
// in it, as the visitor tells the fields.
func TestPartFieldsComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, p := range partFields {
		name, _, _ := strings.Cut(p.golden, "-")
		field := p.field[strings.LastIndex(p.field, ".")+1:]
		listed[name+"."+field] = true
	}
	for _, g := range wiretest.Goldens(t) {
		name, _, _ := strings.Cut(g.Name, "-")
		inside := 0
		_, err := dpl8.Visit(g.Raw, func(f *wire.Field) {
			switch {
			case inside > 0 && f.Kind == wire.KindEnd, f.Kind == wire.KindMessage:
				inside ^= 1
			case inside == 0 && strings.HasSuffix(f.Name, "Offset"):
				assert.True(t, listed[name+"."+f.Name], "%s.%s", name, f.Name)
			}
		})
		require.NoError(t, err)
	}
}

// TestRefuseCounts: counts that the message has no room for, and above the limit, before anything is made of them.
func TestRefuseCounts(t *testing.T) {
	for _, c := range []struct {
		golden, field string
		at, left      int // left: elements that there is room for
	}{
		{"SEND_CONNECT_INFO", "dwEntryCount", 104, 3},      // 112 to 249
		{"SEND_CONNECT_INFO", "dwMembershipCount", 108, 4}, // 208 to 272
		{"ACK_NAMETABLE_OP", "dwNumEntries", 4, 8},         // 8 to 109
	} {
		room := c.left
		for _, n := range []uint32{uint32(room) + 100, dpl8.MaxList} {
			refuse(t, patched(t, c.golden, map[int]uint32{c.at: n}),
				wire.DecodeError{Message: c.golden, Field: c.field, Offset: c.at, Value: n, Err: wire.ErrShort})
		}
		for _, n := range []uint32{dpl8.MaxList + 1, math.MaxInt32, math.MaxUint32} {
			refuse(t, patched(t, c.golden, map[int]uint32{c.at: n}),
				wire.DecodeError{Message: c.golden, Field: c.field, Offset: c.at, Value: n, Err: wire.ErrLimit})
		}
	}
}

// TestRefuseNothing: no packet type, and too much.
func TestRefuseNothing(t *testing.T) {
	for n := range 4 {
		m, err := dpl8.Decode(make([]byte, n))
		assert.Nil(t, m)
		assert.EqualError(t, err, "MESSAGE.dwPacketType at octet 0: message too short")
		assert.ErrorIs(t, err, wire.ErrShort)
	}
	b := make([]byte, dpl8.MaxMessage+1)
	m, err := dpl8.Decode(b)
	assert.Nil(t, m)
	assert.EqualError(t, err, "MESSAGE.Body at octet 0: larger than the limit (16777217)")
	m, err = dpl8.Decode(b[:dpl8.MaxMessage])
	require.NoError(t, err, "at the limit")
	assert.Len(t, m.(*dpl8.Unknown).Body, dpl8.MaxMessage-4)
}

// TestPartial: a message that fails holds what was decoded before.
func TestPartial(t *testing.T) {
	m, err := dpl8.Decode(readGolden(t, "UPDATE_INFO")[:22])
	assert.EqualError(t, err, "UPDATE_INFO.dwInfoFlags at octet 20: message too short")
	assert.Equal(t, &dpl8.UpdateInfo{Context: ctx, ID: player, Version: 7, VersionNotUsed: unused}, m)
}

// TestRefuseEncoding: what cannot be encoded leaves dst as it was and says why.
func TestRefuseEncoding(t *testing.T) {
	big := make([]byte, dpl8.MaxMessage)
	for _, c := range []struct {
		m      dpl8.Message
		want   string
		reason error
	}{
		{nil, "MESSAGE.Body: value is not allowed", wire.ErrValue},
		{&dpl8.ConnectInfo{DNETVersion: dpl8.DirectX82, AlternateAddress: []byte{1}},
			"PLAYER_CONNECT_INFO.alternateAddressData: value is not allowed", wire.ErrValue},
		{&dpl8.SendConnectInfo{Table: dpl8.NameTable{Entries: make([]dpl8.Entry, dpl8.MaxList+1)}},
			"SEND_CONNECT_INFO.dwEntryCount: larger than the limit", wire.ErrLimit},
		{&dpl8.SendConnectInfo{Table: dpl8.NameTable{Memberships: make([]dpl8.Membership, dpl8.MaxList+1)}},
			"SEND_CONNECT_INFO.dwMembershipCount: larger than the limit", wire.ErrLimit},
		{&dpl8.AckNameTableOp{Operations: make([]dpl8.Operation, dpl8.MaxList+1)},
			"ACK_NAMETABLE_OP.dwNumEntries: larger than the limit", wire.ErrLimit},
		{&dpl8.TerminateSession{Data: big}, "TERMINATE_SESSION.dwTerminateDataOffset: larger than the limit", wire.ErrLimit},
		{&dpl8.ReqProcessCompletion{Payload: big}, "REQ_PROCESS_COMPLETION.payload: larger than the limit", wire.ErrLimit},
		{&dpl8.AckNameTableOp{Operations: []dpl8.Operation{{}, {Message: &dpl8.HostMigrate{}}}},
			"ACK_NAMETABLE_OP.Operations[1].dwMsgId: value is not allowed", wire.ErrValue},
		{&dpl8.AckNameTableOp{Operations: []dpl8.Operation{{Message: &dpl8.CreateGroup{Rest: big}}}},
			"ACK_NAMETABLE_OP.Operations[0].op.CREATE_GROUP.Rest: larger than the limit", wire.ErrLimit},
		{&dpl8.SendConnectInfo{Table: dpl8.NameTable{Entries: []dpl8.Entry{{}, {Data: big}}}},
			"SEND_CONNECT_INFO.DN_NameTable_Entry_Info[1].dwDataOffset: larger than the limit", wire.ErrLimit},
	} {
		b, err := dpl8.Append([]byte("before"), c.m)
		assert.EqualError(t, err, c.want)
		assert.ErrorIs(t, err, c.reason)
		assert.Equal(t, "before", string(b))
	}
	_, err := dpl8.Append(nil, &dpl8.ReqProcessCompletion{Payload: big[:dpl8.MaxMessage-7]})
	require.ErrorIs(t, err, wire.ErrLimit, "above the limit by one octet")
	b, err := dpl8.Append(nil, &dpl8.ReqProcessCompletion{Payload: big[:dpl8.MaxMessage-8]})
	require.NoError(t, err, "at the limit")
	assert.Len(t, b, dpl8.MaxMessage)
}
