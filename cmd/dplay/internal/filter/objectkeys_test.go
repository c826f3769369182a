package filter

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// TestObjectKeys holds the keys that the filter knows to stand in an object against the golden files of all messages.
func TestObjectKeys(t *testing.T) {
	have := map[string][]string{}
	var walk func(in string, v any)
	walk = func(in string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if k != "encoding" && k != "stray" {
					have[in] = append(have[in], k)
					if k != "message" { // it has the keys of all
						walk(k, e)
					}
				}
			}
		case []any:
			for _, e := range v {
				walk(in, e)
			}
		}
	}
	take := func(r *captures.Record) {
		reader := newReader()
		fields := reader.read(r)
		for k, v := range fields["message"].(map[string]any) {
			have["message"] = append(have["message"], k)
			if k != "message" { // one in the message, which has the keys of all
				walk(k, v)
			}
		}
		walk("header", fields["header"])
	}
	read := func(b []byte) {
		r := &captures.Record{Raw: b}
		var d wire.Decoder
		var err error
		if wire.LooksLikeSPHeader(b) {
			r.Envelope, err = d.DecodeStream(b)
			r.Base = wire.SPHeaderSize
		} else {
			r.Envelope, err = d.DecodeBare(b)
		}
		require.NoError(t, err)
		take(r)
	}
	files, err := filepath.Glob("../../../../wire/testdata/golden/*.hex")
	require.NoError(t, err)
	require.Greater(t, len(files), 49)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		read(octetsOf(t, text))
	}
	for _, digits := range []string{"01023001010100", "0102020101000000000000000000", "010282200101000000000000000055"} {
		b, err := hex.DecodeString(digits)
		require.NoError(t, err)
		frame, err := reliable.Decode(b)
		require.NoError(t, err)
		take(&captures.Record{Raw: b, Frame: &frame})
	}
	for in, want := range objectKeys {
		if in == "*" {
			continue
		}
		slices.Sort(have[in])
		assert.Equal(t, slices.Compact(have[in]), want, in)
	}
	for _, in := range []string{"message", "header", "session_desc", "players", "player_info", "reliable_frame"} {
		assert.Contains(t, objectKeys, in)
	}
}
