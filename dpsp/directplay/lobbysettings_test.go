package directplay

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	testApplication = guid("8d3be1a3-2c1f-4d7e-9b55-0123456789ab")
	testInstance    = guid("11223344-5566-7788-99aa-bbccddeeff01")
)

func some(s string) *string { return &s }

// testSettings are settings in which no two fields are equal.
func testSettings() *Settings {
	return &Settings{
		Flags: OpenCreate,
		Session: &SessionDesc{Flags: 0x44, Instance: testInstance, Application: testApplication, MaxPlayers: 8, CurrentPlayers: 3,
			Name: some("Game"), Password: some(""), Reserved1: 0xA1, Reserved2: 0xA2, User: [4]uint32{0xB1, 0xB2, 0xB3, 0xB4}},
		Player:   &Name{Short: some("Bo")},
		Provider: ProviderTCP,
		Address:  []byte{0xE0, 0xE1, 0xE2, 0xE3, 0xE4},
	}
}

var (
	face32 = Face{Pointer: 4}
	face64 = Face{Pointer: 8, Wide: true}
)

// source: DPLCONNECTION, DPSESSIONDESC2 and DPNAME of mingw-w64's dplay.h, by hand; sizes and offsets for 32 bits as
// i686-w64-mingw32-gcc has them: 40, 80 and 16 octets. For 64 bits by the rule that a pointer stands at a multiple of 8.
const (
	goldenSettings32 = `
		28 00 00 00  02 00 00 00  28 00 50 00  78 00 50 00       # DPLCONNECTION: size, flags, session, player
		E0 5E E9 36 77 85 CF 11 96 0C 00 80 C7 53 4E 82          # TCP/IP
		88 00 50 00  05 00 00 00                                 # address and its size
		50 00 00 00  44 00 00 00                                 # DPSESSIONDESC2: size, flags
		44 33 22 11 66 55 88 77 99 AA BB CC DD EE FF 01          # instance
		A3 E1 3B 8D 1F 2C 7E 4D 9B 55 01 23 45 67 89 AB          # application
		08 00 00 00  03 00 00 00  90 00 50 00  95 00 50 00       # players, texts
		A1 00 00 00  A2 00 00 00
		B1 00 00 00  B2 00 00 00  B3 00 00 00  B4 00 00 00
		10 00 00 00  00 00 00 00  96 00 50 00  00 00 00 00       # DPNAME: size, flags, short, long
		E0 E1 E2 E3 E4  00 00 00                                 # the address and padding
		47 61 6D 65 00  00  42 6F 00                             # Game, an empty password, Bo`
	goldenSettings64 = `
		38 00 00 00  02 00 00 00                                 # DPLCONNECTION: size, flags
		38 00 00 00 01 00 00 00  90 00 00 00 01 00 00 00         # session, player
		E0 5E E9 36 77 85 CF 11 96 0C 00 80 C7 53 4E 82
		A8 00 00 00 01 00 00 00  05 00 00 00  00 00 00 00        # address and its size, padding
		58 00 00 00  44 00 00 00                                 # DPSESSIONDESC2: size, flags
		44 33 22 11 66 55 88 77 99 AA BB CC DD EE FF 01
		A3 E1 3B 8D 1F 2C 7E 4D 9B 55 01 23 45 67 89 AB
		08 00 00 00  03 00 00 00
		B0 00 00 00 01 00 00 00  BA 00 00 00 01 00 00 00         # name, password
		A1 00 00 00  A2 00 00 00
		B1 00 00 00  B2 00 00 00  B3 00 00 00  B4 00 00 00
		18 00 00 00  00 00 00 00                                 # DPNAME: size, flags
		BC 00 00 00 01 00 00 00  00 00 00 00 00 00 00 00         # short, long
		E0 E1 E2 E3 E4  00 00 00
		47 00 61 00 6D 00 65 00 00 00  00 00  42 00 6F 00 00 00`
)

// moved returns a block as it is in a game's memory.
func moved(b Block, address uint64, f Face) []byte {
	b.Move(address, f)
	return b.Data
}

func TestSettingsLayout(t *testing.T) {
	assert.Equal(t, octets(t, goldenSettings32), moved(testSettings().Block(face32), 0x500000, face32))
	assert.Equal(t, octets(t, goldenSettings64), moved(testSettings().Block(face64), 0x100000000, face64))

	bare := moved((&Settings{Flags: OpenJoin, Session: &SessionDesc{}}).Block(face32), 0x500000, face32)
	require.Len(t, bare, 120, "nothing but DPLCONNECTION and the 80 octets of DPSESSIONDESC2")
	assert.Zero(t, binary.LittleEndian.Uint32(bare[12:]), "no player")
	assert.Zero(t, binary.LittleEndian.Uint32(bare[32:]), "no address")
	assert.Zero(t, binary.LittleEndian.Uint64(bare[40+48:]), "no texts")
}

func TestSettingsComplete(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*Settings)
		want   bool
	}{
		{"as they are", func(*Settings) {}, true},
		{"no player", func(s *Settings) { s.Player = nil }, true},
		{"no address", func(s *Settings) { s.Address = nil }, true},
		{"another DPLCONNECTION", func(s *Settings) { s.WrongSize = true }, false},
		{"no session", func(s *Settings) { s.Session = nil }, false},
		{"the DPSESSIONDESC of DirectX 1", func(s *Settings) { s.Session.WrongSize = true }, false},
		{"a name of a megabyte", func(s *Settings) { s.Session.Name = some(strings.Repeat("x", 1<<20)) }, false},
	} {
		s := testSettings()
		c.change(s)
		assert.Equal(t, c.want, s.complete(), c.what)
	}
	s := testSettings()
	got := s.clone()
	assert.Equal(t, s, got)
	s.Address[0]++
	*s.Player, *s.Session = Name{}, SessionDesc{}
	assert.Equal(t, testSettings(), got, "what was taken is nobody else's")
}

// source: the comment of encode, by hand.
const goldenHandover = `
	64 6C 34 73  01 00 00 00  02 00 00 00                        # magic, release, flags
	E0 5E E9 36 77 85 CF 11 96 0C 00 80 C7 53 4E 82              # provider, instance, application
	44 33 22 11 66 55 88 77 99 AA BB CC DD EE FF 01
	A3 E1 3B 8D 1F 2C 7E 4D 9B 55 01 23 45 67 89 AB
	44 00 00 00  08 00 00 00  03 00 00 00  A1 00 00 00  A2 00 00 00
	B1 00 00 00  B2 00 00 00  B3 00 00 00  B4 00 00 00
	01 00 00 00  00 00 00 00                                     # there is a player
	05 00 00 00  47 61 6D 65                                     # Game
	01 00 00 00                                                  # an empty password
	03 00 00 00  42 6F                                           # Bo
	00 00 00 00                                                  # no long name
	06 00 00 00  E0 E1 E2 E3 E4`

func TestHandover(t *testing.T) {
	b, err := EncodeSettings(testSettings())
	require.NoError(t, err)
	assert.Equal(t, octets(t, goldenHandover), b)
	got, err := DecodeSettings(b)
	require.NoError(t, err)
	assert.Equal(t, testSettings(), got)

	v, err := SettingsVariable(testSettings())
	require.NoError(t, err)
	assert.NotContains(t, v, "=")
	got, err = ReadSettingsVariable(v)
	require.NoError(t, err)
	assert.Equal(t, testSettings(), got)

	large := &Settings{Session: &SessionDesc{}, Address: make([]byte, maxSettings)}
	_, err = SettingsVariable(large)
	assert.ErrorIs(t, err, ErrSettingsLarge)
}

func TestHandoverRefused(t *testing.T) {
	good := octets(t, goldenHandover)
	for n := range good {
		_, err := DecodeSettings(good[:n])
		assert.ErrorIs(t, err, ErrSettings, "%d octets", n)
	}
	for _, c := range []struct {
		what string
		at   int
		b    byte
		want error
	}{
		{"another magic", 0, 1, ErrSettings},
		{"a later release", 4, 2, ErrSettingsRelease},
		{"two players", 96, 2, ErrSettings},
		{"no player, but a name", 96, 0, ErrSettings},
		{"what a later release says", 100, 1, ErrSettings},
		{"a name of 16 MB", 107, 1, ErrSettings},
		{"an address that is too short", len(good) - 9, 5, ErrSettings},
	} {
		b := append([]byte(nil), good...)
		require.NotEqual(t, c.b, b[c.at], c.what)
		b[c.at] = c.b
		_, err := DecodeSettings(b)
		assert.ErrorIs(t, err, c.want, c.what)
	}
	_, err := DecodeSettings(make([]byte, maxSettings+1))
	assert.ErrorIs(t, err, ErrSettingsLarge)
	_, err = ReadSettingsVariable("not base64!")
	assert.ErrorIs(t, err, ErrSettings)
	_, err = ReadSettingsVariable(strings.Repeat("A", 1<<20))
	assert.ErrorIs(t, err, ErrSettingsLarge)
}

// FuzzSettings reads anything that a process may find in its environment: what can be read is written the same again.
func FuzzSettings(f *testing.F) {
	f.Add(octets(f, goldenHandover))
	f.Add((&Settings{Session: &SessionDesc{}, Address: []byte{}}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeSettings(b)
		if err != nil {
			return
		}
		require.Equal(t, b, s.encode())
		require.GreaterOrEqual(t, len(s.Block(face32).Data), 40+80)
		require.GreaterOrEqual(t, len(s.Block(face64).Data), 56+88)
	})
}
