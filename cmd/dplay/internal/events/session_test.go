package events

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// TestFlagWords checks that each flag that has a name has a word, and the words of some sessions.
func TestFlagWords(t *testing.T) {
	var all wire.SessionFlags
	seen := map[string]bool{}
	for _, w := range FlagWords {
		all |= w.Flag
		assert.False(t, seen[w.Word], w.Word)
		seen[w.Word] = true
	}
	_, named := cli.FlagNames(cli.AllSession)
	for name, flag := range named {
		assert.NotZero(t, all&flag, name)
		all &^= flag
	}
	assert.Zero(t, all, "a word for a flag without a name")
	for want, d := range map[string]wire.SessionDesc{
		"":                          {},
		"full":                      {MaxPlayers: 2, CurrentPlayers: 2, Flags: wire.SessionPasswordRequired},
		"closed, outlives its host": {MaxPlayers: 2, CurrentPlayers: 1, Flags: wire.SessionMigrateHost | wire.SessionJoinDisabled},
		"any order, 0x80000002":     {Flags: wire.SessionNoPreserveOrder | 1<<31 | 2, CurrentPlayers: 9},
	} {
		assert.Equal(t, want, FlagsInWords(&d))
	}
}
