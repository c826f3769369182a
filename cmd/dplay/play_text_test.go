package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/wire"
)

// saidTexts returns the texts of our own messages in a recording, by command.
func saidTexts(t *testing.T, file string) map[string]wire.Text {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	all := map[string]wire.Text{}
	_, err = captures.Read(context.Background(), f, captures.Options{Name: file}, func(r *captures.Record) error {
		switch b := r.Envelope.Message.(type) {
		case *wire.EnumSessions:
			all["asked"] = slices.Clone(b.Password)
		case *wire.EnumSessionsReply:
			all["answered"] = slices.Clone(b.Name)
		case *wire.AddForwardRequest:
			all["password"] = slices.Clone(b.Password)
		case *wire.CreatePlayer:
			if b.Info.Flags&wire.PlayerSystem == 0 {
				all["short"], all["long"] = slices.Clone(b.Info.ShortName), slices.Clone(b.Info.LongName)
			}
		case *wire.Chat:
			all["chat"] = slices.Clone(b.Text)
		}
		return nil
	}, func(f *captures.Finding) { t.Errorf("%+v", *f) })
	require.NoError(t, err)
	return all
}

// TestText checks the octets of what people type: as the game is known to write, as --text says, or as the host does; and
// that every name goes out as short and as long name.
func TestText(t *testing.T) {
	const lotr2, unknown = "{1c8248c0-9772-11cf-b74f-00c0df413ed1}", "{6f1c8f5e-1111-4222-8333-000000000001}"
	for name, c := range map[string]struct {
		app        string
		host, join []string
		want       wire.Encoding
		long       string
	}{
		"game of the table": {app: lotr2, want: wire.EightBit, long: "Zoë"},
		"unknown game":      {app: unknown, want: wire.UTF16, long: "Zoë"},
		"8 bits wanted": {app: unknown, host: []string{"--text", "8bit"},
			join: []string{"--text", "8bit", "--long-name", "Zoë Ruß"}, want: wire.EightBit, long: "Zoë Ruß"},
		"UTF-16 wanted": {app: lotr2, host: []string{"--text", "utf16"}, join: []string{"--text", "utf16"},
			want: wire.UTF16, long: "Zoë"},
		"as the host does": {app: unknown, host: []string{"--text", "8bit"}, want: wire.EightBit, long: "Zoë"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := newPlace(t)
			at.app = c.app
			file := filepath.Join(t.TempDir(), "joiner.pcapng")
			h := startHost(t, at, append(c.host, "--password", "süß")...)
			j := startJoin(t, at, append(c.join, "--password", "süß", "--player", "Zoë", "--record", file, "--say", "schön")...)
			created := h.event("player_created", "local", false)
			assert.Equal(t, "Zoë", created["name"])
			assert.Equal(t, c.long, created["long_name"])
			assert.Equal(t, "schön", h.event("chat")["text"])
			assert.Equal(t, exitOK, j.interrupt(), j.stderr())
			got := saidTexts(t, file)
			assert.Equal(t, c.want.Text("Zoë"), got["short"])
			assert.Equal(t, c.want.Text(c.long), got["long"])
			assert.Equal(t, c.want.Text("süß"), got["password"])
			assert.Equal(t, c.want.Text("schön"), got["chat"])
			assert.Equal(t, c.want.Text("Test"), got["answered"])
		})
	}
}

// TestTextFlags checks what goes together, and that what somebody types is text, whatever its octets are.
func TestTextFlags(t *testing.T) {
	at := newPlace(t)
	got := once(t, at.host("--text", "latin1")...)
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.err, "must be auto, utf16 or 8bit")
	got = once(t, at.host("--player", "", "--long-name", "Ann")...)
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.err, "--long-name names a player")
	assert.Equal(t, exitUsage, once(t, "doctor", "--text", "8bit", "x.pcap").status)
	assert.Equal(t, dpsp.Text("\uFFFDabc"), cli.Typed("\xFFabc"))
	f := flags.Text{}
	for guid, want := range map[string]wire.Encoding{"{1c8248c0-9772-11cf-b74f-00c0df413ed1}": wire.EightBit,
		"{fb69a260-5031-11d3-a2d4-006097ba6550}": wire.EightBit, "{6f1c8f5e-1111-4222-8333-000000000001}": wire.UTF16} {
		id, err := wire.ParseGUID(guid)
		require.NoError(t, err)
		assert.Equal(t, want, f.Of(id), guid)
	}
}
