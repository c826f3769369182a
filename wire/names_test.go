package wire_test

import (
	"fmt"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFlagNames: every flag prints its name, all together print in order, and unknown bits stay.
func TestFlagNames(t *testing.T) {
	check := func(show func(uint32) string, all uint32, names ...string) {
		t.Helper()
		left := all
		joined := ""
		for _, n := range names {
			bit := left & -left
			left &^= bit
			assert.Equal(t, n, show(bit))
			joined += "|" + n
		}
		assert.Zero(t, left, "a flag without a name in this test")
		assert.Equal(t, joined[1:], show(all))
		assert.Equal(t, "0", show(0))
		for bit := uint32(1); bit != 0; bit <<= 1 {
			if all&bit == 0 {
				assert.Equal(t, fmt.Sprintf("0x%08x", bit), show(bit))
				assert.Equal(t, names[0]+fmt.Sprintf("|0x%08x", bit), show(bit|all&-all))
			}
		}
		assert.Equal(t, joined[1:]+fmt.Sprintf("|0x%08x", ^all), show(0xFFFFFFFF))
	}
	// [MC-DPL4CS] 2.2.5; the names are those of the public API.
	check(func(v uint32) string { return wire.SessionFlags(v).String() }, 0x3FFED,
		"NEWPLAYERSDISABLED", "MIGRATEHOST", "NOMESSAGEID", "JOINDISABLED", "KEEPALIVE", "NODATAMESSAGES", "SECURESERVER", "PRIVATE",
		"PASSWORDREQUIRED", "MULTICASTSERVER", "CLIENTSERVER", "DIRECTPLAYPROTOCOL", "NOPRESERVEORDER", "OPTIMIZELATENCY",
		"ALLOWVOICERETRO", "NOSESSIONDESCMESSAGES")
	// 2.2.2 and facts 3.17.
	check(func(v uint32) string { return wire.PlayerFlags(v).String() }, 0xFEF,
		"SYSTEM", "NAMESERVER", "INGROUP", "LOCAL", "SYSTEMGROUP", "GROUP", "APPSERVER", "SERVERPLAYER", "SPECTATOR",
		"HIDDENGROUP", "STAGINGAREA")
	// 2.2.29 and facts 3.1.
	check(func(v uint32) string { return wire.EnumFlags(v).String() }, 0xFF,
		"AVAILABLE", "ALL", "PREVIOUS", "NOREFRESH", "ASYNC", "STOPASYNC", "PASSWORDREQUIRED", "RETURNSTATUS")
	check(func(v uint32) string { return wire.ChatFlags(v).String() }, 1, "GUARANTEED") // 2.2.19
	// 2.2.52
	check(func(v uint32) string { return wire.SignedFlags(v).String() }, 7, "SIGNEDBYSSPI", "SIGNEDBYCAPI", "ENCRYPTEDBYCAPI")
}

// TestFlagValues: the constants are the bits of the figures.
func TestFlagValues(t *testing.T) {
	for name, f := range map[string]wire.SessionFlags{
		"NEWPLAYERSDISABLED": wire.SessionNewPlayersDisabled, "MIGRATEHOST": wire.SessionMigrateHost,
		"NOMESSAGEID": wire.SessionNoMessageID, "JOINDISABLED": wire.SessionJoinDisabled, "KEEPALIVE": wire.SessionKeepAlive,
		"NODATAMESSAGES": wire.SessionNoDataMessages, "SECURESERVER": wire.SessionSecureServer, "PRIVATE": wire.SessionPrivate,
		"PASSWORDREQUIRED": wire.SessionPasswordRequired, "MULTICASTSERVER": wire.SessionMulticastServer,
		"CLIENTSERVER": wire.SessionClientServer, "DIRECTPLAYPROTOCOL": wire.SessionDirectPlayProtocol,
		"NOPRESERVEORDER": wire.SessionNoPreserveOrder, "OPTIMIZELATENCY": wire.SessionOptimizeLatency,
		"ALLOWVOICERETRO": wire.SessionAllowVoiceRetro, "NOSESSIONDESCMESSAGES": wire.SessionNoSessionDescMessages,
	} {
		assert.Equal(t, name, f.String())
	}
	for name, f := range map[string]wire.PlayerFlags{
		"SYSTEM": wire.PlayerSystem, "NAMESERVER": wire.PlayerNameServer, "INGROUP": wire.PlayerInGroup, "LOCAL": wire.PlayerLocal,
		"SYSTEMGROUP": wire.PlayerSystemGroup, "GROUP": wire.PlayerGroup, "APPSERVER": wire.PlayerAppServer,
		"SERVERPLAYER": wire.PlayerServerPlayer, "SPECTATOR": wire.PlayerSpectator, "HIDDENGROUP": wire.PlayerHiddenGroup,
		"STAGINGAREA": wire.PlayerStagingArea,
	} {
		assert.Equal(t, name, f.String())
	}
	for name, f := range map[string]wire.EnumFlags{
		"AVAILABLE": wire.EnumAvailable, "ALL": wire.EnumAll, "PREVIOUS": wire.EnumPrevious, "NOREFRESH": wire.EnumNoRefresh,
		"ASYNC": wire.EnumAsync, "STOPASYNC": wire.EnumStopAsync, "PASSWORDREQUIRED": wire.EnumPasswordRequired,
		"RETURNSTATUS": wire.EnumReturnStatus,
	} {
		assert.Equal(t, name, f.String())
	}
	assert.Equal(t, "GUARANTEED", wire.ChatGuaranteed.String())
	assert.Equal(t, "SIGNEDBYSSPI", wire.SignedBySSPI.String())
	assert.Equal(t, "SIGNEDBYCAPI", wire.SignedByCAPI.String())
	assert.Equal(t, "ENCRYPTEDBYCAPI", wire.SignedEncrypted.String())
}

// TestHResult: the codes of facts 5.2, of 2.2.16, and those that only programs see.
func TestHResult(t *testing.T) {
	for _, c := range []struct {
		code  wire.HResult
		value uint32
		name  string
	}{
		{wire.OK, 0, "DP_OK"},
		{wire.ErrAlreadyInitialized, 0x88770005, "DPERR_ALREADYINITIALIZED"},
		{wire.ErrAccessDenied, 0x8877000A, "DPERR_ACCESSDENIED"},
		{wire.ErrBufferTooSmall, 0x8877001E, "DPERR_BUFFERTOOSMALL"},
		{wire.ErrCantCreatePlayer, 0x8877003C, "DPERR_CANTCREATEPLAYER"},
		{wire.ErrInvalidFlags, 0x88770078, "DPERR_INVALIDFLAGS"},
		{wire.ErrInvalidPlayer, 0x88770096, "DPERR_INVALIDPLAYER"},
		{wire.ErrInvalidGroup, 0x8877009B, "DPERR_INVALIDGROUP"},
		{wire.ErrNoConnection, 0x887700AA, "DPERR_NOCONNECTION"},
		{wire.ErrNoMessages, 0x887700BE, "DPERR_NOMESSAGES"},
		{wire.ErrNoSessions, 0x887700DC, "DPERR_NOSESSIONS"},
		{wire.ErrSendTooBig, 0x887700E6, "DPERR_SENDTOOBIG"},
		{wire.ErrTimeout, 0x887700F0, "DPERR_TIMEOUT"},
		{wire.ErrUninitialized, 0x88770140, "DPERR_UNINITIALIZED"},
		{wire.ErrUnavailable, 0x887700FA, "DPERR_UNAVAILABLE"},
		{wire.ErrBusy, 0x8877010E, "DPERR_BUSY"},
		{wire.ErrActivePlayers, 0x88770014, "DPERR_ACTIVEPLAYERS"},
		{wire.ErrNoNameServerFound, 0x887700C8, "DPERR_NONAMESERVERFOUND"},
		{wire.ErrSessionLost, 0x88770136, "DPERR_SESSIONLOST"},
		{wire.ErrConnecting, 0x8877015E, "DPERR_CONNECTING"},
		{wire.ErrAborted, 0x887701A4, "DPERR_ABORTED"},
		{wire.ErrBufferTooLarge, 0x887703E8, "DPERR_BUFFERTOOLARGE"},
		{wire.ErrNotLobbied, 0x8877042E, "DPERR_NOTLOBBIED"},
		{wire.ErrNotRegistered, 0x8877044C, "DPERR_NOTREGISTERED"},
		{wire.ErrAuthenticationFailed, 0x887707D0, "DPERR_AUTHENTICATIONFAILED"},
		{wire.ErrNotLoggedIn, 0x88770816, "DPERR_NOTLOGGEDIN"},
		{wire.ErrPending, 0x8000000A, "DPERR_PENDING"},
		{wire.ErrOutOfMemory, 0x8007000E, "DPERR_OUTOFMEMORY"},
		{wire.ErrNoNewPlayers, 0x8877014A, "DPERR_NONEWPLAYERS"},
		{wire.ErrInvalidPassword, 0x88770154, "DPERR_INVALIDPASSWORD"},
		{wire.ErrConnectionLost, 0x88770168, "DPERR_CONNECTIONLOST"},
		{wire.ErrLogonDenied, 0x88770820, "DPERR_LOGONDENIED"},
		{wire.ErrUnsupported, 0x80004001, "DPERR_UNSUPPORTED"},
		{wire.ErrGeneric, 0x80004005, "DPERR_GENERIC"},
		{wire.ErrInvalidParams, 0x80070057, "DPERR_INVALIDPARAMS"},
		{wire.ErrSecInvalidToken, 0x80090308, "SEC_E_INVALID_TOKEN"},
		{wire.ErrSecInvalidHandle, 0x80090301, "SEC_E_INVALID_HANDLE"},
		{wire.ErrSecInternalError, 0x80090304, "SEC_E_INTERNAL_ERROR"},
		{wire.ErrSecNoAuthenticatingAuthor, 0x80090311, "SEC_E_NO_AUTHENTICATING_AUTHORITY"},
	} {
		assert.Equal(t, wire.HResult(c.value), c.code, c.name)
		assert.Equal(t, c.name, c.code.Name())
		assert.Equal(t, fmt.Sprintf("%s (0x%08x)", c.name, c.value), c.code.String())
		assert.EqualError(t, c.code, c.code.String())
	}
	assert.Equal(t, "", wire.HResult(0x8877FFFF).Name())
	assert.Equal(t, "0x8877ffff", wire.HResult(0x8877FFFF).String())
}

func TestDialect(t *testing.T) { // 2.2.3
	names := map[wire.Dialect]string{9: "DX6", 10: "DX6.1", 11: "DX6.1a", 12: "DX7.1", 13: "DX8", 14: "DX9"}
	for d := wire.Dialect(0); d < 20; d++ {
		want := fmt.Sprint(uint16(d))
		if n := names[d]; n != "" {
			want += " (" + n + ")"
		}
		assert.Equal(t, want, d.String())
	}
	assert.Equal(t, []wire.Dialect{9, 10, 11, 12, 13, 14},
		[]wire.Dialect{wire.DX6, wire.DX61, wire.DX61A, wire.DX71, wire.DX8, wire.DX9})
}

func TestToken(t *testing.T) { // 2.2.6
	for token, want := range map[wire.Token]string{0xFAB: "0xfab (REMOTE)", 0xCAB: "0xcab (FORWARD)", 0xBAB: "0xbab (SERVER)"} {
		assert.Equal(t, want, token.String())
		assert.True(t, token.Known())
	}
	for token, want := range map[wire.Token]string{0: "0x000", 0xAB: "0x0ab", 0xFFF: "0xfff"} {
		assert.Equal(t, want, token.String())
		assert.False(t, token.Known())
	}
	assert.Equal(t, []wire.Token{0xFAB, 0xCAB, 0xBAB}, []wire.Token{wire.TokenRemote, wire.TokenForward, wire.TokenServer})
}

// TestCommand: the numbers of the table in 2.2.6, and the holes in it.
func TestCommand(t *testing.T) {
	names := map[wire.Command]string{
		0x01: "ENUMSESSIONSREPLY", 0x02: "ENUMSESSIONS", 0x03: "ENUMPLAYERSREPLY", 0x04: "ENUMPLAYER", 0x05: "REQUESTPLAYERID",
		0x06: "REQUESTGROUPID", 0x07: "REQUESTPLAYERREPLY", 0x08: "CREATEPLAYER", 0x09: "CREATEGROUP", 0x0A: "PLAYERMESSAGE",
		0x0B: "DELETEPLAYER", 0x0C: "DELETEGROUP", 0x0D: "ADDPLAYERTOGROUP", 0x0E: "DELETEPLAYERFROMGROUP", 0x0F: "PLAYERDATACHANGED",
		0x10: "PLAYERNAMECHANGED", 0x11: "GROUPDATACHANGED", 0x12: "GROUPNAMECHANGED", 0x13: "ADDFORWARDREQUEST", 0x15: "PACKET",
		0x16: "PING", 0x17: "PINGREPLY", 0x18: "YOUAREDEAD", 0x19: "PLAYERWRAPPER", 0x1A: "SESSIONDESCCHANGED", 0x1C: "CHALLENGE",
		0x1D: "ACCESSGRANTED", 0x1E: "LOGONDENIED", 0x1F: "AUTHERROR", 0x20: "NEGOTIATE", 0x21: "CHALLENGERESPONSE", 0x22: "SIGNED",
		0x24: "ADDFORWARDREPLY", 0x25: "ASK4MULTICAST", 0x26: "ASK4MULTICASTGUARANTEED", 0x27: "ADDSHORTCUTTOGROUP",
		0x28: "DELETEGROUPFROMGROUP", 0x29: "SUPERENUMPLAYERSREPLY", 0x2B: "KEYEXCHANGE", 0x2C: "KEYEXCHANGEREPLY", 0x2D: "CHAT",
		0x2E: "ADDFORWARD", 0x2F: "ADDFORWARDACK", 0x30: "PACKET2_DATA", 0x31: "PACKET2_ACK", 0x35: "IAMNAMESERVER", 0x36: "VOICE",
		0x37: "MULTICASTDELIVERY", 0x38: "CREATEPLAYERVERIFY",
	}
	for c := wire.Command(0); c < 0x100; c++ {
		want, known := names[c]
		if !known {
			want = fmt.Sprintf("UNKNOWN(0x%04x)", uint16(c))
		}
		assert.Equal(t, want, c.String())
		assert.Equal(t, known, c.Known(), "0x%02x", uint16(c))
		assert.Equal(t, c, wire.New(c).Command())
	}
	assert.Equal(t, "UNKNOWN(0xffff)", wire.Command(0xFFFF).String())
	for _, c := range wire.Commands() {
		assert.Contains(t, names, c)
	}
}

func TestPlayerID(t *testing.T) {
	assert.Equal(t, "0x000384c9", wire.PlayerID(0x384C9).String())
	assert.Equal(t, "0xffffffff", wire.IDUnknown.String())
	assert.Equal(t, wire.PlayerID(0), wire.IDAll)
	assert.Equal(t, wire.PlayerID(1), wire.IDServer)
	for id, index := range map[wire.PlayerID]uint16{0x384CB: 0, 0x384CA: 1, 0x384C9: 2, 0x384C8: 3} { // facts, real captures
		assert.Equal(t, index, id.Index(0x284CB))
	}
}

// fieldNames returns the names of a field of a golden message after its DWORD was overwritten.
func fieldNames(t *testing.T, golden string, at int, value uint32) string {
	t.Helper()
	b := load(t, golden)
	put32(b, at, value)
	names := ""
	d := wire.Decoder{Visitor: func(f *wire.Field) {
		if f.Offset == at && f.Size == 4 {
			names = f.Names()
		}
	}}
	_, _, err := d.DecodeMessage(b)
	require.NoError(t, err)
	return names
}

// TestSecurityNames: the values of footnotes 13 and 14.
func TestSecurityNames(t *testing.T) {
	for v, want := range map[uint32]string{0: "", 1: "PROV_RSA_FULL", 2: "PROV_RSA_SIG", 3: "PROV_DSS", 4: "PROV_FORTEZZA",
		5: "PROV_MS_EXCHANGE", 6: ""} {
		assert.Equal(t, want, fieldNames(t, "REQUESTPLAYERREPLY", 28, v))
	}
	for v, want := range map[uint32]string{0: "", 0x6601: "CALG_DES", 0x6602: "CALG_RC2", 0x6603: "CALG_3DES", 0x6611: "CALG_AES",
		0x6801: "CALG_RC4", 0x6802: ""} {
		assert.Equal(t, want, fieldNames(t, "REQUESTPLAYERREPLY", 32, v))
	}
}

// TestInfoMaskNames: the bits of 2.2.3, with the widths of lengths.
func TestInfoMaskNames(t *testing.T) {
	head := load(t, "SUPERENUMPLAYERSREPLY-distinct")[:130]
	for at, v := range map[int]int{8: 1, 12: 0, 20: 0} {
		put32(head, at, v)
	}
	for mask, want := range map[uint32]string{
		0:                         "0",
		0x1:                       "SHORTNAME",
		0x2:                       "LONGNAME",
		0x4 | 2<<4 | 3<<6:         "SPDATA:1|DATA:2|PLAYERS:4",
		0x100 | 1<<9:              "PARENT|SHORTCUTS:1",
		3<<2 | 1<<4 | 2<<6 | 3<<9: "SPDATA:4|DATA:1|PLAYERS:2|SHORTCUTS:4",
		0x800:                     "0x00000800",
		0xFFFFFFFF:                "SHORTNAME|LONGNAME|SPDATA:4|DATA:4|PLAYERS:4|PARENT|SHORTCUTS:4|0xfffff800",
	} {
		b := append(append([]byte(nil), head...), make([]byte, 60)...)
		put32(b, 142, mask)
		names := ""
		d := wire.Decoder{Visitor: func(f *wire.Field) {
			if f.Name == "PlayerInfoMask" {
				names = f.Names()
			}
		}}
		_, _, err := d.DecodeMessage(b)
		require.NoError(t, err)
		assert.Equal(t, want, names)
	}
}

func TestFieldNames(t *testing.T) {
	f := wire.Field{Name: "Type", Num: 7}
	assert.Equal(t, "", f.Names())
	f.NameOf = func(v uint32) string { return fmt.Sprint("seven is ", v) }
	assert.Equal(t, "seven is 7", f.Names())
}
