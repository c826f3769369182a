package dpsp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// listOf returns a list that operations made.
func listOf(t *testing.T, ops ...playerlist.Op) *playerlist.List {
	t.Helper()
	l, err := playerlist.New(playerlist.Session{Desc: wire.SessionDesc{Instance: wire.GUID{1}}})
	require.NoError(t, err)
	for _, op := range ops {
		_, err := l.Apply(op)
		require.NoError(t, err, "%+v", op)
	}
	return l
}

func addMachine(id wire.PlayerID) playerlist.Op {
	return playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, Flags: wire.PlayerSystem}}
}

func addPlayer(id, system wire.PlayerID, name string) playerlist.Op {
	return playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, System: system, ShortName: wire.NewText(name)}}
}

func addGroup(id, system wire.PlayerID) playerlist.Op {
	return playerlist.AddGroup{Entry: playerlist.Entry{ID: id, System: system, Flags: wire.PlayerGroup}}
}

// unequal returns what differs in two lists, but for addresses: each machine has those at which it met the others.
func unequal(a, b *playerlist.List) []playerlist.Op {
	return slices.DeleteFunc(playerlist.Diff(a, b), func(op playerlist.Op) bool { _, ok := op.(playerlist.SetSPData); return ok })
}

// moderns returns the peers of a machine that know the extension, in order of joining.
func moderns(n *node) (all []wire.PlayerID) {
	for _, p := range n.peers.all {
		if p.modern {
			all = append(all, p.system)
		}
	}
	return all
}
