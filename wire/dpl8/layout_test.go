package dpl8_test

import (
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// same requires that octets decode to a message with an irregular layout, and that it encodes to the same octets.
func same(t *testing.T, b []byte) dpl8.Message {
	t.Helper()
	m, err := dpl8.Decode(b)
	require.NoError(t, err)
	require.False(t, layoutOf(m).Regular())
	again, err := dpl8.Append([]byte("before"), m)
	require.NoError(t, err)
	require.Equal(t, append([]byte("before"), b...), again)
	return m
}

// TestStrayAfterEveryMessage adds octets behind each golden message: they are kept, or belong to the rest.
func TestStrayAfterEveryMessage(t *testing.T) {
	for _, g := range wiretest.Goldens(t) {
		b := append(g.Raw, 0x77, 0x78)
		switch m := goldenValues[g.Name].(type) {
		case *dpl8.CreateGroup, *dpl8.ReqProcessCompletion:
			got, err := dpl8.Decode(b)
			require.NoError(t, err)
			again, err := dpl8.Append(nil, got)
			require.NoError(t, err)
			assert.Equal(t, b, again)
			if c, ok := got.(*dpl8.CreateGroup); ok {
				assert.Equal(t, []byte{0x77, 0x78}, c.Rest)
			}
		default:
			got := same(t, b)
			assert.Equal(t, []wire.Stray{{Offset: len(b) - 6, Octets: []byte{0x77, 0x78}}}, layoutOf(got).Stray(), g.Name)
			layoutOf(got).Reset()
			dropOctets(got)
			assert.Equal(t, m, got)
			again, err := dpl8.Append(nil, got)
			require.NoError(t, err)
			assert.Equal(t, b[:len(b)-2], again, g.Name)
		}
	}
}

// TestOddPlaces: parts in another order, with a gap between them and before them.
func TestOddPlaces(t *testing.T) {
	b := append(readGolden(t, "REQ_UPDATE_INFO")[:32], 0x01, 'B', 0, 0, 0, 0x02, 0x03, 0xD1, 0xD2)
	copy(b[16:], []byte{29, 0, 0, 0, 4, 0, 0, 0, 35, 0, 0, 0, 2, 0, 0, 0})
	m := same(t, b).(*dpl8.ReqUpdateInfo)
	assert.Equal(t, "B", m.Name.String())
	assert.Equal(t, []byte{0xD1, 0xD2}, m.Data)
	assert.Equal(t, []wire.Stray{{Offset: 28, Octets: []byte{1}}, {Offset: 33, Octets: []byte{2, 3}}}, m.Layout.Stray())

	m.Name, m.ID = wire.NewText("C"), 9 // of the same length, so it fits
	again, err := dpl8.Append(nil, m)
	require.NoError(t, err)
	b[8], b[9], b[10], b[11], b[33] = 9, 0, 0, 0, 'C'
	assert.Equal(t, b, again)

	m.Name = wire.NewText("too long")
	_, err = dpl8.Append(nil, m)
	assert.EqualError(t, err, "REQ_UPDATE_INFO.dwNameOffset: does not fit the layout that was decoded")
	m.Name = nil
	_, err = dpl8.Append(nil, m)
	assert.ErrorIs(t, err, wire.ErrLayout, "a part that is gone")
	m.Layout.Reset()
	_, err = dpl8.Append(nil, m)
	assert.NoError(t, err)
}

// TestOtherOrder: parts in another order, and nothing else that is unusual.
func TestOtherOrder(t *testing.T) {
	b := append(readGolden(t, "REQ_UPDATE_INFO")[:32], 'B', 0, 0, 0, 0xD1, 0xD2)
	b[16], b[24] = 28, 32
	m := same(t, b).(*dpl8.ReqUpdateInfo)
	assert.Empty(t, m.Layout.Stray())
	m.Layout.Reset()
	again, err := dpl8.Append(nil, m)
	require.NoError(t, err)
	assert.Equal(t, readGolden(t, "REQ_UPDATE_INFO"), again)
}

// TestAbsentParts: an offset without a size, and a size without an offset, mean that there is nothing (2.2.1.1), and
// are kept.
func TestAbsentParts(t *testing.T) {
	for _, w := range []map[int]uint32{{4: 0}, {8: 0}, {4: 0xFFFFFFFF, 8: 0}, {4: 0, 8: 0xFFFFFFFF}} {
		m := same(t, patched(t, "TERMINATE_SESSION", w)).(*dpl8.TerminateSession)
		assert.Nil(t, m.Data)
		assert.Equal(t, []wire.Stray{{Offset: 8, Octets: []byte("bye")}}, m.Layout.Stray())
		m.Data = []byte("bye")
		_, err := dpl8.Append(nil, m)
		assert.ErrorIs(t, err, wire.ErrLayout, "a part where there was none")
	}
}

// TestOtherCounts: entries, memberships and operations that were added or removed no longer fit a layout that was
// decoded.
func TestOtherCounts(t *testing.T) {
	const changed = "does not fit the layout that was decoded"
	info := same(t, append(readGolden(t, "SEND_CONNECT_INFO"), 1)).(*dpl8.SendConnectInfo)
	table := info.Table
	info.Table.Memberships = nil
	_, err := dpl8.Append(nil, info)
	assert.EqualError(t, err, "SEND_CONNECT_INFO.Layout: "+changed)
	info.Table.Memberships, info.Table.Entries = table.Memberships, table.Entries[:1]
	_, err = dpl8.Append(nil, info)
	assert.EqualError(t, err, "SEND_CONNECT_INFO.Layout: "+changed)
	info.Table.Memberships = make([]dpl8.Membership, len(table.Memberships)+3) // as many octets as the entry had
	_, err = dpl8.Append(nil, info)
	assert.EqualError(t, err, "SEND_CONNECT_INFO.Layout: "+changed)
	info.Table.Memberships = table.Memberships
	info.Table.Entries = append(table.Entries, dpl8.Entry{})
	_, err = dpl8.Append(nil, info)
	assert.EqualError(t, err, "SEND_CONNECT_INFO.DN_NameTable_Entry_Info[2].dwNameOffset: "+changed)
	info.Table.Entries, info.Table.Memberships = table.Entries, make([]dpl8.Membership, 100)
	_, err = dpl8.Append(nil, info)
	assert.ErrorIs(t, err, wire.ErrLayout, "beyond the message")

	ack := same(t, append(readGolden(t, "ACK_NAMETABLE_OP"), 1)).(*dpl8.AckNameTableOp)
	ack.Operations[1].Message.(*dpl8.UpdateInfo).Name = wire.NewText("longer")
	_, err = dpl8.Append(nil, ack)
	assert.EqualError(t, err, "ACK_NAMETABLE_OP.Operations[1].dwOpOffset: "+changed)
}

// TestLayoutOfOperation: an operation has a layout of its own, and what it cannot do is said with its path.
func TestLayoutOfOperation(t *testing.T) {
	body := append(readGolden(t, "UPDATE_INFO")[4:], 0x55)
	b, err := dpl8.Append(nil, &dpl8.AckNameTableOp{Operations: []dpl8.Operation{{ID: dpl8.TypeUpdateInfo, Octets: body}}})
	require.NoError(t, err)
	m, err := dpl8.Decode(b)
	require.NoError(t, err)
	ack := m.(*dpl8.AckNameTableOp)
	assert.True(t, ack.Layout.Regular())
	info := ack.Operations[0].Message.(*dpl8.UpdateInfo)
	assert.Equal(t, []wire.Stray{{Offset: len(body) - 1, Octets: []byte{0x55}}}, info.Layout.Stray())
	again, err := dpl8.Append(nil, ack)
	require.NoError(t, err)
	assert.Equal(t, b, again)

	info.Data = nil
	_, err = dpl8.Append(nil, ack)
	assert.EqualError(t, err, "ACK_NAMETABLE_OP.Operations[0].op.UPDATE_INFO.dwDataOffset: does not fit the layout that was decoded")
}

// TestUnusualDescriptionSize: dwSize is kept if it is not 80, and nothing is read from it.
func TestUnusualDescriptionSize(t *testing.T) {
	b := patched(t, "SEND_CONNECT_INFO", map[int]uint32{12: 81})
	m, err := dpl8.Decode(b)
	require.NoError(t, err)
	assert.True(t, m.(*dpl8.SendConnectInfo).Layout.Regular())
	again, err := dpl8.Append(nil, m)
	require.NoError(t, err)
	assert.Equal(t, b, again)
}

// TestTextsAsTheyAre: a name without a terminator, of an odd length, and a URL without one.
func TestTextsAsTheyAre(t *testing.T) {
	in := &dpl8.AddPlayer{Entry: dpl8.Entry{Name: wire.Text{'A', 0, 'B'}, URL: dpl8.URL("x")}}
	b, err := dpl8.Append(nil, in)
	require.NoError(t, err)
	m, err := dpl8.Decode(b)
	require.NoError(t, err)
	assert.Equal(t, in, m)
	assert.Equal(t, "x", m.(*dpl8.AddPlayer).Entry.URL.String())
}

// TestOperationsInterleaved: the other reading of 2.2.2.10, each operation's octets behind its three fields, is refused
// rather than misread; with one operation the readings are the same.
func TestOperationsInterleaved(t *testing.T) {
	body := readGolden(t, "DESTROY_PLAYER")[4:]
	b := []byte{0xCC, 0, 0, 0, 2, 0, 0, 0}
	for i := range 2 {
		b = append(b, 0xD1, 0, 0, 0, byte(16+28*i), 0, 0, 0, 16, 0, 0, 0)
		b = append(b, body...)
	}
	_, err := dpl8.Decode(b)
	require.Error(t, err)
	wiretest.GoodError(t, err, len(b))

	one := append([]byte{0xCC, 0, 0, 0, 1}, b[5:36]...)
	m, err := dpl8.Decode(one)
	require.NoError(t, err)
	assert.Equal(t, &destroy, m.(*dpl8.AckNameTableOp).Operations[0].Message)
	assert.True(t, layoutOf(m).Regular())
}
