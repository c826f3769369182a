package playerlist

import (
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSince checks what the log gives for every version there can be.
func TestSince(t *testing.T) {
	l := newList(t)
	ops, ok := l.Since(0)
	assert.True(t, ok)
	assert.Nil(t, ops)
	done := []Op{system(10), player(11, 10), SetData{11, []byte{1}}, DeletePlayer{11}}
	apply(t, l, done...)
	kept := []Op{AddPlayer{Entry{ID: 10, System: 10, Flags: wire.PlayerSystem, Dialect: 14}}, done[1], done[2], done[3]}
	for n := range uint32(5) {
		ops, ok := l.Since(n)
		require.True(t, ok)
		require.Len(t, ops, int(4-n))
		for i, op := range ops {
			assert.Equal(t, Numbered{n + 1 + uint32(i), kept[int(n)+i]}, op)
		}
	}
	_, ok = l.Since(5)
	assert.False(t, ok, "a version that the list has not reached")

	l.Forget(0)
	_, ok = l.Since(0)
	assert.True(t, ok)
	l.Forget(2)
	_, ok = l.Since(1)
	assert.False(t, ok)
	ops, ok = l.Since(2)
	assert.True(t, ok)
	assert.Len(t, ops, 2)
	l.Forget(1)
	_, ok = l.Since(2)
	assert.True(t, ok, "Forget(1) after Forget(2) forgets nothing")
	l.Forget(1000)
	audit(t, l)
	ops, ok = l.Since(4)
	assert.True(t, ok)
	assert.Nil(t, ops)
	_, ok = l.Since(3)
	assert.False(t, ok)
	apply(t, l, system(12))
	ops, ok = l.Since(4)
	assert.True(t, ok)
	assert.Len(t, ops, 1)
}

// TestLogBounds checks that the log forgets the oldest operations, by number and by size, and never more.
func TestLogBounds(t *testing.T) {
	l := newList(t)
	apply(t, l, system(10))
	for range 3 * MaxLogOps {
		apply(t, l, InstructConnect{10})
	}
	audit(t, l)
	ops, ok := l.Since(l.Version() - MaxLogOps)
	require.True(t, ok)
	assert.Len(t, ops, MaxLogOps)
	_, ok = l.Since(l.Version() - MaxLogOps - 1)
	assert.False(t, ok)

	const size = 1 << 16
	for range 10 {
		apply(t, l, SetData{10, make([]byte, size)})
		audit(t, l)
	}
	n := MaxLogOctets / (size + logOpOctets)
	_, ok = l.Since(l.Version() - uint32(n))
	assert.True(t, ok)
	_, ok = l.Since(l.Version() - uint32(n) - 1)
	assert.False(t, ok)

	apply(t, l, SetData{10, make([]byte, MaxLogOctets-logOpOctets)})
	_, ok = l.Since(l.Version() - 1)
	assert.True(t, ok, "the largest operation that the log can hold")
	apply(t, l, SetData{10, make([]byte, MaxLogOctets)})
	audit(t, l)
	_, ok = l.Since(l.Version() - 1)
	assert.False(t, ok, "an operation that is larger than the log")
	_, ok = l.Since(l.Version())
	assert.True(t, ok)
}

// TestLogReplays checks that what Since gives brings a copy that fell behind to the same list.
func TestLogReplays(t *testing.T) {
	l := sample(t)
	for n := range l.Version() {
		behind := newList(t)
		all, _ := l.Since(0)
		for _, op := range all[:n] {
			require.NoError(t, behind.ApplyAt(op.Version, op.Op))
		}
		rest, ok := l.Since(behind.Version())
		require.True(t, ok)
		for _, op := range rest {
			require.NoError(t, behind.ApplyAt(op.Version, op.Op))
		}
		require.True(t, Equal(l, behind))
		require.Equal(t, l.State(), behind.State())
		audit(t, behind)
	}
}

// TestOpOctets checks what operations take in the log.
func TestOpOctets(t *testing.T) {
	e := Entry{ShortName: make(wire.Text, 1), LongName: make(wire.Text, 10), SPData: make([]byte, 100), Data: make([]byte, 1000)}
	for _, c := range []struct {
		op   Op
		want int
	}{
		{AddPlayer{e}, 1111}, {AddGroup{e}, 1111}, {SetName{1, e.ShortName, e.LongName}, 11}, {SetData{1, e.Data}, 1000},
		{SetInfo{1, e.ShortName, e.LongName, e.Data}, 1011}, {SetSPData{1, e.SPData}, 100},
		{SetDesc{Session{Name: e.ShortName, Password: e.LongName}}, 11},
		{DeletePlayer{}, 0}, {DeleteGroup{}, 0}, {SetHost{}, 0}, {AddMember{}, 0}, {RemoveMember{}, 0}, {AddShortcut{}, 0},
		{RemoveShortcut{}, 0}, {InstructConnect{}, 0},
	} {
		assert.Equal(t, c.want, c.op.octets(), "%T", c.op)
	}
}
