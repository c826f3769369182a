package probe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/wire"
)

// TestMoreOfOwnGame names a game of the user's own by its GUID if it has no short name.
func TestMoreOfOwnGame(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	path, err := gamelist.Path()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	const guid = "{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}"
	require.NoError(t, os.WriteFile(path, []byte("[[game]]\nname = \"Monsters II\"\nguid = \""+guid+"\"\n"), 0o600))
	app, err := wire.ParseGUID(guid)
	require.NoError(t, err)
	assert.Equal(t, `"dplay doctor --live --app `+guid+` 192.0.2.7" says more`, New(Options{App: app}).more("192.0.2.7"))
}
