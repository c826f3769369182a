package playerlist

import (
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

// audit counts everything in a list anew and compares it with what the list keeps.
func audit(t testing.TB, l *List) {
	t.Helper()
	var octets, links, normal int
	owned, children := map[wire.PlayerID]int32{}, map[wire.PlayerID]int32{}
	held, linked := map[wire.PlayerID]int{}, map[wire.PlayerID]int{}
	in := map[wire.PlayerID]map[wire.PlayerID]bool{}
	all := 0
	for _, c := range []*chain{&l.players, &l.groups} {
		var prev *row
		n := 0
		for r := c.first; r != nil; prev, r = r, r.next {
			n++
			if l.rows[r.id] != r || r.prev != prev || (r.group != nil) != (c == &l.groups) || r.added > l.version ||
				prev != nil && prev.added >= r.added {
				require.Fail(t, "a row is not by its id, in its chain, of its kind or in the order of joining", "%+v", r)
			}
			octets += r.octets()
			held[r.system] += r.octets()
			if !r.isSystem() {
				owned[r.system]++
				if owner := l.rows[r.system]; !owner.isSystem() || owner.added >= r.added {
					require.Fail(t, "the owner is no system player, or no older", "%v", r.id)
				}
				if r.group == nil {
					normal++
				}
			} else {
				require.Equal(t, r.id, r.system)
			}
			if r.group != nil {
				if r.group.parent != 0 {
					children[r.group.parent]++
					require.NotNil(t, l.rows[r.group.parent].group, "%v: parent", r.id)
					require.Less(t, l.rows[r.group.parent].added, r.added, "%v is younger than its parent", r.id)
				}
				for i, list := range [][]link{r.group.members, r.group.shortcuts} {
					last := r.added
					for _, k := range list {
						links++
						linked[r.system]++
						if in := l.rows[k.id]; in == nil || (in.group != nil) != (i == 1) || k.version <= last {
							require.Fail(t, "a link is to nothing, of the wrong kind or in the wrong order", "%v in %v", k.id, r.id)
						}
						last = k.version
						if in[k.id] == nil {
							in[k.id] = map[wire.PlayerID]bool{}
						}
						if in[k.id][r.id] {
							require.Fail(t, "a link is there twice", "%v in %v", k.id, r.id)
						}
						in[k.id][r.id] = true
					}
				}
			}
		}
		require.Same(t, prev, c.last)
		require.Equal(t, n, c.n)
		all += n
	}
	require.Len(t, l.rows, all)
	for id, r := range l.rows {
		if owned[id] != r.owned || held[id] != r.held || linked[id] != r.linked || len(in[id]) != len(r.in) {
			require.Fail(t, "counts of a row are wrong", "%v: %+v, want %d, %d, %d and %d", id, r, owned[id], held[id], linked[id], len(in[id]))
		}
		for _, g := range r.in {
			if !in[id][g] {
				require.Fail(t, "a group does not have a member", "%v: is in %v", id, g)
			}
		}
		if r.group != nil {
			require.Equal(t, children[id], r.group.children, "%v: children", id)
		}
		if r.flags&(wire.PlayerInGroup|wire.PlayerLocal|wire.PlayerNameServer) != 0 {
			require.Fail(t, "a flag is stored that is computed", "%v: %v", id, r.flags)
		}
	}
	require.Equal(t, octets+l.session.octets(), l.octets)
	require.Equal(t, links, l.links)
	require.Equal(t, normal, l.normal)
	require.Equal(t, uint32(normal), l.Session().Desc.CurrentPlayers)
	if l.host != nil {
		require.Same(t, l.rows[l.host.id], l.host)
		require.True(t, l.host.isSystem())
	}
	auditLog(t, l)
}

func auditLog(t testing.TB, l *List) {
	t.Helper()
	octets := 0
	for _, op := range l.log.ops {
		octets += logOpOctets + op.octets()
	}
	require.Equal(t, octets, l.log.octets)
	require.LessOrEqual(t, octets, MaxLogOctets)
	require.LessOrEqual(t, len(l.log.ops), MaxLogOps)
	require.LessOrEqual(t, uint32(len(l.log.ops)), l.version)
	require.LessOrEqual(t, len(l.rows), MaxRows)
	require.LessOrEqual(t, l.links, MaxLinks)
	require.LessOrEqual(t, l.octets, MaxOctets)
}

// testSession is a session for lists whose description does not matter.
func testSession() Session {
	return Session{
		Desc: wire.SessionDesc{
			Flags: wire.SessionMigrateHost | wire.SessionKeepAlive, Instance: wire.GUID{1, 2, 3}, Application: wire.GUID{4, 5, 6},
			MaxPlayers: 8, Reserved1: 0x000284CB, User: [4]uint32{1, 2, 3, 4},
		},
		Name: wire.NewText("Session"), Password: wire.NewText("secret"),
	}
}

// newList returns an empty list.
func newList(t testing.TB) *List {
	t.Helper()
	l, err := New(testSession())
	require.NoError(t, err)
	return l
}

// apply does operations that must not be refused.
func apply(t testing.TB, l *List, ops ...Op) {
	for _, op := range ops {
		if _, err := l.Apply(op); err != nil {
			t.Helper() // here, because it costs more than Apply
			require.NoError(t, err, "%T %+v", op, op)
		}
	}
}

// system, player and group give operations that add one, without names and data.
func system(id wire.PlayerID) Op {
	return AddPlayer{Entry{ID: id, Flags: wire.PlayerSystem, Dialect: uint32(wire.DX9)}}
}

func player(id, owner wire.PlayerID) Op { return AddPlayer{Entry{ID: id, System: owner}} }

func aGroup(id, owner wire.PlayerID) Op {
	return AddGroup{Entry{ID: id, System: owner, Flags: wire.PlayerGroup}}
}

// sample is a session with two machines, three players and three groups.
//
//	10 host, owns players 11 and 12 and groups 20 (with 21 created in it) and 21; 30 a second machine, owns player
//	31 and group 32. 11 and 31 are in 20; 31 is in 32; 20 shows 32.
func sample(t testing.TB) *List {
	t.Helper()
	l := newList(t)
	apply(t, l,
		AddPlayer{Entry{ID: 10, Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: 14, SPData: spData(0, 0, 0, 0)}},
		player(11, 10),
		aGroup(20, 10),
		system(30),
		AddGroup{Entry{ID: 21, System: 10, Parent: 20, ShortName: wire.NewText("child")}},
		AddPlayer{Entry{ID: 31, System: 30, ShortName: wire.NewText("Nobleman"), LongName: wire.NewText8("Long"),
			SPData: spData(10, 0, 0, 3), Data: []byte{1, 2, 3}}},
		aGroup(32, 30),
		player(12, 10),
		AddMember{20, 11}, AddMember{20, 31}, AddMember{32, 31},
		AddShortcut{20, 32},
	)
	audit(t, l)
	return l
}

// spData is the service provider data of a machine with ports 2300 and 2350.
func spData(a, b, c, d byte) []byte {
	return wire.SPData{
		Stream:   wire.SockAddr{Family: wire.FamilyINet, Port: 2300, Addr: [4]byte{a, b, c, d}},
		Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2350, Addr: [4]byte{a, b, c, d}},
	}.Append(nil)
}
