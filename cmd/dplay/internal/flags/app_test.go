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
		assert.False(t, a.Given())
		require.NoError(t, a.Set(g.Title))
		assert.Equal(t, g.GUID, a.GUID)
		assert.Equal(t, g.Flags, a.SessionFlags())
		assert.Regexp(t, `\b`+g.Short+`\b`, help)
	}
	var a App
	assert.ErrorContains(t, a.Set("Chess"), `no game is known by this name; "dplay games" lists them`)
	assert.ErrorContains(t, a.Set("agee of empires"), `did you mean "ageofempires"?`)
	assert.ErrorContains(t, a.Set("empires"), "did you mean aoe for Age of Empires, aoe2 for")
	assert.False(t, a.Given())
	assert.NoError(t, a.Set(wire.GUID{}.String()), "of games without a GUID of their own")
	assert.True(t, a.Given())
	assert.Zero(t, a.SessionFlags(), "several kinds of games have it")
}
