package playerlist

import (
	"testing"

	"dplay4/internal/testkit"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIDsOfWindows makes the ids of two Windows machines (facts, real-captures).
func TestIDsOfWindows(t *testing.T) {
	i := NewIDs(0x000284CB, 1)
	for _, want := range ids(0x000384CB, 0x000384CA, 0x000384C9, 0x000384C8) {
		id, err := i.Reserve()
		require.NoError(t, err)
		assert.Equal(t, want, id)
		assert.True(t, i.Reserved(id))
		i.Hold(id)
		assert.False(t, i.Reserved(id))
	}
	used, reserved := i.Len()
	assert.Equal(t, [2]int{4, 0}, [2]int{used, reserved})
}

// TestIDsReuse follows one index through holding, freeing and using again.
func TestIDsReuse(t *testing.T) {
	i := NewIDs(0, 1)
	reserve := func(want wire.PlayerID) {
		t.Helper()
		id, err := i.Reserve()
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
	reserve(0x10000)
	reserve(0x10001)
	reserve(0x10002)
	assert.True(t, i.Free(0x10001), "a reserved id that nobody came for")
	assert.False(t, i.Free(0x10001), "twice")
	assert.False(t, i.Reserved(0x10001))
	reserve(0x20001)
	i.Hold(0x10000)
	i.Hold(0x10000)
	used, reserved := i.Len()
	assert.Equal(t, [2]int{3, 2}, [2]int{used, reserved})
	assert.True(t, i.Free(0x10000))
	assert.False(t, i.Free(0x10000))
	reserve(0x20000)
	reserve(0x10003)
	assert.False(t, i.Free(0x99999))
}

// TestIDsForeign has ids that other hosts made any other way: they keep their index busy, alone or together.
func TestIDsForeign(t *testing.T) {
	i := NewIDs(0, 1)
	i.Hold(0x19A90000) // index 0
	i.Hold(0x12340000) // the same
	i.Hold(0x56780000)
	i.Hold(0x00001337)
	id, _ := i.Reserve()
	assert.Equal(t, wire.PlayerID(0x10001), id)
	i.Free(0x12340000)
	i.Free(0x19A90000)
	id, _ = i.Reserve()
	assert.Equal(t, wire.PlayerID(0x10002), id, "one id with index 0 is left")
	i.Free(0x56780000)
	id, _ = i.Reserve()
	assert.Equal(t, wire.PlayerID(0x12350000), id, "above the first one that was freed")
	i.Free(0x12350000)
	i.Hold(0x12360000) // somebody made the id that would be next
	i.Free(0x12360000)
	id, _ = i.Reserve()
	assert.Equal(t, wire.PlayerID(0x12370000), id)
}

// TestIDsSpecial picks masks under which the first id would be 0, 1 or 0xffffffff.
func TestIDsSpecial(t *testing.T) {
	for _, special := range ids(wire.IDAll, wire.IDServer, wire.IDUnknown) {
		i := NewIDs(uint32(special)^0x00010000, 1)
		id, err := i.Reserve()
		require.NoError(t, err)
		assert.Equal(t, special^0x00030000, id, "unique 2 instead of 1")
		i.Free(id)
		id, _ = i.Reserve()
		assert.Equal(t, special^0x00020000, id, "then 3")
	}
}

// TestIDsExhausted uses all 65,536 indexes, and one of them more often than there are unique parts.
func TestIDsExhausted(t *testing.T) {
	for _, mask := range []uint32{0, 0x000284CB, 0xFFFEFFFF, 0xFFFFFFFF} {
		i := NewIDs(mask, 0xFFFE)
		seen := make(map[wire.PlayerID]bool, 65536)
		for range 65536 {
			id, err := i.Reserve()
			if err != nil || seen[id] || id == wire.IDAll || id == wire.IDServer || id == wire.IDUnknown {
				t.Fatalf("mask %#x: %v, %v", mask, id, err)
			}
			seen[id] = true
		}
		_, err := i.Reserve()
		require.ErrorIs(t, err, ErrFull)
		id := wire.PlayerID(0x1234 | 0xFFFE<<16 ^ mask)
		require.True(t, seen[id])
		for range 70000 {
			was := i.Free(id)
			next, err := i.Reserve()
			if !was || err != nil || next == id || next.Index(mask) != 0x1234 {
				t.Fatalf("mask %#x: %v after %v, %v", mask, next, id, err)
			}
			id = next
		}
		_, err = i.Reserve()
		require.ErrorIs(t, err, ErrFull)
		i.Hold(0x00F00001)
		i.Free(0x00F00001)
		_, err = i.Reserve()
		require.ErrorIs(t, err, ErrFull, "a foreign id that comes and goes frees no index of others")
	}
}

// TestIDsRandom compares reservations, holds and frees, with DPLAY_LONG a million, with a plain model: never an id in use, nor an
// index of one, nor one freed of late; always the lowest index.
func TestIDsRandom(t *testing.T) {
	s := newSeeded(3)
	for _, mask := range []uint32{0, 0x000284CB, 0xABCDFFFF, 0xFFFFFFFF} {
		i := NewIDs(mask, uint16(s.choose(65536)))
		var used []wire.PlayerID
		count := map[uint16]int{}
		last := map[uint16]wire.PlayerID{}
		reserved := map[wire.PlayerID]bool{}
		for range testkit.Part(250_000) {
			switch n := s.choose(100); {
			case n < 40:
				id, err := i.Reserve()
				require.NoError(t, err)
				index := id.Index(mask)
				if freed, ok := last[index]; count[index] != 0 || ok && freed == id || reserved[id] {
					t.Fatalf("mask %#x: %v is in use, shares an index, or was freed just now", mask, id)
				}
				for low := uint16(0); low < index; low++ {
					if count[low] == 0 {
						t.Fatalf("mask %#x: index %d was free and %d was taken", mask, low, index)
					}
				}
				count[index]++
				used, reserved[id] = append(used, id), true
			case n < 46: // somebody made an id
				id := wire.PlayerID(s.Uint32())
				if id == 0 || reserved[id] || count[id.Index(mask)] > 0 && s.choose(2) == 0 {
					continue
				}
				for _, u := range used {
					if u == id {
						id = 0
					}
				}
				if id == 0 {
					continue
				}
				i.Hold(id)
				count[id.Index(mask)]++
				used = append(used, id)
			case len(used) > 0:
				k := s.choose(len(used))
				id := used[k]
				if n < 52 {
					i.Hold(id)
					delete(reserved, id)
					continue
				}
				if len(used) < 150 && n < 60 {
					continue
				}
				require.True(t, i.Free(id))
				count[id.Index(mask)]--
				last[id.Index(mask)] = id
				delete(reserved, id)
				used[k] = used[len(used)-1]
				used = used[:len(used)-1]
			}
			if n, r := i.Len(); n != len(used) || r != len(reserved) {
				t.Fatalf("%d in use, %d reserved; the model has %d and %d", n, r, len(used), len(reserved))
			}
		}
		for _, id := range used {
			require.True(t, i.Free(id))
		}
		require.Empty(t, i.used)
		require.Empty(t, i.more)
		for _, w := range i.busy {
			require.Zero(t, w)
		}
	}
}

// TestIDsOfList builds the ids of a machine that becomes host.
func TestIDsOfList(t *testing.T) {
	l, err := New(Session{Desc: wire.SessionDesc{Reserved1: 0x000284CB}})
	require.NoError(t, err)
	apply(t, l, system(0x000384CB), player(0x000384CA, 0x000384CB), system(0x000384C9), player(0x000384C8, 0x000384C9),
		aGroup(0x1337, 0x000384C9), AddPlayer{Entry{ID: wire.IDServer, System: 0x000384CB, Flags: wire.PlayerServerPlayer}})
	i := l.IDs(0)
	used, reserved := i.Len()
	assert.Equal(t, [2]int{6, 0}, [2]int{used, reserved})
	for _, op := range l.Departed(0x000384CB) { // the old host goes
		apply(t, l, op)
		switch op := op.(type) {
		case DeletePlayer:
			assert.True(t, i.Free(op.ID))
		case DeleteGroup:
			assert.True(t, i.Free(op.ID))
		}
	}
	// unique parts in use: 1 four times, 2 of 0x1337 and of 1. All that is new starts above.
	id, _ := i.Reserve()
	assert.Equal(t, wire.PlayerID((0|0x102<<16)^0x000284CB), id, "index 0 again")
	id, _ = i.Reserve()
	assert.Equal(t, wire.PlayerID((1|0x102<<16)^0x000284CB), id)
	id, _ = i.Reserve()
	assert.Equal(t, wire.PlayerID((4|0x102<<16)^0x000284CB), id)
	for range 70000 {
		id, err := i.Reserve()
		if err != nil {
			break
		}
		player, group := l.Kind(id)
		require.False(t, player || group, "%v is in the list", id)
	}
	used, _ = i.Len()
	assert.Equal(t, 65536, used)
}

// TestIDsOfParts has two machines that become hosts of parts of one session, and draw other numbers.
func TestIDsOfParts(t *testing.T) {
	l, err := New(Session{Desc: wire.SessionDesc{Reserved1: 0x000284CB}})
	require.NoError(t, err)
	apply(t, l, system(0x000384CB), system(0x000384CA), system(0x000384C9))
	given := map[wire.PlayerID]bool{}
	for _, skip := range []uint16{7, 7 + 300, 0xFFFF} {
		i := l.IDs(skip)
		require.True(t, i.Free(0x000384CB))
		for range 200 {
			id, err := i.Reserve()
			require.NoError(t, err)
			assert.False(t, given[id], "%v was given by another one", id)
			given[id] = true
		}
	}
}

// TestIDsOfListWraps has a foreign id with the highest unique part.
func TestIDsOfListWraps(t *testing.T) {
	l, err := New(Session{})
	require.NoError(t, err)
	apply(t, l, system(0xFFFF0000), system(0x00FF0001))
	i := l.IDs(0)
	id, err := i.Reserve()
	require.NoError(t, err)
	assert.Equal(t, wire.PlayerID(0x00FF0002), id)
}
