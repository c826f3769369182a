package games

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestGames checks the table of games, and the ways to write a name.
func TestGames(t *testing.T) {
	lotr := "{1c8248c0-9772-11cf-b74f-00c0df413ed1}" // facts: a capture of two Windows machines
	for _, s := range []string{lotr, strings.ToUpper(lotr[1:37]), "Lords of the Realm II", "lords-of-the-realm-ii", "LOTR2"} {
		g, err := Parse(s)
		require.NoError(t, err, s)
		assert.Equal(t, lotr, g.String())
	}
	assert.Equal(t, "Lords of the Realm II", Title(mustParse(t, lotr)))
	assert.Empty(t, Title(wire.GUID{}))
	help := Help()
	for _, g := range All {
		assert.Contains(t, help, g.Title)
		_, err := Parse(g.Title)
		if g.GUID == "" {
			assert.ErrorContains(t, err, "the GUID of "+g.Title+" is needed")
			assert.Empty(t, g.Source)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, g.GUID, mustParse(t, g.GUID).String(), "written as everywhere")
		assert.Contains(t, help, g.GUID)
		assert.NotEmpty(t, g.Source, "every GUID has its source")
		assert.Contains(t, help, g.Source)
	}
}

func mustParse(t *testing.T, s string) wire.GUID {
	t.Helper()
	g, err := Parse(s)
	require.NoError(t, err)
	return g
}
