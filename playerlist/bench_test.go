package playerlist

import (
	"runtime"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// session8 is a session as a host has it: 8 machines with a named player each, a group with all of them, and the ids.
func session8(tb testing.TB) (*List, *IDs) {
	l := newList(tb)
	i := NewIDs(0x000284CB, 1)
	reserve := func() wire.PlayerID {
		id, err := i.Reserve()
		require.NoError(tb, err)
		i.Hold(id)
		return id
	}
	var group wire.PlayerID
	for n := range byte(8) {
		e := Entry{ID: reserve(), Flags: wire.PlayerSystem, Dialect: 14, SPData: spData(10, 0, 0, n)}
		if n == 0 {
			e.Flags |= wire.PlayerNameServer
		}
		p := Entry{ID: reserve(), System: e.ID, ShortName: wire.NewText8("Nobleman"), LongName: wire.NewText8("Nobleman the Eighth"),
			SPData: spData(10, 0, 0, n)}
		apply(tb, l, AddPlayer{e}, AddPlayer{p})
		if n == 0 {
			group = reserve()
			apply(tb, l, aGroup(group, e.ID))
		}
		apply(tb, l, AddMember{group, p.ID})
	}
	return l, i
}

// perSession is what a session of session8 takes in memory.
func perSession(tb testing.TB) (octets float64) {
	const n = 1000
	lists, allocators := make([]*List, n), make([]*IDs, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range lists {
		lists[i], allocators[i] = session8(tb)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(lists)
	runtime.KeepAlive(allocators)
	return float64(after.HeapAlloc-before.HeapAlloc) / n
}

// BenchmarkSession8 measures what a host of many sessions pays for each: 8 machines and players, with log and ids.
func BenchmarkSession8(b *testing.B) {
	var octets float64
	for b.Loop() {
		octets = perSession(b)
	}
	b.ReportMetric(octets, "B/session")
	b.ReportMetric(0, "ns/op")
}

// TestSession8Memory holds the promise of the package documentation.
func TestSession8Memory(t *testing.T) {
	assert.Less(t, perSession(t), 12_000.0)
}

func BenchmarkApply(b *testing.B) {
	l, _ := session8(b)
	system := l.Host()
	e := Entry{ID: 5, System: system, ShortName: wire.NewText("Nobleman"), SPData: spData(10, 0, 0, 1)}
	b.ReportAllocs()
	for b.Loop() {
		_, err := l.Apply(AddPlayer{e})
		if err == nil {
			_, err = l.Apply(DeletePlayer{5})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	l, _ := session8(b)
	all := l.AppendPlayers(nil)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, ok := l.System(all[n%len(all)]); !ok {
			b.Fatal("not there")
		}
	}
}

func BenchmarkGet(b *testing.B) {
	l, _ := session8(b)
	all := l.AppendPlayers(nil)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, ok := l.Get(all[n%len(all)]); !ok {
			b.Fatal("not there")
		}
	}
}

func BenchmarkSuperEnumPlayersReply(b *testing.B) {
	l, _ := session8(b)
	v := View{Sender: l.Host(), Newcomer: l.AppendSystems(nil)[7]}
	b.ReportAllocs()
	for b.Loop() {
		l.SuperEnumPlayersReply(v)
	}
}

func BenchmarkFromSuperEnumPlayersReply(b *testing.B) {
	l, _ := session8(b)
	v := View{Sender: l.Host(), Newcomer: l.AppendSystems(nil)[7]}
	m := l.SuperEnumPlayersReply(v)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromSuperEnumPlayersReply(m, v.Newcomer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReserve(b *testing.B) {
	i := NewIDs(0x000284CB, 1)
	for range 1000 {
		_, err := i.Reserve()
		require.NoError(b, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		id, err := i.Reserve()
		if err != nil || !i.Free(id) {
			b.Fatal(err)
		}
	}
}

// TestLookupsDoNotAllocate checks the lookups that an engine makes for every message.
func TestLookupsDoNotAllocate(t *testing.T) {
	l, _ := session8(t)
	id, group := l.Host(), l.AppendGroups(nil)[0]
	dst := make([]wire.PlayerID, 0, 100)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		l.System(id)
		l.Flags(id)
		l.Kind(id)
		l.IsMember(group, id)
		l.Lowest(id)
		l.Count()
		dst = l.AppendMembers(dst[:0], group)
		dst = l.AppendPlayers(dst[:0])
		dst = l.AppendSystems(dst[:0])
	}))
}
