package browse

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp/games"
	"dplay4/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "differs from %s; -rewrite writes it anew", path)
}

// An object is one of JSON.
type object = map[string]any

// lotr2 is the GUID of a game that is known by name.
func lotr2(t *testing.T) wire.GUID {
	t.Helper()
	g, ok := games.ByName("lotr2")
	require.True(t, ok)
	return g.GUID
}

// A brokenWriter takes nothing.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }
