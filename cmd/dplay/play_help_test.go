package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
)

// TestPlayHelp checks that help shows every flag, as the user writes it.
func TestPlayHelp(t *testing.T) {
	shared := []string{"--app GUID|NAME", "--password PASSWORD", "--bind ADDRESS", "Exit status:", "lotr2", "dplay games", "dplay help events"}
	both := []string{"--player NAME", "--echo ", "--for TIME", "--advertise ADDRESS", "--record FILE", "--period DURATION", "(default 35s)", "--probes N", "(default 8)", "--tcp RANGE", "2300-2349", "--udp RANGE", "2350-2399", "--legacy ", "--compatible ", "--events text|ndjson"}
	for command, flags := range map[string][]string{
		"sessions": {"--all ", "--tcp RANGE", "2300-2349", "--timeout duration", "(default 2s)", "--watch ", "--format text|ndjson"},
		"host":     append([]string{"--name NAME", "--max N", "--flags NAME,...", `(default "host")`}, both...),
		"join": append([]string{"--session NAME|GUID", "--timeout duration", "(default 5s)", "--group NAME", "--say TEXT", "--send-hex HEX",
			"--unreliable ", `(default "guest")`}, both...),
	} {
		got := dplay(t, command, "--help")
		assert.Equal(t, exitOK, got.status)
		for _, want := range append(flags, shared...) {
			assert.Contains(t, strings.Join(strings.Fields(got.out), " "), strings.TrimSpace(want), command)
		}
		assert.NotContains(t, got.out, "[]")
		assert.NotContains(t, got.out, "(default 0", "no limit is said in words")
		assert.NotContains(t, got.out, "(default )")
	}
}

// TestPlayCompletion checks what shells are told to offer.
func TestPlayCompletion(t *testing.T) {
	const noFiles, byExtension = ":4\n", ":8\n" // what cobra's scripts go by
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"sessions", ""}, noFiles},
		{[]string{"sessions", "--format", ""}, "text\nndjson\n" + noFiles},
		{[]string{"host", "--events", ""}, "text\nndjson\n" + noFiles},
		{[]string{"host", "--record", ""}, "pcapng\n" + byExtension},
		{[]string{"host", "--name", ""}, noFiles},
		{[]string{"host", "--period", ""}, noFiles},
		{[]string{"join", "--probes", ""}, noFiles},
		{[]string{"join", "--tcp", ""}, noFiles},
		{[]string{"host", "--udp", ""}, noFiles},
		{[]string{"sessions", "--tcp", ""}, noFiles},
		{[]string{"doctor", "--tcp", ""}, noFiles},
		{[]string{"host", ""}, noFiles},
		{[]string{"join", "--session", ""}, noFiles},
		{[]string{"join", ""}, noFiles},
	} {
		assert.Equal(t, c.want, dplay(t, append([]string{"__complete"}, c.args...)...).out, "%v", c.args)
	}
	for _, command := range []string{"host", "join", "sessions", "doctor"} {
		got := dplay(t, "__complete", command, "--app", "").out
		assert.Contains(t, got, "\nshc\tStronghold Crusader\n")
		assert.Contains(t, got, "\nblitz3d\t", "by GUID_NULL")
		assert.True(t, strings.HasSuffix(got, noFiles))
	}
	got := dplay(t, "__complete", "host", "--flags", "").out
	assert.True(t, strings.HasPrefix(got, "newplayersdisabled\nmigratehost\n"), got)
	assert.NotContains(t, got, "\n\n", "bits without a name are not offered")
}

// TestSessionFlags checks that each flag can be given by its name, in any case, and prints so again.
func TestSessionFlags(t *testing.T) {
	_, named := cli.FlagNames(cli.AllSession)
	for name, flag := range named {
		var f flags.Session
		require.NoError(t, f.Set(strings.ToUpper(name)))
		assert.Equal(t, flag, f.SessionFlags)
		assert.Equal(t, name, f.String())
	}
	var f flags.Session
	assert.Empty(t, f.String())
	require.NoError(t, f.Set("keepalive, private"))
	require.NoError(t, f.Set("migratehost"))
	assert.Equal(t, "migratehost,keepalive,private", f.String())
	require.NoError(t, f.Set("none"))
	assert.Equal(t, "migratehost,keepalive,private", f.String(), "none adds none")
	var known flags.Session
	require.NoError(t, known.Set("0xa044"))
	assert.Equal(t, "migratehost,keepalive,directplayprotocol,optimizelatency", known.String())
	require.NoError(t, known.Set("0x00100000"))
	assert.EqualValues(t, 0x10a044, known.SessionFlags)
	assert.Error(t, f.Set("0x100000000"))
	assert.ErrorContains(t, f.Set("keepalife"), `"keepalife" is no session flag: did you mean "keepalive"; they are none, `)
}
