package dpsp

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// TestAuditDue runs the first audit after a period, and one each period from then on.
func TestAuditDue(t *testing.T) {
	a := auditing{at: Never}
	var ran []time.Duration
	for now := 10 * time.Second; now <= 20*time.Second; now += time.Second {
		if a.due(now, 4*time.Second) {
			ran = append(ran, now/time.Second)
		}
	}
	assert.Equal(t, []time.Duration{14, 18}, ran)
	assert.Equal(t, 22*time.Second, a.at)
}

// TestAuditAgain acts on what differs in two audits running, and on nothing else.
func TestAuditAgain(t *testing.T) {
	var a auditing
	again := func(keys ...string) []string {
		var all []difference
		for _, k := range keys {
			all = append(all, difference{key: k})
		}
		var out []string
		for _, d := range a.again(all) {
			out = append(out, d.key)
		}
		return out
	}
	assert.Empty(t, again("c", "a"))
	assert.Equal(t, []string{"c", "a"}, again("c", "b", "a"), "in the order in which they can be put right")
	assert.Equal(t, []string{"b"}, again("b"))
	assert.Empty(t, again())
	assert.Empty(t, again("b"), "it was right in between")
}

// TestAuditRepairs has one member's list differ from the host's in every way. Two audits later both are equal again: of others'
// players and groups the host was right, of its own the member.
func TestAuditRepairs(t *testing.T) {
	type things struct {
		member, host         wire.PlayerID // their system players
		theirs, ours, others wire.PlayerID // players of the host, the member and another member
		group, mine, shown   wire.PlayerID // groups of the host, the member and the host; the first one shows the third one
	}
	for name, c := range map[string]struct {
		spoil func(x things) []playerlist.Op
		check func(t *testing.T, host *playerlist.List, x things)
	}{
		"a player that was missed": {func(x things) []playerlist.Op { return []playerlist.Op{playerlist.DeletePlayer{ID: x.theirs}} },
			func(t *testing.T, host *playerlist.List, x things) { assert.True(t, host.IsMember(x.group, x.theirs)) }},
		"a group that was missed": {func(x things) []playerlist.Op { return []playerlist.Op{playerlist.DeleteGroup{ID: x.group}} },
			func(t *testing.T, host *playerlist.List, x things) { assert.True(t, host.IsMember(x.group, x.ours)) }},
		"what nobody else has": {func(x things) []playerlist.Op {
			return []playerlist.Op{playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x7700, System: x.host}},
				playerlist.AddGroup{Entry: playerlist.Entry{ID: 0x7701, System: x.host}},
				playerlist.AddGroup{Entry: playerlist.Entry{ID: 0x7702, System: x.host, Parent: 0x7701}}}
		}, func(t *testing.T, host *playerlist.List, _ things) { assert.False(t, isPlayer(host, 0x7700)) }},
		"a machine that nobody else has": {func(things) []playerlist.Op {
			return []playerlist.Op{playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x7700, Flags: wire.PlayerSystem}},
				playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x7701, System: 0x7700}}}
		}, func(*testing.T, *playerlist.List, things) {}},
		"names and data of others": {func(x things) []playerlist.Op {
			return []playerlist.Op{playerlist.SetInfo{ID: x.theirs, ShortName: wire.NewText("old"), Data: []byte("old")},
				playerlist.SetName{ID: x.group, ShortName: wire.NewText("old")}, playerlist.SetData{ID: x.others, Data: []byte("old")}}
		}, func(t *testing.T, host *playerlist.List, x things) {
			p, _ := host.Get(x.theirs)
			assert.Equal(t, "host", p.ShortName.String())
		}},
		"names and data of ours": {func(x things) []playerlist.Op {
			return []playerlist.Op{playerlist.SetInfo{ID: x.ours, ShortName: wire.NewText("new"), Data: []byte("new")},
				playerlist.SetName{ID: x.mine, ShortName: wire.NewText("new")}}
		}, func(t *testing.T, host *playerlist.List, x things) {
			p, _ := host.Get(x.ours)
			g, _ := host.Get(x.mine)
			assert.Equal(t, "new new new", p.ShortName.String()+" "+string(p.Data)+" "+g.ShortName.String())
		}},
		"a player and a group of ours": {func(x things) []playerlist.Op {
			return []playerlist.Op{playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x7700, System: x.member}},
				playerlist.AddGroup{Entry: playerlist.Entry{ID: 0x7701, System: x.member}}}
		}, func(t *testing.T, host *playerlist.List, x things) {
			assert.Equal(t, 2, host.Count()-2, "the other member's player, and the new one")
			assert.True(t, isPlayer(host, 0x7700))
		}},
		"what we deleted": {func(x things) []playerlist.Op {
			return []playerlist.Op{playerlist.DeletePlayer{ID: x.ours}, playerlist.DeleteGroup{ID: x.mine}}
		}, func(t *testing.T, host *playerlist.List, x things) {
			_, player := host.System(x.ours)
			_, group := host.System(x.mine)
			assert.False(t, player || group)
		}},
		"who is in groups": {func(x things) []playerlist.Op {
			return []playerlist.Op{playerlist.RemoveMember{Group: x.group, Player: x.theirs},
				playerlist.AddMember{Group: x.group, Player: x.others}, playerlist.AddMember{Group: x.mine, Player: x.ours},
				playerlist.RemoveShortcut{Parent: x.group, Child: x.shown}, playerlist.AddShortcut{Parent: x.shown, Child: x.group}}
		}, func(t *testing.T, host *playerlist.List, x things) {
			assert.Equal(t, []wire.PlayerID{x.theirs, x.ours}, host.AppendMembers(nil, x.group))
			assert.Equal(t, []wire.PlayerID{x.ours}, host.AppendMembers(nil, x.mine), "who is ours")
			assert.Equal(t, []wire.PlayerID{x.shown}, host.AppendShortcuts(nil, x.group))
			assert.Empty(t, host.AppendShortcuts(nil, x.shown))
		}},
		"an id that two have": {func(x things) []playerlist.Op {
			return []playerlist.Op{playerlist.DeletePlayer{ID: x.others},
				playerlist.AddPlayer{Entry: playerlist.Entry{ID: x.others, System: x.member, ShortName: wire.NewText("mine")}}}
		}, func(t *testing.T, host *playerlist.List, x things) {
			p, _ := host.Get(x.others)
			assert.NotEqual(t, x.member, p.System)
			assert.Equal(t, 4, host.Count(), "ours has another id")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w, n, ids := session(t, migrating, 2, Config{})
			x := things{member: n[1].self, host: n[0].self, theirs: ids[0], ours: ids[1], others: ids[2], group: w.must(n[0], CreateGroup{}),
				mine: w.must(n[1], CreateGroup{}), shown: w.must(n[0], CreateGroup{})}
			for _, c := range []Command{AddToGroup{Player: x.theirs, Group: x.group}, AddToGroup{Player: x.ours, Group: x.group},
				AddShortcut{Child: x.shown, Parent: x.group}} {
				w.must(n[0], c)
			}
			w.run(w.now + 2*DefaultPeriod)
			n[1].program.apart = true // these changes give no event
			for _, op := range c.spoil(x) {
				_, err := n[1].list.Apply(op)
				require.NoError(t, err, "%T", op)
				if add, ok := op.(playerlist.AddPlayer); ok && add.Entry.Flags&wire.PlayerSystem != 0 {
					n[1].addPeer(add.Entry.ID, nil, wire.DX9, n[1].addr)
				}
			}
			require.NotEmpty(t, unequal(n[1].list, n[0].list))
			w.run(w.now + 5*DefaultPeriod)
			for _, p := range n[1:] {
				assert.Empty(t, unequal(p.list, n[0].list), p.name)
			}
			c.check(t, n[0].list, x)
		})
	}
}

// TestAuditKeepsGroups has groups differ in their parent, which no message changes, and a player in its flags. An audit keeps
// them, repairs their memberships, and then finds no difference.
func TestAuditKeepsGroups(t *testing.T) {
	w, n, ids := session(t, migrating, 2, Config{})
	group, shown, mine := w.must(n[0], CreateGroup{}), w.must(n[0], CreateGroup{}), w.must(n[1], CreateGroup{})
	w.must(n[0], AddToGroup{Player: ids[1], Group: group})
	w.must(n[0], AddToGroup{Player: ids[0], Group: group})
	w.run(w.now + 2*DefaultPeriod)
	n[1].program.apart = true // these changes give no event
	host, member := n[0].self, n[1].self
	for _, op := range []playerlist.Op{
		playerlist.DeleteGroup{ID: group}, playerlist.DeleteGroup{ID: mine}, playerlist.DeletePlayer{ID: ids[2]},
		playerlist.AddPlayer{Entry: playerlist.Entry{ID: ids[2], System: n[2].self, Flags: 1 << 16, ShortName: wire.NewText("peer2")}},
		playerlist.AddGroup{Entry: playerlist.Entry{ID: group, System: host, Parent: shown}},
		playerlist.AddGroup{Entry: playerlist.Entry{ID: mine, System: member, Parent: shown}},
		playerlist.AddMember{Group: group, Player: ids[0]}, playerlist.AddMember{Group: group, Player: ids[2]},
		playerlist.AddMember{Group: shown, Player: ids[2]}, playerlist.AddMember{Group: mine, Player: ids[1]},
		playerlist.AddShortcut{Parent: group, Child: mine},
	} {
		_, err := n[1].list.Apply(op)
		require.NoError(t, err, "%T", op)
	}
	w.run(w.now + 5*DefaultPeriod)
	for _, p := range n[:2] {
		assert.ElementsMatch(t, ids[:2], p.list.AppendMembers(nil, group), p.name)
		assert.Equal(t, ids[1:2], p.list.AppendMembers(nil, mine), p.name)
		assert.Empty(t, p.list.AppendMembers(nil, shown), p.name)
		assert.Empty(t, p.list.AppendShortcuts(nil, group), p.name)
	}
	g, _ := n[1].list.Get(group)
	assert.Equal(t, shown, g.Parent)
	assert.Empty(t, n[1].reconcile.audit.differed)
	assert.Equal(t, n[1].reconcile.comparison(), n[1].reconcile.audit.equal, "no audit compares the same lists again")
}

// unequal returns what differs in two lists, but for addresses: each machine has those at which it met the others.
func unequal(a, b *playerlist.List) []playerlist.Op {
	return slices.DeleteFunc(playerlist.Diff(a, b), func(op playerlist.Op) bool { _, ok := op.(playerlist.SetSPData); return ok })
}
