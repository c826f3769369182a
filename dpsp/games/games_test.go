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
			if title, twice := called[Bare(name)]; twice {
				assert.Equal(t, title, g.Title, "two games are called %s", name)
			}
			called[Bare(name)] = g.Title
			found, ok := ByName(name)
			assert.True(t, ok, name)
			assert.Equal(t, g, found)
		}
		assert.Equal(t, Bare(g.Short), g.Short, "as it is compared")
		found, ok := All().ByGUID(g.GUID)
		assert.NotEmpty(t, g.Source, "every line has its source")
		if g.GUID.IsZero() {
			assert.False(t, ok)
			assert.NotEmpty(t, g.Note, "why it has none")
			continue
		}
		assert.True(t, ok)
		assert.Equal(t, g, found)
		assert.Equal(t, g.Title, All().Title(g.GUID))
		assert.Equal(t, g.StreamPorts == wire.Ports{}, g.DatagramPorts == wire.Ports{})
		assert.LessOrEqual(t, g.StreamPorts.First, g.StreamPorts.Last)
		assert.LessOrEqual(t, g.DatagramPorts.First, g.DatagramPorts.Last)
		assert.Equal(t, g.Text == wire.EightBit, All().Encodings()[g.GUID] == wire.EightBit)
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
	assert.Empty(t, All().Title(wire.GUID{1}))
}

// TestCopies: who changes what it was given changes nothing for others.
func TestCopies(t *testing.T) {
	All()[0].Title = "Mine"
	assert.NotEqual(t, "Mine", All()[0].Title)
	clear(All().Encodings())
	assert.NotEmpty(t, All().Encodings())
}

// TestFlagWords holds the flags of sessions and searches against the numbers that the sources give.
func TestFlagWords(t *testing.T) {
	for short, want := range map[string]wire.SessionFlags{
		"anno1602": 0x44, "descent3": 0xB040, "forsaken": 0x2044, "loco": 0xA040, "lotr2": 0x44, "midtown": 0x44, "shc": 0xA044,
		"7kaa": 0xC0, "blitz3d": 0xA04C, "thrust": 0xB040, "ta": 0,
	} {
		g, ok := ByName(short)
		assert.True(t, ok, short)
		assert.Equal(t, want, g.Flags, short)
	}
	for short, want := range map[string]wire.EnumFlags{"aoe": 1, "aoe2": 0x11, "shc": 0x91, "shce": 0x91, "7kaa": 0x11, "ta": 0} {
		g, _ := ByName(short)
		assert.Equal(t, want, g.Asking, short)
	}
}

// TestOwnFirst puts a user's games before those of the table: theirs count, by name, by GUID and for the text.
func TestOwnFirst(t *testing.T) {
	lotr, _ := ByName("lotr2")
	own := append(List{{Title: "My Realm", GUID: lotr.GUID}, {Title: "Anno 1602", GUID: wire.GUID{7}, Text: wire.EightBit}}, All()...)
	assert.Equal(t, "My Realm", own.Title(lotr.GUID))
	anno, ok := own.ByName("anno-1602")
	assert.True(t, ok)
	assert.Equal(t, wire.GUID{7}, anno.GUID)
	assert.Equal(t, "Anno 1602", own.Title(wire.GUID{7}))
	text := own.Encodings()
	assert.NotContains(t, text, lotr.GUID, "theirs writes UTF-16")
	assert.Equal(t, wire.EightBit, text[wire.GUID{7}])
	_, ok = own.ByName("")
	assert.False(t, ok, "a game without a short name is not called by none")
	_, ok = own.ByGUID(wire.GUID{})
	assert.False(t, ok)
}
