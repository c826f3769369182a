package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// TestBySeniority puts machines into the order of a replica that knows others, and not all.
func TestBySeniority(t *testing.T) {
	list := listOf(t, addMachine(5), addMachine(9), addMachine(7), addMachine(3), addPlayer(20, 5, "no machine"))
	replica := listOf(t, addMachine(7), addMachine(4), addMachine(5))
	assert.Equal(t, []wire.PlayerID{7, 5, 3, 9}, bySeniority(list, replica))
	assert.Equal(t, []wire.PlayerID{3, 5, 7, 9}, bySeniority(list, nil))
	assert.Equal(t, []wire.PlayerID{5, 9, 7, 3}, bySeniority(list, list))
	assert.Empty(t, bySeniority(listOf(t), replica))
	_, err := replica.Apply(playerlist.DeletePlayer{ID: 7})
	assert.NoError(t, err)
	assert.Equal(t, []wire.PlayerID{5, 3, 7, 9}, bySeniority(list, replica), "one that was removed and is here has joined last")
}

// TestWhoIsInTheRoster asks who knows the extension, and who was passed over.
func TestWhoIsInTheRoster(t *testing.T) {
	var r roster
	assert.Empty(t, r.moderns())
	assert.Empty(t, r.passed())
	all := []peer{{system: 7, modern: true}, {system: 3, passed: true}, {system: 5, modern: true, passed: true}, {system: 4}}
	for i, p := range all {
		p.stream = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 2300)
		r.add(&p)
	}
	assert.Equal(t, []wire.PlayerID{7, 5}, r.moderns(), "in order of joining")
	assert.Equal(t, []wire.PlayerID{3, 5}, r.passed())
}

// TestRuleOfANewcomer: one that has no name table yet, and hears somebody lead, takes that rule for everybody's only if all others may
// know it: who bears no mark does not, though it was never greeted.
func TestRuleOfANewcomer(t *testing.T) {
	for _, c := range []struct {
		marked  bool
		ignored int
		want    hostmigrate.Rule
	}{
		{true, 0, hostmigrate.Modern}, {true, 1, hostmigrate.DPlay4}, {false, 0, hostmigrate.DPlay4},
	} {
		e := New(Config{})
		e.peers.add(&peer{system: 4, modern: true, heard: true})
		e.peers.add(&peer{system: 5, heard: true, marked: c.marked, ignored: c.ignored})
		table := hostmigrate.NewTable(hostmigrate.Config{Self: 6, Rule: hostmigrate.Modern})
		e.reconcile.table = table
		table.Begin(0, 3, 4, nil)
		assert.Equal(t, hostmigrate.DPlay4, e.migration.rule(), "nobody has said yet that it leads")
		leads, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: 3, NewHost: 4})
		require.NoError(t, err)
		require.NoError(t, table.Receive(0, 4, leads))
		require.True(t, table.Greeted())
		assert.Equal(t, c.want, e.migration.rule(), "%+v", c)
	}
}
