package hostmigrate_test

import (
	"testing"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAdditionsRandom checks that all operations can be applied, that nothing of the first list goes away, that all of
// the second one is there then, and that a second time nothing is left to add.
func TestAdditionsRandom(t *testing.T) {
	added := 0
	for seed := range uint64(100) {
		r := seeded(seed)
		have, from := randomList(t, r, 200), randomList(t, r, 200)
		before := have.State()
		ops := hostmigrate.Additions(have, from, nil)
		require.Equal(t, before, have.State(), "neither list is changed")
		apply(t, have, ops...)
		added += len(ops)
		for _, e := range before.Entries {
			g, ok := have.Get(e.ID)
			require.True(t, ok)
			require.Equal(t, e.Added, g.Added)
		}
		for _, e := range from.State().Entries {
			g, ok := have.Get(e.ID)
			if !ok { // its owner's id is somebody else's here
				f, _ := have.Flags(e.System)
				require.Zero(t, f&wire.PlayerSystem)
				continue
			}
			if g.Group == e.Group {
				require.Equal(t, [][]byte{e.ShortName, e.LongName, e.Data, e.SPData}, [][]byte{g.ShortName, g.LongName, g.Data, g.SPData})
			}
		}
		for _, k := range before.Links {
			require.Contains(t, links(have), [2]wire.PlayerID{k.Group, k.Member})
		}
		require.Empty(t, hostmigrate.Additions(have, from, nil), "seed %d", seed)
	}
	assert.Greater(t, added, 500)
}

func links(l *playerlist.List) (all [][2]wire.PlayerID) {
	for _, k := range l.State().Links {
		all = append(all, [2]wire.PlayerID{k.Group, k.Member})
	}
	return all
}

// TestAdditionsKeep checks what is left out, and what becomes of what needs it.
func TestAdditionsKeep(t *testing.T) {
	have, from := newList(t), newList(t)
	host := system(3)
	host.Flags |= wire.PlayerNameServer
	apply(t, have, playerlist.AddPlayer{Entry: system(4)})
	apply(t, from,
		playerlist.AddPlayer{Entry: host}, playerlist.AddPlayer{Entry: system(4)},
		playerlist.AddPlayer{Entry: playerlist.Entry{ID: 10, System: 3}},
		playerlist.AddPlayer{Entry: playerlist.Entry{ID: 11, System: 4}},
		playerlist.AddGroup{Entry: playerlist.Entry{ID: 20, System: 3}},
		playerlist.AddGroup{Entry: playerlist.Entry{ID: 21, System: 4, Parent: 20}},
		playerlist.AddMember{Group: 20, Player: 11}, playerlist.AddMember{Group: 21, Player: 10},
		playerlist.AddMember{Group: 21, Player: 11})
	ops := hostmigrate.Additions(have, from, func(id wire.PlayerID) bool { s, _ := from.System(id); return s != 3 })
	apply(t, have, ops...)
	assert.Equal(t, []wire.PlayerID{4, 11}, have.AppendPlayers(nil))
	assert.Equal(t, []wire.PlayerID{21}, have.AppendGroups(nil))
	g, _ := have.Get(21)
	assert.Zero(t, g.Parent, "its parent was not kept")
	assert.Equal(t, []wire.PlayerID{11}, have.AppendMembers(nil, 21))

	apply(t, have, hostmigrate.Additions(have, from, nil)...)
	assert.Zero(t, have.Host(), "who is host is not for Additions to say")
	assert.ElementsMatch(t, links(from), links(have))
	assert.Nil(t, hostmigrate.Additions(nil, from, nil))
	assert.Nil(t, hostmigrate.Additions(have, nil, nil))
}
