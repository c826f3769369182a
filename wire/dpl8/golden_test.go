package dpl8_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readGolden(t testing.TB, name string) []byte {
	t.Helper()
	return wiretest.Read(t, name).Raw
}

// octets returns octets counting up from first, as the golden GUIDs do.
func octets(first byte) (g wire.GUID) {
	for i := range g {
		g[i] = first + byte(i)
	}
	return g
}

// The GUIDs of the examples of section 4.
var (
	instance    = wire.GUID{0x23, 0x81, 0xBE, 0x94, 0xAB, 0xA1, 0xFB, 0x48, 0xA2, 0xE7, 0x23, 0x85, 0x9E, 0x65, 0x89, 0x36}
	application = wire.GUID{0xDA, 0x80, 0xEF, 0x61, 0x1B, 0x69, 0x47, 0x42, 0x9A, 0xDD, 0x1C, 0x7B, 0xED, 0x2B, 0xC1, 0x3E}
)

// What the golden messages have in common.
const (
	unused = 0xA1A2A3A4
	ctx    = 0xC0FFEE01
	host   = dpl8.DPNID(0x00100001)
	asker  = dpl8.DPNID(0x00200002)
	player = dpl8.DPNID(0x00300003)
	group  = dpl8.DPNID(0x00700005)
)

var update = dpl8.UpdateInfo{Context: ctx, ID: player, Version: 7, VersionNotUsed: unused,
	InfoFlags: dpl8.InfoName | dpl8.InfoData,
	Name:      wire.NewText("B"), Data: []byte{0xD1, 0xD2}, Requesting: asker}

var destroy = dpl8.DestroyPlayer{Leaving: player, Version: 7, VersionNotUsed: unused, Reason: dpl8.DestroyConnectionLost}

// goldenValues are the messages of the golden files, written down from the comments there.
var goldenValues = map[string]dpl8.Message{
	"PLAYER_CONNECT_INFO": &dpl8.ConnectInfo{Flags: dpl8.ConnectClient, DNETVersion: dpl8.DirectX82, Instance: octets(0x10),
		Application: octets(0x20), URL: dpl8.NewURL("x:"), ConnectData: []byte{0x0C, 0x0D}, Password: wire.NewText("pw"),
		Data: []byte{0xDD}, Name: wire.NewText("A")},
	"PLAYER_CONNECT_INFO-example": &dpl8.ConnectInfo{Flags: dpl8.ConnectPeer, DNETVersion: dpl8.DirectX90b, Instance: instance,
		Application: application, AlternateAddress: []byte{7, 2, 8, 0xFE, 65, 52, 239, 61}, Name: wire.NewText("Test User")},
	"SEND_CONNECT_INFO": &dpl8.SendConnectInfo{Flags: dpl8.SessionMigrateHost | dpl8.SessionRequirePassword, MaxPlayers: 8,
		CurrentPlayers: 2, Instance: octets(0x10), Application: octets(0x20), ID: player,
		Table: dpl8.NameTable{Version: 7, VersionNotUsed: unused, Entries: []dpl8.Entry{
			{ID: host, Flags: dpl8.EntryHost | dpl8.EntryPeer, Version: 1, VersionNotUsed: 0xB1B2B3B4, DNETVersion: dpl8.DirectX90b,
				Name: wire.NewText("Ann")},
			{ID: 0x00500005, Owner: host, Flags: dpl8.EntryGroup, Version: 5, VersionNotUsed: 0xB1B2B3B4, Name: wire.NewText("G"),
				Data: []byte{0xD1, 0xD2}, URL: dpl8.NewURL("x:")},
		}, Memberships: []dpl8.Membership{{Player: host, Group: 0x00500005, Version: 6, VersionNotUsed: 0xC1C2C3C4}}},
		ApplicationReservedData: []byte{0xA1, 0xA2, 0xA3}, ReservedData: []byte{0xB1}, Password: wire.NewText("pw"),
		SessionName: wire.NewText("S"), Reply: []byte{0xEE, 0xEF}},
	"SEND_CONNECT_INFO-example": &dpl8.SendConnectInfo{Flags: dpl8.SessionMigrateHost, CurrentPlayers: 2, Instance: instance,
		Application: application, ID: 0x948E8120, Table: dpl8.NameTable{Version: 3, Entries: []dpl8.Entry{
			{ID: 0x949E8121, Flags: dpl8.EntryHost | dpl8.EntryPeer, Version: 2, DNETVersion: dpl8.DirectX90,
				Name: wire.NewText("Test User")},
			{ID: 0x948E8120, Flags: dpl8.EntryPeer, Version: 3, DNETVersion: dpl8.DirectX90b, Name: wire.NewText("Test User"),
				URL: dpl8.NewURL("x-directplay:/provider=%7BEBFE7BA0-628D-11D2-AE0F-006097B01411%7D;hostname=65.52.239.61;port=2302")},
		}}, SessionName: wire.NewText("Test Session")},
	"ACK_CONNECT_INFO":          &dpl8.AckConnectInfo{},
	"SEND_PLAYER_DPNID":         &dpl8.SendPlayerDPNID{ID: player},
	"CONNECT_FAILED":            &dpl8.ConnectFailed{Result: dpl8.ResultHostRejectedConnection, Reply: []byte("no")},
	"INSTRUCT_CONNECT":          &dpl8.InstructConnect{ID: player, Version: 7, VersionNotUsed: unused},
	"INSTRUCTED_CONNECT_FAILED": &dpl8.InstructedConnectFailed{ID: player},
	"CONNECT_ATTEMPT_FAILED":    &dpl8.ConnectAttemptFailed{ID: asker},
	"NAMETABLE_VERSION":         &dpl8.NameTableVersion{Version: 7, VersionNotUsed: unused},
	"RESYNC_VERSION":            &dpl8.ResyncVersion{Version: 7, VersionNotUsed: unused},
	"REQ_NAMETABLE_OP":          &dpl8.ReqNameTableOp{Version: 7, VersionNotUsed: unused},
	"ACK_NAMETABLE_OP": &dpl8.AckNameTableOp{Operations: []dpl8.Operation{
		{ID: dpl8.TypeDestroyPlayer, Message: &destroy}, {ID: dpl8.TypeUpdateInfo, Message: &update},
		{ID: 0xDC, Octets: []byte{1, 2, 3}}}},
	"HOST_MIGRATE":          &dpl8.HostMigrate{OldHost: host, NewHost: asker},
	"HOST_MIGRATE_COMPLETE": &dpl8.HostMigrateComplete{},
	"ADD_PLAYER": &dpl8.AddPlayer{Entry: dpl8.Entry{ID: player, Owner: host, Flags: dpl8.EntryPeer, Version: 7,
		VersionNotUsed: unused,
		DNETVersion:    dpl8.DirectX90b, Name: wire.NewText("Bo"), Data: []byte{0xD1, 0xD2}, URL: dpl8.NewURL("x:")}},
	"DESTROY_PLAYER": &destroy,
	"REQ_CREATE_GROUP": &dpl8.ReqCreateGroup{Context: ctx, GroupFlags: dpl8.GroupAutodestruct,
		InfoFlags: dpl8.InfoName | dpl8.InfoData,
		Name:      wire.NewText("G"), Data: []byte{0xD1}},
	"REQ_ADD_PLAYER_TO_GROUP":      &dpl8.ReqAddPlayerToGroup{Context: ctx, Group: group, Player: player},
	"REQ_DELETE_PLAYER_FROM_GROUP": &dpl8.ReqDeletePlayerFromGroup{Context: ctx, Group: group, Player: player},
	"REQ_DESTROY_GROUP":            &dpl8.ReqDestroyGroup{Context: ctx, Group: group, Player: player},
	"REQ_UPDATE_INFO": &dpl8.ReqUpdateInfo{Context: ctx, ID: player, InfoFlags: dpl8.InfoName | dpl8.InfoData,
		Name: wire.NewText("B"), Data: []byte{0xD1, 0xD2}},
	"CREATE_GROUP":  &dpl8.CreateGroup{Requesting: asker, Context: ctx},
	"DESTROY_GROUP": &dpl8.DestroyGroup{Group: group, Version: 7, VersionNotUsed: unused, Requesting: asker, Context: ctx},
	"ADD_PLAYER_TO_GROUP": &dpl8.AddPlayerToGroup{Group: group, Player: player, Version: 7, VersionNotUsed: unused,
		Requesting: asker, Context: ctx},
	"DELETE_PLAYER_FROM_GROUP": &dpl8.DeletePlayerFromGroup{Group: group, Player: player, Version: 7, VersionNotUsed: unused,
		Requesting: asker, Context: ctx},
	"UPDATE_INFO":              &update,
	"TERMINATE_SESSION":        &dpl8.TerminateSession{Data: []byte("bye")},
	"REQ_PROCESS_COMPLETION":   &dpl8.ReqProcessCompletion{Context: ctx, Payload: []byte("data")},
	"PROCESS_COMPLETION":       &dpl8.ProcessCompletion{Context: ctx},
	"REQ_INTEGRITY_CHECK":      &dpl8.ReqIntegrityCheck{Context: 0xC0FFEE02, Target: player},
	"INTEGRITY_CHECK":          &dpl8.IntegrityCheck{Requesting: asker},
	"INTEGRITY_CHECK_RESPONSE": &dpl8.IntegrityCheckResponse{Requesting: asker},
}

// TestGolden decodes each golden message to the value above, and encodes that value to the golden octets: offsets,
// sizes and counts are computed.
func TestGolden(t *testing.T) {
	all := wiretest.Goldens(t)
	require.Len(t, goldenValues, len(all))
	for _, g := range all {
		t.Run(g.Name, func(t *testing.T) {
			want := goldenValues[g.Name]
			require.NotNil(t, want)
			got, err := dpl8.Decode(g.Raw)
			require.NoError(t, err)
			dropOctets(got)
			assert.Equal(t, want, got)

			b, err := dpl8.Append([]byte("what was there before"), want)
			require.NoError(t, err)
			assert.Equal(t, hex.EncodeToString(append([]byte("what was there before"), g.Raw...)), hex.EncodeToString(b))
			name, _, _ := strings.Cut(g.Name, "-")
			assert.Equal(t, name, got.Type().String(), "the file is named after its type")
		})
	}
}

// dropOctets forgets the octets of operations that were decoded, which a value made by hand lacks.
func dropOctets(m dpl8.Message) {
	if ack, ok := m.(*dpl8.AckNameTableOp); ok {
		for i := range ack.Operations {
			if ack.Operations[i].Message != nil {
				ack.Operations[i].Octets = nil
			}
		}
	}
}

// TestGoldenRegistry: each type has a golden file, and its place in the registry answers to its number.
func TestGoldenRegistry(t *testing.T) {
	have := map[dpl8.Type]bool{}
	for _, g := range wiretest.Goldens(t) {
		m, err := dpl8.Decode(g.Raw)
		require.NoError(t, err)
		have[m.Type()] = true
	}
	for _, typ := range dpl8.Types() {
		assert.True(t, have[typ], "%v has no golden file", typ)
		assert.Equal(t, typ, dpl8.New(typ).Type())
	}
}

// TestAliases: what is decoded is in the buffer, and appending to it does not run into what stands behind it.
func TestAliases(t *testing.T) {
	b := readGolden(t, "SEND_CONNECT_INFO")
	m, err := dpl8.Decode(b)
	require.NoError(t, err)
	info := m.(*dpl8.SendConnectInfo)
	for what, part := range map[string][]byte{"url": info.Table.Entries[1].URL, "data": info.Table.Entries[1].Data,
		"name": info.Table.Entries[0].Name, "session": info.SessionName, "reply": info.Reply} {
		require.NotEmpty(t, part, what)
		assert.Equal(t, len(part), cap(part), what)
	}
	b[len(b)-1] = 0x55
	assert.Equal(t, []byte{0xEE, 0x55}, info.Reply)

	b = readGolden(t, "REQ_PROCESS_COMPLETION")
	m, err = dpl8.Decode(b[:len(b)-1])
	require.NoError(t, err)
	payload := m.(*dpl8.ReqProcessCompletion).Payload
	assert.Equal(t, "dat", string(payload))
	assert.Equal(t, 3, cap(payload))
}
