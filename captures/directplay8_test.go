package captures

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/madeup"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// octets reads hexadecimal text, in each line up to a #.
func octets(t *testing.T, text string) (b []byte) {
	t.Helper()
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		part, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
		require.NoError(t, err)
		b = append(b, part...)
	}
	return b
}

// The frames of [MC-DPL8R] 4.1 and 4.2: a connection, data, and its acknowledgement.
const (
	connect8   = "88 01 00 00 06 00 01 00 c6 ae c9 79 9d 36 67 23"
	connected8 = "88 02 00 00 06 00 01 00 c6 ae c9 79 e1 df 04 00"
	confirm8   = "80 02 01 00 06 00 01 00 c6 ae c9 79 9d 36 67 23"
	alive8     = "3f 02 00 00 c6 ae c9 79"
	data8      = "3d 00 05 03 01 41 42 43 44 45"
	sack8      = "80 06 01 00 03 06 00 00 07 5d 11 00"
)

// TestLikeness judges single datagrams: frames of the specifications, and copies of them with one field changed.
func TestLikeness(t *testing.T) {
	signed := "88 03 00 00 06 00 01 00 c6 ae c9 79 9d 36 67 23  11 12 13 14 15 16 17 18  " + strings.Repeat("00 ", 16) + "01 00 00 00 00 00 00 00"
	search := "00 02 b1 07 01 " + "36 ad b2 f0 e2 ce d1 11 9a c1 00 c0 4f d9 3c 0a"
	for name, c := range map[string]struct {
		octets string
		want   likeness
	}{
		"CONNECT":                               {connect8, certain},
		"CONNECTED":                             {connected8, certain},
		"CONNECTED without POLL":                {confirm8, certain},
		"CONNECT, version 1.4, without session": {"88 01 00 00 04 00 01 00 00 00 00 00 9d 36 67 23", certain},
		"CONNECTED_SIGNED":                      {signed, certain},
		"HARD_DISCONNECT":                       {"80 04 05 00 06 00 01 00 c6 ae c9 79 9d 36 67 23", certain},
		"HARD_DISCONNECT, signed":               {"80 04 05 00 06 00 01 00 c6 ae c9 79 9d 36 67 23 01 02 03 04 05 06 07 08", certain},
		"SACK":                                  {sack8, alike},
		"SACK with masks":                       {"80 06 1f 00 03 06 00 00 07 5d 11 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00", alike},
		"SACK, signed":                          {sack8 + "01 02 03 04 05 06 07 08", alike},
		"a message":                             {"7f 00 02 00 c9 00 00 00 04 00 00 00 00 00 00 00", certain},
		"a message again, with masks":           {"7f 51 02 00 01 00 00 00 02 00 00 00 c9 00 00 00 04 00 00 00 00 00 00 00", certain},
		"a message of its type alone":           {"7f 00 02 00 c3 00 00 00", alike},
		"a search for any application":          {"00 02 1b 07 02", alike},
		"a search for one":                      {search, alike},
		"the answer to a search":                {"00 03 b1 07" + strings.Repeat("00", 8) + "50" + strings.Repeat("00", 79), certain},

		"nothing":                         {"", unlike},
		"three octets":                    {"88 01 00", unlike},
		"a keep-alive":                    {alive8, unlike}, // half of all datagrams have its first bit set
		"data":                            {data8, unlike},
		"PATH_TEST":                       {"00 05 c1 d0 b8 82 dd 92 9c e9 af f9", unlike},
		"CONNECT with another bit":        {"89 01 00 00 06 00 01 00 c6 ae c9 79 9d 36 67 23", unlike},
		"CONNECT, version 2.6":            {"88 01 00 00 06 00 02 00 c6 ae c9 79 9d 36 67 23", unlike},
		"CONNECT, version 1.7":            {"88 01 00 00 07 00 01 00 c6 ae c9 79 9d 36 67 23", unlike},
		"CONNECT, version 1.6, session 0": {"88 01 00 00 06 00 01 00 00 00 00 00 9d 36 67 23", unlike},
		"CONNECT with an answer's id":     {"88 01 00 01 06 00 01 00 c6 ae c9 79 9d 36 67 23", unlike},
		"CONNECT, longer":                 {connect8 + "00", unlike},
		"CONNECT, shorter":                {connect8[:44], unlike},
		"operation 5":                     {"88 05 00 00 06 00 01 00 c6 ae c9 79 9d 36 67 23", unlike},
		"CONNECTED_SIGNED, secrets of both at once": {"80" + signed[2:], unlike},
		"CONNECTED_SIGNED, signed in both ways":     {strings.Replace(signed, "01 00 00 00 00 00 00 00", "03 00 00 00 00 00 00 00", 1), unlike},
		"SACK without its mask":                     {"80 06 03 00 03 06 00 00 07 5d 11 00", unlike},
		"SACK with an unknown flag":                 {"80 06 21 00 03 06 00 00 07 5d 11 00", unlike},
		"SACK with padding":                         {"80 06 01 00 03 06 00 01 07 5d 11 00", unlike},
		"a message of an unknown type":              {"7f 00 02 00 cf 00 00 00 04 00 00 00 00 00 00 00", unlike},
		"a message with more behind it":             {"7f 00 02 00 c9 00 00 00 04 00 00 00 00 00 00 00 01", unlike},
		"a message that is too short":               {"7f 00 02 00 c9 00 00 00 04 00 00 00", unlike},
		"voice":                                     {"ff 00 02 00 c9 00 00 00 04 00 00 00 00 00 00 00", unlike},
		"a message in a keep-alive":                 {"7f 02 02 00 c9 00 00 00 04 00 00 00 00 00 00 00", unlike},
		"a search with data":                        {"00 02 1b 07 02 01", unlike},
		"a search for no GUID":                      {search[:len(search)-23] + "00" + search[len(search)-21:], unlike},
		"an answer of another size":                 {"00 03 b1 07" + strings.Repeat("00", 8) + "51" + strings.Repeat("00", 79), unlike},
		"an answer, shorter":                        {"00 03 b1 07" + strings.Repeat("00", 8) + "50" + strings.Repeat("00", 78), unlike},
	} {
		assert.Equal(t, c.want, likenessOf(octets(t, c.octets)), name)
	}
}

// TestLikenessOfMessages wraps each golden message of package dpl8 in a frame.
func TestLikenessOfMessages(t *testing.T) {
	files, err := filepath.Glob("../wire/dpl8/testdata/golden/*.hex")
	require.NoError(t, err)
	require.Greater(t, len(files), 30)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m, want := octets(t, string(text)), certain
		if len(m) == 4 {
			want = alike
		}
		assert.Equal(t, want, likenessOf(append([]byte{0x7f, 0, 0, 0}, m...)), file)
	}
}

// TestLikenessOfOthers: made-up datagrams, game messages and frames of the reliable protocol of DirectPlay 4 look like nothing
// of DirectPlay 8. Their IDs are as hosts give them out: large and small.
func TestLikenessOfOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	b := make([]byte, 256)
	id := func() wire.PlayerID {
		if rng.IntN(2) == 0 {
			return wire.PlayerID(rng.IntN(1 << 12))
		}
		return wire.PlayerID(rng.Uint32())
	}
	like := func(octets []byte) { // require.Equal takes more time than what it checks
		if got := likenessOf(octets); got != unlike {
			t.Fatalf("%x is taken for DirectPlay 8: %v", octets, got)
		}
	}
	for range 1 << 18 {
		for i := 0; i < len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], rng.Uint64())
		}
		payload := b[:rng.IntN(65)]
		like(payload)
		like(madeup.Message(&wire.PlayerMessage{From: id(), To: id(), Payload: payload}))
		f := reliable.Frame{From: uint16(id()), To: uint16(id()), Flags: reliable.CMD | reliable.Flags(rng.IntN(256))&(reliable.STA|reliable.EOM|reliable.RLY|reliable.SAK),
			MessageID: uint8(rng.Uint32()), Sequence: uint8(rng.Uint32()), Data: payload}
		frame, err := f.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		like(frame)
	}
}

// TestNoDirectPlay8 reads all captures of the project: no datagram in them looks like DirectPlay 8, also where the port is taken
// for DirectPlay's.
func TestNoDirectPlay8(t *testing.T) {
	files, err := filepath.Glob("*/*.pcap*")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	datagrams := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		sum, err := Read(t.Context(), bytes.NewReader(b), Options{Ports: []uint16{2300, 2301, 2302, 2350, 2351, 2352}, Packet: func(p *Packet) {
			if p.Protocol == "UDP" {
				datagrams++
				assert.Equal(t, unlike, likenessOf(p.Payload), "%s: frame %d", file, p.Frame)
			}
			assert.NotEqual(t, PacketDirectPlay8, p.Protocol)
		}}, func(*Record) error { return nil }, nil)
		require.NoError(t, err)
		assert.Zero(t, sum.DirectPlay8, file)
	}
	assert.Greater(t, datagrams, 200)
}

// TestDirectPlay8 reads conversations of DirectPlay 8 on ports that DirectPlay 4 has as well, by their frames and with the ports
// taken for DirectPlay 4's by the reader's word: they are not decoded, and it is said once for two sockets.
func TestDirectPlay8(t *testing.T) {
	const a, b, third = "10.0.0.1:2302", "10.0.0.2:2350", "10.0.0.3:2351"
	type frame struct{ from, to, octets string }
	for name, c := range map[string]struct {
		frames   []frame
		eighth   int // datagrams that are known to be DirectPlay 8's
		findings int
		messages int // with the ports taken for DirectPlay 4's
	}{
		"a connection":                         {[]frame{{a, b, connect8}, {b, a, connected8}, {a, b, confirm8}, {a, b, alive8}, {b, a, alive8}, {a, b, data8}, {b, a, sack8}}, 7, 1, 0},
		"its socket to another one":            {[]frame{{a, b, connect8}, {a, third, data8}, {third, a, data8}}, 3, 1, 0},
		"in the middle, acknowledgements":      {[]frame{{a, b, sack8}, {a, b, sack8}, {b, a, sack8}, {b, a, data8}}, 2, 1, 0},
		"in the middle, one side acknowledges": {[]frame{{a, b, sack8}, {a, b, sack8}, {b, a, data8}}, 0, 0, 1},
		"acknowledgements of two pairs":        {[]frame{{a, b, sack8}, {third, a, sack8}}, 0, 0, 0},
		"in the middle, a message":             {[]frame{{a, b, data8}, {b, a, "7f 00 02 00 c9 00 00 00 04 00 00 00 00 00 00 00"}, {a, b, data8}}, 2, 1, 1},
		"data alone":                           {[]frame{{a, b, data8}, {b, a, data8}}, 0, 0, 2},
		"a search, unanswered":                 {[]frame{{a, b, "00 02 1b 07 02"}}, 0, 0, 0},
	} {
		for _, forced := range []bool{false, true} {
			n := madeup.New(t)
			for _, f := range c.frames {
				n.UDP(f.from, f.to, octets(t, f.octets))
			}
			var opt Options
			if forced {
				opt.Ports = []uint16{2302, 2350, 2351}
			}
			packets := 0
			opt.Packet = func(p *Packet) {
				if p.Protocol == PacketDirectPlay8 {
					packets++
				}
			}
			sum, err := Read(t.Context(), bytes.NewReader(n.Bytes()), opt, func(*Record) error { return nil }, func(f *Finding) {
				assert.Contains(t, f.Text, "speak DirectPlay 8, not DirectPlay 4", name)
			})
			require.NoError(t, err)
			assert.Equal(t, c.eighth, sum.DirectPlay8, name)
			assert.Equal(t, c.eighth, packets, name)
			assert.Equal(t, c.findings, sum.ByCode[DirectPlay8], name)
			assert.Equal(t, c.findings, sum.Findings, name)
			assert.Equal(t, map[bool]int{true: c.messages}[forced], sum.Messages, name)
		}
	}
}

// TestKnownSockets: a game of DirectPlay 4 may send any octets on its own socket.
func TestKnownSockets(t *testing.T) {
	const host, joiner = "10.0.0.1:2350", "10.0.0.2:2350"
	n := madeup.New(t)
	n.UDP(host, joiner, madeup.System(2300, &wire.Ping{From: 5, Tick: 1}))
	n.UDP(joiner, host, madeup.System(2300, &wire.PingReply{From: 6, Tick: 1}))
	for range 2 {
		n.UDP(host, joiner, octets(t, connect8))
		n.UDP(joiner, host, octets(t, sack8))
	}
	sum, err := Read(t.Context(), bytes.NewReader(n.Bytes()), Options{}, func(*Record) error { return nil }, nil)
	require.NoError(t, err)
	assert.Zero(t, sum.DirectPlay8)
	assert.Zero(t, sum.ByCode[DirectPlay8])
	assert.Equal(t, 6, sum.Messages)
}
