package config

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// environment returns what reads variables.
func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// written writes a file of settings into a folder of its own.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), FileName)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// TestRead takes every key from a file, and again from the environment, which goes before it.
func TestRead(t *testing.T) {
	name := written(t, `address = "castle.example"
bind = "192.0.2.1" # a comment
advertise = '203.0.113.5'
tcp = 2400
udp = "2410-2420"
period = "5s"
probes = 3
legacy = true
text = "8bit"
log = "dplayx.log"
record = "sub/game.pcapng"
`)
	s := Read(directplay.Config{}, []string{name}, environment(nil))
	assert.Empty(t, s.Problems)
	assert.Equal(t, name, s.Path)
	want := directplay.Config{Address: "castle.example", Bind: netip.MustParseAddr("192.0.2.1"), Advertise: netip.MustParseAddr("203.0.113.5"),
		StreamPorts: wire.Ports{First: 2400, Last: 2400}, DatagramPorts: wire.Ports{First: 2410, Last: 2420},
		Period: s.Period, Probes: 3, Legacy: true, EightBit: true}
	assert.Equal(t, want, s.Config)
	assert.Equal(t, "5s", s.Period.String())
	assert.Equal(t, filepath.Join(filepath.Dir(name), "dplayx.log"), s.LogFile)
	assert.Equal(t, filepath.Join(filepath.Dir(name), "sub", "game.pcapng"), s.RecordFile)
	assert.Equal(t, Given{"udp", "2410-2420", name + ", line 5"}, s.Given[4])

	s = Read(directplay.Config{}, []string{name}, environment(map[string]string{"DPLAY_ADDRESS": "192.0.2.7", "DPLAY_PROBES": "4", "DPLAY_LEGACY": "0",
		"DPLAY_TEXT": "utf16", "DPLAY_LOG": "here.log"}))
	assert.Empty(t, s.Problems)
	assert.Equal(t, "192.0.2.7", s.Address)
	assert.Equal(t, 4, s.Probes)
	assert.Equal(t, "5s", s.Period.String())
	assert.False(t, s.Legacy || s.EightBit)
	assert.Equal(t, "here.log", s.LogFile)
	assert.Equal(t, Given{"address", "192.0.2.7", "DPLAY_ADDRESS"}, s.Given[0])
}

// TestNothing has neither file nor variables: the zero configuration, and nothing is written.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	s := Read(directplay.Config{}, Places(dir, "", dir), environment(nil))
	assert.Equal(t, &Settings{}, s)
	assert.Equal(t, directplay.Config{}, s.Begin("v1"))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// TestPlaces takes the first file that is there, and that alone.
func TestPlaces(t *testing.T) {
	dll, game, user := t.TempDir(), t.TempDir(), t.TempDir()
	put := func(folder, address string) {
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, FileName), []byte("address = '"+address+"'"), 0o600))
	}
	for _, c := range []struct{ folder, name string }{{filepath.Join(user, "dplay4"), "third"}, {game, "second"}, {dll, "first"}} {
		put(c.folder, c.name)
		assert.Equal(t, c.name, Read(directplay.Config{}, Places(dll, game, user), environment(nil)).Address)
	}
	named := written(t, "legacy = false")
	s := Read(directplay.Config{Legacy: true, Probes: 2}, Places(dll, game, user), environment(map[string]string{"DPLAY_CONFIG": named}))
	assert.Equal(t, directplay.Config{Probes: 2}, s.Config)
	assert.Len(t, Places("", "", ""), 0)
}

// TestWrong has what cannot be meant: it is named with its line, and the rest holds.
func TestWrong(t *testing.T) {
	takes := map[string]string{}
	for _, k := range keys {
		takes[k.name] = k.takes
	}
	for text, want := range map[string]string{
		"adress = 'x'":            `line 1: there is no key "adress"; there are address, bind`,
		"\n\nAddress = 'x'":       `line 3: there is no key "Address"`,
		"address.port = 'x'":      `line 1: there is no key "address.port"`,
		"address = ['x']":         "line 1: address takes " + takes["address"],
		"address = 'a b'":         `line 1: address = "a b" is neither; it takes ` + takes["address"],
		"address = 'http://a/'":   "is neither",
		"bind = '::1'":            "is none; it takes an IPv4 address of this machine",
		"bind = '0.0.0.0'":        "is none",
		"advertise = 'me'":        "is none",
		"tcp = '2300-'":           "is none",
		"tcp = 0":                 "is none",
		"tcp = 65536":             "is none",
		"tcp = '5-4'":             "goes backwards",
		"period = 35":             `period = "35" is none`,
		"period = '1ms'":          "is out of range",
		"period = '2h'":           "is out of range",
		"probes = 0":              "is none",
		"probes = -1":             "is none",
		"probes = 1.5":            "probes takes a number from 1 to 1000",
		"legacy = 'yes'":          "is neither",
		"text = 'ascii'":          "is neither",
		"log = \"a\\u0000b\"":     "is none",
		"[game]\nname = 1":        "line 1: there are no tables such as [game]",
		"[[game]]\naddress = 'x'": "line 1: there are no tables such as [game]",
		"tcp = 1\ntcp = 2":        "line 2: tcp is there twice",
		"\nlog = \"C:\\games\"":   "line 2: ",
		"address = 'x":            "line 1: ",
	} {
		t.Run(text, func(t *testing.T) {
			s := Read(directplay.Config{}, []string{written(t, "udp = 7\n"+text)}, environment(nil))
			if rest, ok := strings.CutPrefix(want, "line "); ok {
				want = "line " + string(rest[0]+1) + rest[1:] // it stands behind another one
			}
			require.NotEmpty(t, s.Problems)
			assert.Contains(t, s.Problems[0].String(), want)
			assert.Contains(t, s.Problems[0].String(), FileName)
			assert.Equal(t, wire.Ports{First: 7, Last: 7}, s.DatagramPorts, "the rest holds")
			assert.Empty(t, s.Address)
			assert.Empty(t, s.LogFile)
		})
	}
	s := Read(directplay.Config{}, []string{written(t, "\xff\xfea\x00")}, environment(nil))
	require.Len(t, s.Problems, 1)
	assert.Contains(t, s.Problems[0].Why, "save it as UTF-8")
	s = Read(directplay.Config{}, nil, environment(map[string]string{"DPLAY_PROBES": "many"}))
	require.Len(t, s.Problems, 1)
	assert.Equal(t, `DPLAY_PROBES: probes = "many" is none; it takes a number from 1 to 1000`, s.Problems[0].String())
	s = Read(directplay.Config{}, nil, environment(map[string]string{"DPLAY_CONFIG": filepath.Join(t.TempDir(), "none")}))
	require.Len(t, s.Problems, 1)
	s = Read(directplay.Config{}, []string{t.TempDir()}, environment(nil))
	require.Len(t, s.Problems, 1)
	assert.Contains(t, s.Problems[0].Why, "is no file")
	s = Read(directplay.Config{}, []string{written(t, strings.Repeat("#", maxFile+1))}, environment(nil))
	require.Len(t, s.Problems, 1)
	assert.Contains(t, s.Problems[0].Why, "octets")
}

// TestSample is read as it is, and again with everything in it set.
func TestSample(t *testing.T) {
	s := Read(directplay.Config{}, []string{written(t, Sample())}, environment(nil))
	assert.Empty(t, s.Problems)
	assert.Empty(t, s.Given)
	var all []string
	for line := range strings.Lines(Sample()) {
		assert.LessOrEqual(t, len(line), 72, line)
		if line[0] == '#' && len(line) > 2 && line[1] != ' ' {
			line = line[1:]
		}
		all = append(all, line)
	}
	s = Read(directplay.Config{}, []string{written(t, strings.Join(all, ""))}, environment(nil))
	assert.Empty(t, s.Problems)
	assert.Len(t, s.Given, len(keys))
}

func TestBegin(t *testing.T) {
	name := written(t, "log = 'x.log'\nrecord = 'game.pcapng'\nadress = 'y'\naddress = 'castle.example'\n")
	dir := filepath.Dir(name)
	for range 2 {
		c := Read(directplay.Config{}, []string{name}, environment(nil)).Begin("v1.2.3")
		require.NotNil(t, c.Log)
		require.NotNil(t, c.Record)
		e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
			Version: wire.DX9, Message: &wire.Ping{From: 1}}
		b, err := e.Append(nil)
		require.NoError(t, err)
		c.Record.Packet(time.Now(), dpsp.TCP, netip.MustParseAddrPort("0.0.0.0:2300"), netip.MustParseAddrPort("127.0.0.9:2301"), b)
	}
	for _, file := range []string{"game.pcapng", "game-2.pcapng"} {
		f, err := os.Open(filepath.Join(dir, file))
		require.NoError(t, err)
		defer f.Close()
		n := 0
		_, err = captures.Read(t.Context(), f, captures.Options{Name: file}, func(r *captures.Record) error {
			assert.Equal(t, "PING", r.Command())
			assert.Equal(t, "127.0.0.1", r.Src.Addr().String())
			n++
			return nil
		}, func(*captures.Finding) {})
		require.NoError(t, err)
		assert.Equal(t, 1, n)
	}
	log, err := os.ReadFile(filepath.Join(dir, "x.log"))
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(log), "version=v1.2.3"))
	assert.Contains(t, string(log), `line 3" why="there is no key \"adress\"`)
	assert.NotContains(t, string(log), "castle.example")
}

// TestLimits checks that neither file grows without end, and that a log is begun anew.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.log")
	l, err := openLog(name)
	require.NoError(t, err)
	l.left = 5
	_, err = l.Write([]byte("12345"))
	require.NoError(t, err)
	_, err = l.Write([]byte("6"))
	require.ErrorIs(t, err, errFull)
	require.NoError(t, l.file.Close())
	require.NoError(t, os.Truncate(name, maxLog))
	l, err = openLog(name)
	require.NoError(t, err)
	assert.EqualValues(t, maxLog, l.left)
	require.NoError(t, l.file.Close())
	_, err = openLog(dir)
	require.ErrorContains(t, err, "is no file")

	_, err = openRecording(filepath.Join(dir, "none", "game.pcapng"), slog.New(slog.DiscardHandler))
	require.Error(t, err)
	created := func() string {
		f, err := create(filepath.Join(dir, "g.pcapng"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return filepath.Base(f.Name())
	}
	assert.Equal(t, "g.pcapng", created())
	assert.Equal(t, "g-2.pcapng", created())
	for n := 3; n < maxNumber; n++ {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("g-%d.pcapng", n)), nil, 0o600))
	}
	assert.Equal(t, fmt.Sprintf("g-%d.pcapng", maxNumber), created())
	_, err = create(filepath.Join(dir, "g.pcapng"))
	require.ErrorContains(t, err, "999 recordings")
}

// FuzzParse reads any file: it ends, and what was understood is within its limits.
func FuzzParse(f *testing.F) {
	f.Add([]byte(Sample()))
	f.Add([]byte("tcp = 1\n[x]\ny = {a = 1}\nz = [[[]]]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Settings{}
		values := s.parse("x", b)
		for _, k := range keys {
			if v, there := values[k.name]; there && k.set(s, v) == "" {
				assert.NotEmpty(t, v.value)
			}
			delete(values, k.name)
		}
		assert.Empty(t, values)
		assert.LessOrEqual(t, s.Probes, mostProbes)
	})
}
