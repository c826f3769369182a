package dpl8_test

import (
	"encoding/binary"
	"runtime"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// allocated returns the octets that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCountsAllocateNothing: a count that the message has no room for is refused before anything is made of it.
func TestCountsAllocateNothing(t *testing.T) {
	for golden, at := range map[string]int{"SEND_CONNECT_INFO": 104, "ACK_NAMETABLE_OP": 4} {
		for _, n := range []uint32{100, dpl8.MaxList, dpl8.MaxList + 1, 1 << 31, 1<<32 - 1} {
			b := patched(t, golden, map[int]uint32{at: n})
			var err error
			used := allocated(func() { _, err = dpl8.Decode(b) })
			require.Error(t, err)
			assert.Less(t, used, uint64(16<<10), "%s with %d", golden, n)
		}
	}
}

// TestOverlappingOperations: operations that all point to the same octets are refused before a message is made of
// each; memory stays in proportion to the message.
func TestOverlappingOperations(t *testing.T) {
	const n = 50000
	b := binary.LittleEndian.AppendUint32(nil, uint32(dpl8.TypeAckNameTableOp))
	b = binary.LittleEndian.AppendUint32(b, n)
	for range n {
		for _, v := range []uint32{uint32(dpl8.TypeUpdateInfo), 4 + 12*n, 40} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	b = append(b, make([]byte, 40)...)
	var err error
	var m dpl8.Message
	used := allocated(func() { m, err = dpl8.Decode(b) })
	require.ErrorIs(t, err, wire.ErrOverlap)
	for _, op := range m.(*dpl8.AckNameTableOp).Operations {
		require.Nil(t, op.Message)
	}
	assert.Less(t, used, uint64(40*len(b)))
}

// TestManyEntries: a name table at the limit is decoded, and its memory is in proportion to it.
func TestManyEntries(t *testing.T) {
	in := &dpl8.SendConnectInfo{Table: dpl8.NameTable{Entries: make([]dpl8.Entry, dpl8.MaxList)}}
	for i := range in.Table.Entries {
		in.Table.Entries[i] = dpl8.Entry{ID: dpl8.DPNID(i), Name: wire.NewText("a"), Data: []byte{1}, URL: dpl8.NewURL("u")}
	}
	b, err := dpl8.Append(nil, in)
	require.NoError(t, err)
	var m dpl8.Message
	used := allocated(func() { m, err = dpl8.Decode(b) })
	require.NoError(t, err)
	require.True(t, m.(*dpl8.SendConnectInfo).Layout.Regular())
	assert.Less(t, used, uint64(12*len(b)))
	again, err := dpl8.Append(nil, m)
	require.NoError(t, err)
	require.Equal(t, len(b), len(again))
	require.True(t, string(b) == string(again))
}

// TestFewAllocations: a message of fixed size costs its value and the codec.
func TestFewAllocations(t *testing.T) {
	b := readGolden(t, "NAMETABLE_VERSION")
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		if _, err := dpl8.Decode(b); err != nil {
			panic(err)
		}
	}), 2.0)
	var m dpl8.Message = &dpl8.NameTableVersion{Version: 1}
	buf := make([]byte, 0, 64)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		if _, err := dpl8.Append(buf, m); err != nil {
			panic(err)
		}
	}), 1.0)
}
