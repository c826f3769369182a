package main

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/madeup"
	"dplay4/wire"
)

// TestHexText decodes pasted text from a file and from standard input, beside captures.
func TestHexText(t *testing.T) {
	text := hex.Dump(madeup.System(2300, &wire.Ping{From: 7, Tick: 77}))
	file := filepath.Join(t.TempDir(), "paste.txt")
	require.NoError(t, os.WriteFile(file, []byte("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")), 0o600))
	const ping = "192.0.2.1:2350        > 192.0.2.2:2350         UDP  PING"
	got := dplay(t, "decode", "-q", file)
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Contains(t, got.out, ping)
	got = dplayFrom(t, strings.NewReader(text+text), "decode", "--format", "ndjson", "-")
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Equal(t, 2, strings.Count(got.out, `"tick_count":77`), got.out)
	got = dplayFrom(t, strings.NewReader(hex.EncodeToString(madeup.Bare(1, 2, "0123456789"))), "decode", lab(t, "04"), "-")
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Contains(t, got.out, "PLAYERMESSAGE from=0x00000001 to=0x00000002 payload=10 octets")

	got = dplayFrom(t, strings.NewReader("34 00\n34 0g\n"), "decode", "-")
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, `dplay: standard input: line 2, column 4: "0g" is no hexadecimal octet`)
	assert.Empty(t, got.out)
	got = dplayFrom(t, strings.NewReader("no hex at all\n"), "decode", "-")
	assert.Contains(t, got.err, "not a pcap or pcapng file")
	section := []byte{'\n', '\r', '\r', '\n', 0, 0}
	got = dplayFrom(t, bytes.NewReader(section), "decode", "-")
	assert.NotContains(t, got.err, "hexadecimal", "the magic number of pcapng")
}
