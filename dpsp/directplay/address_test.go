package directplay

import (
	"bytes"
	"encoding/hex"
	"math"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// octets reads golden octets: hex with comments behind "#", in any number of lines.
func octets(t testing.TB, text string) []byte {
	t.Helper()
	var digits strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err)
	return b
}

// made returns the octets of what is asked with a buffer that holds everything.
func made(t testing.TB, ask func(*Buffer) wire.HResult) []byte {
	t.Helper()
	b := Buffer{Size: math.MaxUint32}
	require.Equal(t, wire.OK, ask(&b))
	require.Len(t, b.Data, int(b.Size))
	return b.Data
}

// compound makes an address.
func compound(t testing.TB, chunks ...Chunk) []byte {
	t.Helper()
	return made(t, func(b *Buffer) wire.HResult { return CreateCompoundAddress(chunks, b) })
}

// sizeQuery asks as games do, whose answer has a size: for the size alone, with a buffer that is too small by one, and with
// one that is right.
func sizeQuery(t *testing.T, size uint32, ask func(*Buffer) wire.HResult) {
	t.Helper()
	for _, c := range []struct {
		what string
		b    Buffer
		code wire.HResult
	}{
		{"no buffer", Buffer{Null: true}, wire.ErrBufferTooSmall},
		{"no buffer, whatever its size", Buffer{Null: true, Size: size + 1}, wire.ErrBufferTooSmall},
		{"no room", Buffer{}, wire.ErrBufferTooSmall},
		{"one octet too small", Buffer{Size: size - 1}, wire.ErrBufferTooSmall},
		{"right", Buffer{Size: size}, wire.OK},
		{"too large", Buffer{Size: size + 128}, wire.OK},
	} {
		assert.Equal(t, c.code, ask(&c.b), c.what)
		assert.Equal(t, size, c.b.Size, c.what)
		assert.Equal(t, c.code == wire.OK, c.b.Data != nil, c.what)
	}
}

// source: the layouts of DPADDRESS and the values of DPAID_ and DPSPGUID_ in mingw-w64's dplobby.h and dplay.h, by hand; the
// sizes are those that Wine's test_GetPlayerAddress and test_EnumConnections state for Windows.
const (
	goldenPlayerAddress = `
		60 F5 18 13 2C 91 D0 11 9D AA 00 A0 C9 0A 43 CB  04 00 00 00  82 00 00 00 # TotalSize: 130
		C0 16 D9 07 AF E0 CF 11 9C 4E 00 A0 C9 05 42 5E  10 00 00 00  # ServiceProvider
		E0 5E E9 36 77 85 CF 11 96 0C 00 80 C7 53 4E 82               # TCP/IP
		A0 4D A5 C4 AF E0 CF 11 9C 4E 00 A0 C9 05 42 5E  0A 00 00 00  31 32 37 2E 30 2E 30 2E 31 00 # INet
		A0 32 32 E6 BF 9D D0 11 9C C1 00 A0 C9 05 42 5E  14 00 00 00  # INetW
		31 00 32 00 37 00 2E 00 30 00 2E 00 30 00 2E 00 31 00 00 00`
	goldenConnection = `
		60 F5 18 13 2C 91 D0 11 9D AA 00 A0 C9 0A 43 CB  04 00 00 00  50 00 00 00 # TotalSize: 80
		C0 16 D9 07 AF E0 CF 11 9C 4E 00 A0 C9 05 42 5E  10 00 00 00  # ServiceProvider
		00 C4 5B 68 2C 9D CF 11 A9 CD 00 AA 00 68 86 E3               # IPX
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  00 00 00 00`
	goldenModem = `
		60 F5 18 13 2C 91 D0 11 9D AA 00 A0 C9 0A 43 CB  04 00 00 00  DB 00 00 00 # TotalSize: 219
		40 56 B9 59 67 96 D0 11 A7 7D 00 00 F8 03 AB FC  10 00 00 00  # LobbyProvider
		01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10
		A0 89 EC 78 AF E0 CF 11 9C 4E 00 A0 C9 05 42 5E  04 00 00 00  31 31 30 00 # Phone
		70 7A 5A BA BF 9D D0 11 9C C1 00 A0 C9 05 42 5E  06 00 00 00  31 00 32 00 00 00 # PhoneW
		00 C2 DC F6 FE A2 D0 11 9C 4F 00 A0 C9 05 42 5E  03 00 00 00  41 54 00 # Modem
		E0 92 FD 01 FF A2 D0 11 9C 4F 00 A0 C9 05 42 5E  04 00 00 00  42 00 00 00 # ModemW
		41 45 52 E4 A5 8E D1 11 8A 96 00 60 97 B0 14 11  02 00 00 00  00 09 # INetPort: 2304
		00 CE F0 F2 AF E0 CF 11 9C 4E 00 A0 C9 05 42 5E  14 00 00 00  # ComPort
		02 00 00 00  00 4B 00 00  01 00 00 00  03 00 00 00  04 00 00 00`
)

func modemChunks() []Chunk {
	return []Chunk{
		{AddressLobbyProvider, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
		{AddressPhone, []byte("110\x00")},
		{AddressPhoneW, wire.NewText("12")},
		{AddressModem, []byte("AT\x00")},
		{AddressModemW, wire.NewText("B")},
		{AddressINetPort, []byte{0x00, 0x09}},
		{AddressComPort, []byte{2, 0, 0, 0, 0, 0x4B, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}},
	}
}

func TestPlayerAddress(t *testing.T) {
	want := octets(t, goldenPlayerAddress)
	require.Len(t, want, 130)
	assert.Equal(t, want, PlayerAddress(ProviderTCP, netip.MustParseAddr("127.0.0.1")))
	assert.Equal(t, want, PlayerAddress(ProviderTCP, netip.MustParseAddr("::ffff:127.0.0.1")))
	n, err := ReadAddress(want)
	require.NoError(t, err)
	assert.Equal(t, Network{Provider: ProviderTCP, Host: some("127.0.0.1")}, n)
}

func TestAddressGolden(t *testing.T) {
	want := octets(t, goldenModem)
	require.Len(t, want, 219)
	assert.Equal(t, want, compound(t, modemChunks()...))
	sizeQuery(t, 219, func(b *Buffer) wire.HResult { return CreateCompoundAddress(modemChunks(), b) })

	n, err := ReadAddress(want)
	require.NoError(t, err)
	assert.Equal(t, Network{Provider: wire.GUID(want[44:60]), Port: 2304}, n)

	chunks, code := EnumAddress(append(bytes.Clone(want), 1, 2, 3), true)
	require.Equal(t, wire.OK, code, "what is behind the address's own size is not looked at")
	require.Len(t, chunks, 8)
	assert.Equal(t, Chunk{AddressTotalSize, []byte{219, 0, 0, 0}}, chunks[0])
	assert.Equal(t, modemChunks(), chunks[1:])
}

func TestCreateAddress(t *testing.T) {
	provider := Chunk{AddressServiceProvider, ProviderTCP[:]}
	inet := Chunk{AddressINet, []byte("127.0.0.1\x00")}
	create := func(b *Buffer) wire.HResult { return CreateAddress(&ProviderTCP, &AddressINet, inet.Data, b) }
	assert.Equal(t, AppendAddress(nil, provider, inet), made(t, create))
	sizeQuery(t, 90, create)

	for _, code := range []wire.HResult{
		CreateAddress(nil, &AddressINet, inet.Data, &Buffer{}),
		CreateAddress(&ProviderTCP, nil, inet.Data, &Buffer{}),
		CreateAddress(&ProviderTCP, &AddressINet, inet.Data, nil),
		CreateCompoundAddress(nil, &Buffer{}),
		CreateCompoundAddress(modemChunks(), nil),
		CreateCompoundAddress([]Chunk{{AddressINet, make([]byte, MaxAddress)}}, &Buffer{}),
	} {
		assert.Equal(t, wire.ErrInvalidParams, code)
	}
}

// TestEnumAddressUnknown is Wine's test_EnumAddresses: a chunk of a type that nobody knows is kept and told.
func TestEnumAddressUnknown(t *testing.T) {
	unknown := Chunk{wire.GUID{1, 2, 3}, []byte{0x71, 0x17}}
	address := compound(t, Chunk{AddressServiceProvider, ProviderTCP[:]}, unknown)
	chunks, code := EnumAddress(address, true)
	require.Equal(t, wire.OK, code)
	require.Len(t, chunks, 3)
	assert.Equal(t, unknown, chunks[2])
	_, err := ReadAddress(address)
	assert.NoError(t, err)
}

func TestAddressRefused(t *testing.T) {
	good := octets(t, goldenPlayerAddress)
	with := func(at int, b ...byte) []byte {
		g := bytes.Clone(good)
		copy(g[at:], b)
		return g
	}
	for _, c := range []struct {
		what string
		b    []byte
		want error
	}{
		{"nothing", nil, ErrAddressShort},
		{"less than its size", good[:129], ErrAddressSize},
		{"half a size", good[:23], ErrAddressShort},
		{"its size says less than itself", with(20, 23, 0, 0, 0), ErrAddressSize},
		{"its size says a gigabyte", with(20, 0, 0, 0, 0x40), ErrAddressLarge},
		{"its size ends within the last chunk", with(20, 129), ErrAddressShort},
		{"its size ends within a header", with(20, 24+36+30+19), ErrAddressShort},
		{"a chunk says four gigabytes", with(24+16, 0xFF, 0xFF, 0xFF, 0xFF), ErrAddressShort},
		{"a chunk says one octet too many", with(90+16, 21), ErrAddressShort},
		{"a provider of 15 octets", AppendAddress(nil, Chunk{AddressServiceProvider, make([]byte, 15)}), ErrChunkSize},
		{"a port of 4 octets", AppendAddress(nil, Chunk{AddressINetPort, make([]byte, 4)}), ErrChunkSize},
		{"a serial port of 16 octets", AppendAddress(nil, Chunk{AddressComPort, make([]byte, 16)}), ErrChunkSize},
		{"more than an address may have", make([]byte, MaxAddress+1), ErrAddressLarge},
	} {
		n, err := ReadAddress(c.b)
		assert.ErrorIs(t, err, c.want, c.what)
		assert.Zero(t, n, c.what)
	}
	_, code := EnumAddress(good[:129], true)
	assert.Equal(t, wire.ErrInvalidParams, code)
	_, code = EnumAddress(good, false)
	assert.Equal(t, wire.ErrInvalidParams, code)
}

func TestAddressWithoutSize(t *testing.T) {
	bare := octets(t, goldenPlayerAddress)[24:]
	_, err := AddressSize(bare)
	assert.ErrorIs(t, err, ErrAddressNoSize)
	n, err := ReadAddress(bare)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1", *n.Host)
	size, err := AddressSize(octets(t, goldenPlayerAddress)[:24])
	require.NoError(t, err)
	assert.Equal(t, 130, size)
}

func TestAddressTypes(t *testing.T) {
	for _, c := range []struct {
		provider *wire.GUID
		flags    uint32
		callback bool
		want     []wire.GUID
		code     wire.HResult
	}{
		{&ProviderTCP, 0, true, []wire.GUID{AddressINet}, wire.OK}, // Wine's test_EnumAddressTypes
		{&ProviderModem, 0, true, []wire.GUID{AddressPhone, AddressModem}, wire.OK},
		{&ProviderSerial, 0, true, []wire.GUID{AddressComPort}, wire.OK},
		{&ProviderIPX, 0, true, nil, wire.OK},
		{&AddressINet, 0, true, nil, wire.OK},
		{&ProviderTCP, 1, true, nil, wire.ErrInvalidParams},
		{nil, 0, false, nil, wire.ErrInvalidParams},
		{nil, 0, true, nil, wire.ErrInvalidObject},
	} {
		got, code := EnumAddressTypes(c.provider, c.flags, c.callback)
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.code, code)
	}
}

// TestAddressHost tells no address from an empty one, which Microsoft's asks nobody about.
func TestAddressHost(t *testing.T) {
	provider := Chunk{AddressServiceProvider, ProviderTCP[:]}
	port := Chunk{AddressINetPort, []byte{0x0A, 0x09}} // 2314
	for _, c := range []struct {
		what   string
		chunks []Chunk
		want   Network
	}{
		{"no address", []Chunk{provider}, Network{}},
		{"an empty one", []Chunk{provider, {AddressINet, []byte{0}}}, Network{Host: some("")}},
		{"an empty one without its end", []Chunk{provider, {AddressINet, nil}}, Network{Host: some("")}},
		{"an empty wide one", []Chunk{provider, {AddressINetW, []byte{0, 0}}}, Network{Host: some("")}},
		{"a machine and a port", []Chunk{provider, {AddressINet, []byte("host\x00xxx")}, port},
			Network{Host: some("host"), Port: 2314}},
		{"a port alone", []Chunk{provider, port}, Network{Port: 2314}},
		{"wide before narrow", []Chunk{provider, {AddressINetW, wire.NewText("wide")}, {AddressINet, []byte("narrow\x00")}},
			Network{Host: some("wide")}},
		{"narrow before wide", []Chunk{provider, {AddressINet, []byte("narrow\x00")}, {AddressINetW, wire.NewText("wide")}},
			Network{Host: some("wide")}},
		{"beyond ASCII", []Chunk{provider, {AddressINet, []byte("m\xFCsli\x00")}}, Network{Host: some("müsli")}},
	} {
		n, err := ReadAddress(AppendAddress(nil, c.chunks...))
		require.NoError(t, err, c.what)
		c.want.Provider = ProviderTCP
		assert.Equal(t, c.want, n, c.what)
	}
}

// FuzzAddress reads anything, and what it could read again.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{goldenPlayerAddress, goldenConnection, goldenModem} {
		f.Add(octets(f, s))
	}
	f.Add(octets(f, goldenPlayerAddress)[24:])
	f.Fuzz(func(t *testing.T, b []byte) {
		chunks, err := ParseAddress(b)
		n, readErr := ReadAddress(b)
		if err != nil {
			require.Error(t, readErr)
			return
		}
		whole := 0
		for _, c := range chunks {
			whole += chunkHeader + len(c.Data)
		}
		require.LessOrEqual(t, whole, len(b))
		if _, err := AddressSize(b); err == nil {
			chunks = chunks[1:]
		}
		again := AppendAddress(nil, chunks...)
		if len(again) > MaxAddress {
			return
		}
		m, againErr := ReadAddress(again)
		require.Equal(t, readErr == nil, againErr == nil)
		require.Equal(t, n, m)
		if len(chunks) > 0 {
			require.Equal(t, again, compound(t, chunks...))
		}
	})
}
