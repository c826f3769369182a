package dpl8_test

import (
	"fmt"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// typeTable is every packet type of sections 2.2.1 to 2.2.5, by the titles of their sections.
var typeTable = []struct {
	value   uint32
	name    string
	section string
	op      bool // listed in 2.2.6 and 2.2.2.10
	message dpl8.Message
}{
	{0xC1, "PLAYER_CONNECT_INFO", "2.2.1.1", false, &dpl8.ConnectInfo{}},
	{0xC2, "SEND_CONNECT_INFO", "2.2.1.4", false, &dpl8.SendConnectInfo{}},
	{0xC3, "ACK_CONNECT_INFO", "2.2.1.8", false, &dpl8.AckConnectInfo{}},
	{0xC4, "SEND_PLAYER_DPNID", "2.2.1.10", false, &dpl8.SendPlayerDPNID{}},
	{0xC5, "CONNECT_FAILED", "2.2.1.3", false, &dpl8.ConnectFailed{}},
	{0xC6, "INSTRUCT_CONNECT", "2.2.1.9", true, &dpl8.InstructConnect{}},
	{0xC7, "INSTRUCTED_CONNECT_FAILED", "2.2.1.11", false, &dpl8.InstructedConnectFailed{}},
	{0xC8, "CONNECT_ATTEMPT_FAILED", "2.2.1.12", false, &dpl8.ConnectAttemptFailed{}},
	{0xC9, "NAMETABLE_VERSION", "2.2.2.4", false, &dpl8.NameTableVersion{}},
	{0xCA, "RESYNC_VERSION", "2.2.2.5", false, &dpl8.ResyncVersion{}},
	{0xCB, "REQ_NAMETABLE_OP", "2.2.2.9", false, &dpl8.ReqNameTableOp{}},
	{0xCC, "ACK_NAMETABLE_OP", "2.2.2.10", false, &dpl8.AckNameTableOp{}},
	{0xCD, "HOST_MIGRATE", "2.2.2.3", false, &dpl8.HostMigrate{}},
	{0xCE, "HOST_MIGRATE_COMPLETE", "2.2.2.11", false, &dpl8.HostMigrateComplete{}},
	{0xD0, "ADD_PLAYER", "2.2.1.7", true, &dpl8.AddPlayer{}},
	{0xD1, "DESTROY_PLAYER", "2.2.2.2", true, &dpl8.DestroyPlayer{}},
	{0xD2, "REQ_CREATE_GROUP", "2.2.4.1", false, &dpl8.ReqCreateGroup{}},
	{0xD3, "REQ_ADD_PLAYER_TO_GROUP", "2.2.4.3", false, &dpl8.ReqAddPlayerToGroup{}},
	{0xD4, "REQ_DELETE_PLAYER_FROM_GROUP", "2.2.4.5", false, &dpl8.ReqDeletePlayerFromGroup{}},
	{0xD5, "REQ_DESTROY_GROUP", "2.2.4.7", false, &dpl8.ReqDestroyGroup{}},
	{0xD6, "REQ_UPDATE_INFO", "2.2.5.1", false, &dpl8.ReqUpdateInfo{}},
	{0xD7, "CREATE_GROUP", "2.2.4.2", true, &dpl8.CreateGroup{}},
	{0xD8, "DESTROY_GROUP", "2.2.4.8", true, &dpl8.DestroyGroup{}},
	{0xD9, "ADD_PLAYER_TO_GROUP", "2.2.4.4", true, &dpl8.AddPlayerToGroup{}},
	{0xDA, "DELETE_PLAYER_FROM_GROUP", "2.2.4.6", true, &dpl8.DeletePlayerFromGroup{}},
	{0xDB, "UPDATE_INFO", "2.2.5.2", true, &dpl8.UpdateInfo{}},
	{0xDF, "TERMINATE_SESSION", "2.2.2.1", false, &dpl8.TerminateSession{}},
	{0xE0, "REQ_PROCESS_COMPLETION", "2.2.3.2", false, &dpl8.ReqProcessCompletion{}},
	{0xE1, "PROCESS_COMPLETION", "2.2.3.3", false, &dpl8.ProcessCompletion{}},
	{0xE2, "REQ_INTEGRITY_CHECK", "2.2.2.6", false, &dpl8.ReqIntegrityCheck{}},
	{0xE3, "INTEGRITY_CHECK", "2.2.2.7", false, &dpl8.IntegrityCheck{}},
	{0xE4, "INTEGRITY_CHECK_RESPONSE", "2.2.2.8", false, &dpl8.IntegrityCheckResponse{}},
}

// TestTypes holds the registry against the table above: nothing more, nothing less.
func TestTypes(t *testing.T) {
	all := dpl8.Types()
	require.Len(t, all, len(typeTable))
	for i, row := range typeTable {
		typ := dpl8.Type(row.value)
		assert.Equal(t, typ, all[i], row.section)
		assert.Equal(t, row.name, typ.String(), row.section)
		assert.Equal(t, row.op, typ.Operation(), row.section)
		assert.Equal(t, typ, row.message.Type(), row.section)
		assert.Equal(t, row.message, dpl8.New(typ), row.section)
	}
	for _, no := range []dpl8.Type{0, 0xC0, 0xCF, 0xDC, 0xDE, 0xE5, 0xFFFFFFFF} {
		assert.False(t, no.Known())
		assert.False(t, no.Operation())
		assert.Equal(t, fmt.Sprintf("UNKNOWN(0x%08x)", uint32(no)), no.String())
		assert.Equal(t, &dpl8.Unknown{ID: no}, dpl8.New(no))
	}
}

// TestUnknownType: a type that is not assigned keeps its body.
func TestUnknownType(t *testing.T) {
	b := []byte{0xCF, 0, 0, 0, 1, 2, 3}
	m, err := dpl8.Decode(b)
	require.NoError(t, err)
	assert.Equal(t, &dpl8.Unknown{ID: 0xCF, Body: []byte{1, 2, 3}}, m)
	assert.Equal(t, dpl8.Type(0xCF), m.Type())
	again, err := dpl8.Append(nil, m)
	require.NoError(t, err)
	assert.Equal(t, b, again)
}

// TestDPNID: the figures of 2.2.7, whose example takes the first DWORD of the GUID for 0xA1B2C3D4, and the ids of the
// example of section 4.
func TestDPNID(t *testing.T) {
	for _, c := range []struct {
		id             dpl8.DPNID
		index, version uint32
		instance       wire.GUID
	}{
		{0xA112C3D1, 5, 10, wire.GUID{0xD4, 0xC3, 0xB2, 0xA1}},
		{0x949E8121, 2, 2, instance},
		{0x948E8120, 3, 3, instance},
		{0xFFFFFFFF, 0xFFFFF, 0xFFF, wire.GUID{4: 0x77}},
	} {
		assert.Equal(t, c.id, dpl8.NewDPNID(c.index, c.version, c.instance))
		assert.Equal(t, c.index, c.id.Index(c.instance))
		assert.Equal(t, c.version, c.id.Version(c.instance))
	}
	assert.Equal(t, dpl8.DPNID(0x00100002), dpl8.NewDPNID(1<<20|2, 1<<12|1, wire.GUID{}), "what does not fit is cut")
	assert.Equal(t, "0x948e8120", dpl8.DPNID(0x948E8120).String())
}

// TestURL: a URL ends at its first zero.
func TestURL(t *testing.T) {
	assert.Equal(t, dpl8.URL("x-directplay:/\x00"), dpl8.NewURL("x-directplay:/"))
	assert.Equal(t, dpl8.URL("a\x00"), dpl8.NewURL("a\x00b"))
	assert.Equal(t, dpl8.URL("\x00"), dpl8.NewURL(""))
	assert.Equal(t, "a", dpl8.URL("a\x00b").String())
	assert.Equal(t, "", dpl8.URL(nil).String())
}

// TestFlagNames: every bit of the tables prints its name, all together print in order, and unknown bits stay.
func TestFlagNames(t *testing.T) {
	check := func(show func(uint32) string, all uint32, names ...string) {
		t.Helper()
		left, joined := all, ""
		for _, n := range names {
			bit := left & -left
			left &^= bit
			assert.Equal(t, n, show(bit))
			joined += "|" + n
		}
		assert.Zero(t, left, "a flag without a name in this test")
		assert.Equal(t, joined[1:], show(all))
		assert.Equal(t, "0", show(0))
		assert.Equal(t, joined[1:]+fmt.Sprintf("|0x%08x", ^all), show(0xFFFFFFFF))
		assert.Equal(t, fmt.Sprintf("0x%08x", ^all), show(^all))
	}
	check(func(v uint32) string { return dpl8.EntryFlags(v).String() }, 0xF7757, // 2.2.1.5
		"LOCAL", "HOST", "ALL_PLAYERS_GROUP", "GROUP", "GROUP_AUTODESTRUCT", "PEER", "CLIENT", "SERVER", "CONNECTING",
		"AVAILABLE", "DISCONNECTING", "INDICATED", "CREATED", "NEED_TO_DESTROY", "IN_USE")
	check(func(v uint32) string { return dpl8.SessionFlags(v).String() }, 0x7C5, // 2.2.1.4
		"CLIENT_SERVER", "MIGRATE_HOST", "NODPNSVR", "REQUIREPASSWORD", "NOENUMS", "FAST_SIGNED", "FULL_SIGNED")
	check(func(v uint32) string { return dpl8.ConnectFlags(v).String() }, 6, "CLIENT", "PEER") // 2.2.1.1
	check(func(v uint32) string { return dpl8.GroupFlags(v).String() }, 1, "AUTODESTRUCT")     // 2.2.4.1
	check(func(v uint32) string { return dpl8.InfoFlags(v).String() }, 3, "NAME", "DATA")      // 2.2.5.1
}

// TestFlagValues: the constants are the values of 2.2.1.1, 2.2.1.4, 2.2.1.5, 2.2.4.1 and 2.2.5.1, in their order.
func TestFlagValues(t *testing.T) {
	assert.Equal(t, []dpl8.EntryFlags{1, 2, 4, 0x10, 0x40, 0x100, 0x200, 0x400, 0x1000, 0x2000, 0x4000, 0x10000,
		0x20000, 0x40000, 0x80000},
		[]dpl8.EntryFlags{dpl8.EntryLocal, dpl8.EntryHost, dpl8.EntryAllPlayersGroup, dpl8.EntryGroup, dpl8.EntryGroupAutodestruct,
			dpl8.EntryPeer, dpl8.EntryClient, dpl8.EntryServer, dpl8.EntryConnecting, dpl8.EntryAvailable, dpl8.EntryDisconnecting,
			dpl8.EntryIndicated, dpl8.EntryCreated, dpl8.EntryNeedToDestroy, dpl8.EntryInUse})
	assert.Equal(t, []dpl8.SessionFlags{1, 4, 0x40, 0x80, 0x100, 0x200, 0x400},
		[]dpl8.SessionFlags{dpl8.SessionClientServer, dpl8.SessionMigrateHost, dpl8.SessionNoDPNSvr, dpl8.SessionRequirePassword,
			dpl8.SessionNoEnums, dpl8.SessionFastSigned, dpl8.SessionFullSigned})
	assert.Equal(t, "CLIENT PEER AUTODESTRUCT NAME DATA",
		fmt.Sprint(dpl8.ConnectClient, dpl8.ConnectPeer, dpl8.GroupAutodestruct, dpl8.InfoName, dpl8.InfoData))
}

// TestValueNames: the tables of 2.2.2.2, 2.2.1.1 with 2.2.1.2, and 2.2.1.3.
func TestValueNames(t *testing.T) {
	for v, name := range map[dpl8.DestroyReason]string{1: "NORMAL", 2: "CONNECTIONLOST", 3: "SESSIONTERMINATED",
		4: "HOSTDESTROYEDPLAYER", 0: "0", 5: "5"} {
		assert.Equal(t, name, v.String())
	}
	for v, name := range map[dpl8.DNETVersion]string{1: "1 (DirectX 8.0)", 2: "2 (DirectX 8.1)", 3: "3 (PocketPC)", 4: "4",
		5: "5 (Windows Server 2003)", 6: "6 (DirectX 8.2)", 7: "7 (DirectX 9.0)", 8: "8 (DirectX 9.0)", 9: "9"} {
		assert.Equal(t, name, v.String())
	}
	for v, name := range map[dpl8.Result]string{0x80158050: "ALREADYCLOSING", 0x80158530: "NOTHOST", 0x80158390: "INVALIDINTERFACE",
		0x80158460: "INVALIDVERSION", 0x80158380: "INVALIDINSTANCE", 0x80158300: "INVALIDAPPLICATION", 0x80158410: "INVALIDPASSWORD",
		0x80158260: "HOSTREJECTEDCONNECTION", 0x80004005: "GENERIC"} {
		assert.Equal(t, fmt.Sprintf("DPNERR_%s (0x%08x)", name, uint32(v)), v.String())
	}
	assert.Equal(t, "0x80158051", dpl8.Result(0x80158051).String())
	assert.Equal(t, []dpl8.DestroyReason{1, 2, 3, 4}, []dpl8.DestroyReason{dpl8.DestroyNormal, dpl8.DestroyConnectionLost,
		dpl8.DestroySessionTerminated, dpl8.DestroyHostDestroyedPlayer})
	assert.Equal(t, []dpl8.DNETVersion{1, 2, 3, 5, 6, 7, 8}, []dpl8.DNETVersion{dpl8.DirectX80, dpl8.DirectX81, dpl8.PocketPC,
		dpl8.Server2003, dpl8.DirectX82, dpl8.DirectX90, dpl8.DirectX90b})
}
