package games

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestGames looks each game up in every way, and holds the table against itself.
func TestGames(t *testing.T) {
	called := map[string]string{}
	for _, g := range All() {
		for _, name := range []string{g.Title, g.Short} {
			assert.NotEmpty(t, name)
			if title, twice := called[bare(name)]; twice {
				assert.Equal(t, title, g.Title, "two games are called %s", name)
			}
			called[bare(name)] = g.Title
			found, ok := ByName(name)
			assert.True(t, ok, name)
			assert.Equal(t, g, found)
		}
		assert.Equal(t, bare(g.Short), g.Short, "as it is compared")
		found, ok := ByGUID(g.GUID)
		if g.GUID.IsZero() {
			assert.False(t, ok)
			assert.Empty(t, g.Source)
			continue
		}
		assert.True(t, ok)
		assert.Equal(t, g, found)
		assert.Equal(t, g.Title, Title(g.GUID))
		assert.NotEmpty(t, g.Source, "every GUID has its source")
		assert.Equal(t, g.StreamPorts == wire.Ports{}, g.DatagramPorts == wire.Ports{})
		assert.LessOrEqual(t, g.StreamPorts.First, g.StreamPorts.Last)
		assert.LessOrEqual(t, g.DatagramPorts.First, g.DatagramPorts.Last)
		assert.Equal(t, g.Text == wire.EightBit, Encodings()[g.GUID] == wire.EightBit)
	}
}

// TestNames has the same game by names that differ in what does not count, and others that are none.
func TestNames(t *testing.T) {
	for _, s := range []string{"Lords of the Realm II", "lords-of-the-realm-ii", "LOTR2"} {
		g, ok := ByName(s)
		assert.True(t, ok, s)
		assert.Equal(t, "{1c8248c0-9772-11cf-b74f-00c0df413ed1}", g.GUID.String(), "facts: a capture of two Windows machines")
	}
	for _, s := range []string{"", "-", "Chess"} {
		_, ok := ByName(s)
		assert.False(t, ok, s)
	}
	assert.Empty(t, Title(wire.GUID{1}))
}

// TestCopies: who changes what it was given changes nothing for others.
func TestCopies(t *testing.T) {
	All()[0].Title = "Mine"
	assert.NotEqual(t, "Mine", All()[0].Title)
	clear(Encodings())
	assert.NotEmpty(t, Encodings())
}
