package flags

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/games"
	"dplay4/wire"
)

// TestApp takes games by GUID and by name, and checks that help has what is known of them.
func TestApp(t *testing.T) {
	lotr := "{1c8248c0-9772-11cf-b74f-00c0df413ed1}"
	for _, s := range []string{lotr, strings.ToUpper(lotr[1:37]), "Lords of the Realm II", "LOTR2"} {
		var a App
		require.NoError(t, a.Set(s), s)
		assert.Equal(t, lotr, a.GUID.String())
		assert.Equal(t, s, a.String())
	}
	help := AppHelp()
	for _, g := range games.All() {
		var a App
		assert.Contains(t, help, g.Title)
		if g.GUID.IsZero() {
			assert.ErrorContains(t, a.Set(g.Title), "the GUID of "+g.Title+" is needed")
			continue
		}
		require.NoError(t, a.Set(g.Title))
		assert.Equal(t, g.GUID, a.GUID)
		assert.Contains(t, help, g.GUID.String())
		assert.Contains(t, help, g.Source)
	}
	var a App
	assert.ErrorContains(t, a.Set("Chess"), "only lotr2 for Lords of the Realm II, aoe for")
	assert.ErrorContains(t, a.Set(wire.GUID{}.String()), "is no game's GUID")
	assert.Zero(t, a.GUID)
}
