package filter

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/show"
	"dplay4/wire"
	"dplay4/wire/dpl8"
	"dplay4/wire/reliable"
)

// octetsOf returns the octets of a golden file.
func octetsOf(t *testing.T, text []byte) []byte {
	t.Helper()
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err)
	return b
}

// TestMessageKeys holds the keys that a filter may name against the fields of every message that package wire has a
// golden file of, and of those of [MC-DPL8CS] that the extension carries.
func TestMessageKeys(t *testing.T) {
	var have []string
	visit := func(f *wire.Field) {
		if f.Kind != wire.KindEnd {
			have = append(have, show.Snake(f.Name))
		}
	}
	files, err := filepath.Glob("../../../../wire/testdata/golden/*.hex")
	require.NoError(t, err)
	require.Greater(t, len(files), 49)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		b := octetsOf(t, text)
		d := wire.Decoder{Visitor: visit}
		if wire.HasSignature(b) {
			_, _, err = d.DecodeMessage(b)
		} else if wire.LooksLikeSPHeader(b) {
			_, err = d.DecodeStream(b)
		} else {
			_, err = d.DecodeBare(b)
		}
		require.NoError(t, err, name)
	}
	for _, f := range []string{"01023001010100", "0102020101000000000000000000", "010282200101000000000000000055"} {
		b, err := hex.DecodeString(f)
		require.NoError(t, err)
		_, err = reliable.Visit(b, visit)
		require.NoError(t, err, f)
	}
	tables, err := filepath.Glob("../../../../wire/dpl8/testdata/golden/*.hex")
	require.NoError(t, err)
	require.Greater(t, len(tables), 31)
	for _, name := range tables {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		_, err = dpl8.Visit(octetsOf(t, text), visit)
		require.NoError(t, err, name)
	}
	have = append(have, "op_octets", "round", "gone", "dialect", "encoding", "reliable_frame", "stray", "offset", "octets",
		"value", "names", "name")
	slices.Sort(have)
	have = slices.Compact(have)
	assert.Equal(t, have, messageKeys)
}
