package directplay

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

var testPlayer = guid("01010101-0202-0303-0404-050506060707")

// source: DPLMSG_ structures of mingw-w64's dplobby.h, by hand; i686-w64-mingw32-gcc has 20 octets for DPLMSG_SYSTEMMESSAGE, 44
// for DPLMSG_SETPROPERTYRESPONSE, 40 for DPLMSG_GETPROPERTY, and the data at 44 and 48.
var lobbyGoldens = []struct {
	m      LobbyMessage
	flags  uint32
	octets string
}{
	{LobbyMessage{Type: ConnectionSettingsRead, Instance: testInstance}, LobbySystem,
		`01 00 00 00  44 33 22 11 66 55 88 77 99 AA BB CC DD EE FF 01`},
	{LobbyMessage{Type: AppTerminated, Instance: testInstance}, LobbySystem,
		`04 00 00 00  44 33 22 11 66 55 88 77 99 AA BB CC DD EE FF 01`},
	{LobbyMessage{Type: NewSessionHost, Instance: testInstance}, LobbyStandard,
		`09 00 00 00  44 33 22 11 66 55 88 77 99 AA BB CC DD EE FF 01`},
	{LobbyMessage{Type: NewConnectionSettings, Instance: testInstance}, LobbySystem,
		`0A 00 00 00  44 33 22 11 66 55 88 77 99 AA BB CC DD EE FF 01`},
	{LobbyMessage{Type: SetProperty, Request: 0x51, Player: testPlayer, Property: PropertyPlayerScore,
		Data: []byte{0xD1, 0xD2, 0xD3, 0xD4, 0xD5}}, LobbyStandard,
		`05 00 00 00  51 00 00 00  01 01 01 01 02 02 03 03 04 04 05 05 06 06 07 07
		 00 40 78 48 19 D2 D0 11 BA 39 00 C0 4F D7 ED 67  05 00 00 00  D1 D2 D3 D4 D5`},
	{LobbyMessage{Type: SetPropertyResponse, Request: 0x52, Player: testPlayer, Property: PropertyPlayerGUID,
		Code: wire.ErrUnsupported}, LobbyStandard,
		`06 00 00 00  52 00 00 00  01 01 01 01 02 02 03 03 04 04 05 05 06 06 07 07
		 22 93 31 B4 0D D2 D0 11 BA 39 00 C0 4F D7 ED 67  01 40 00 80`},
	{LobbyMessage{Type: GetProperty, Request: 0x53, Player: testPlayer, Property: PropertyLobbyGUID}, LobbyStandard,
		`07 00 00 00  53 00 00 00  01 01 01 01 02 02 03 03 04 04 05 05 06 06 07 07
		 A0 20 69 F5 18 D2 D0 11 BA 39 00 C0 4F D7 ED 67`},
	{LobbyMessage{Type: GetPropertyResponse, Request: 0x54, Player: testPlayer, Property: PropertyMessagesSupported,
		Code: wire.ErrGeneric, Data: []byte{1}}, LobbyStandard,
		`08 00 00 00  54 00 00 00  01 01 01 01 02 02 03 03 04 04 05 05 06 06 07 07
		 A1 CD 2C 76 16 D9 D0 11 BA 39 00 C0 4F D7 ED 67  05 40 00 80  01 00 00 00  01 00 00 00`},
}

func TestLobbyMessageGolden(t *testing.T) {
	for _, c := range lobbyGoldens {
		b := octets(t, c.octets)
		assert.Equal(t, b, c.m.Append(nil))
		assert.Equal(t, c.flags, c.m.Flags())
		m, err := ParseLobbyMessage(b)
		require.NoError(t, err)
		assert.Equal(t, c.m, m)
	}
}

func TestLobbyMessageRefused(t *testing.T) {
	for _, c := range lobbyGoldens {
		b := octets(t, c.octets)
		whole := len(b)
		if c.m.Type == GetPropertyResponse {
			whole -= 3 // of padding
		}
		for n := range whole {
			if n == 4 && c.flags == LobbySystem {
				continue
			}
			_, err := ParseLobbyMessage(b[:n])
			assert.ErrorIs(t, err, ErrLobbyMessage, "%d of type %d", n, c.m.Type)
		}
	}
	_, err := ParseLobbyMessage([]byte{11, 0, 0, 0})
	assert.ErrorIs(t, err, ErrLobbyMessage, "a type that nobody knows")
	m, err := ParseLobbyMessage([]byte{3, 0, 0, 0})
	require.NoError(t, err, "as DirectX 3 sent it")
	assert.Equal(t, LobbyMessage{Type: ConnectSucceeded}, m)
}

// FuzzLobbyMessage reads what a lobby or a game may send.
func FuzzLobbyMessage(f *testing.F) {
	for _, c := range lobbyGoldens {
		f.Add(octets(f, c.octets))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseLobbyMessage(b)
		if err != nil {
			return
		}
		again, err := ParseLobbyMessage(m.Append(nil))
		require.NoError(t, err)
		require.Equal(t, m, again)
	})
}
