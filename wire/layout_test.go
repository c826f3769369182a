package wire_test

import (
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decodeTo[T any](t *testing.T, b []byte) T {
	t.Helper()
	_, m, err := new(wire.Decoder).DecodeMessage(b)
	require.NoError(t, err)
	require.IsType(t, *new(T), m)
	return m.(T)
}

// TestChangeRegular changes what was laid out as Append does: offsets and sizes follow.
func TestChangeRegular(t *testing.T) {
	m := decodeTo[*wire.EnumPlayersReply](t, load(t, "ENUMPLAYERSREPLY-distinct"))
	require.True(t, m.Layout.Regular())
	m.Name, m.Password = wire.NewText("another name"), nil
	m.Players[1].ShortName = wire.NewText("somebody else")
	m.Players = append(m.Players, wire.PackedPlayer{ID: 77, LongName: wire.NewText("new"), Data: []byte("data")})
	m.Groups[0].PlayerIDs = append(m.Groups[0].PlayerIDs, 77)
	b, err := wire.AppendMessage(nil, wire.DX9, m)
	require.NoError(t, err)
	got := decodeTo[*wire.EnumPlayersReply](t, b)
	assert.True(t, got.Layout.Regular())
	assert.Equal(t, "another name", got.Name.String())
	assert.Nil(t, got.Password)
	require.Len(t, got.Players, 3)
	assert.Equal(t, "somebody else", got.Players[1].ShortName.String())
	assert.Equal(t, m.Players[2], got.Players[2])
	assert.Equal(t, []wire.PlayerID{0x000384c9, 0x000384ca, 77}, got.Groups[0].PlayerIDs)
}

// TestChangeIrregular changes what was laid out in another way. Fields of fixed size and parts that keep their
// length may change; anything else fails until the layout is reset.
func TestChangeIrregular(t *testing.T) {
	tail := append(load(t, "PLAYERNAMECHANGED"), "tail"...)
	type M = *wire.PlayerNameChanged
	for name, c := range map[string]struct {
		change func(M)
		fits   bool
	}{
		"nothing":               {func(M) {}, true},
		"an id":                 {func(m M) { m.Player = 9 }, true},
		"a name, same length":   {func(m M) { m.ShortName = wire.NewText("Bob") }, true},
		"a longer name":         {func(m M) { m.ShortName = wire.NewText("Robert") }, false},
		"a shorter name":        {func(m M) { m.ShortName = wire.NewText("A") }, false},
		"a longer last name":    {func(m M) { m.LongName = wire.NewText("Ann Lee Miller") }, false},
		"a last name too long":  {func(m M) { m.LongName = wire.NewText("longer than the whole message was") }, false},
		"no name":               {func(m M) { m.ShortName = nil }, false},
		"two octets more, less": {func(m M) { m.ShortName, m.LongName = wire.NewText("Anna"), wire.NewText("AnnLee") }, false},
	} {
		m := decodeTo[M](t, tail)
		require.False(t, m.Layout.Regular())
		c.change(m)
		b, err := wire.AppendMessage(nil, wire.DX9, m)
		if c.fits {
			require.NoError(t, err, name)
			assert.Equal(t, "tail", string(b[len(b)-4:]), name)
			assert.Equal(t, m, decodeTo[M](t, b), name)
			continue
		}
		assert.ErrorIs(t, err, wire.ErrLayout, name)
		var e *wire.EncodeError
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, "PLAYERNAMECHANGED", e.Message)
		assert.NotEmpty(t, e.Field)

		m.Layout.Reset()
		b, err = wire.AppendMessage(nil, wire.DX9, m)
		require.NoError(t, err, name)
		assert.Equal(t, m, decodeTo[M](t, b), name)
	}
}

// TestChangeIrregularKinds does the same for messages without an offset field, with a part that was not there,
// and with parts that are messages.
func TestChangeIrregularKinds(t *testing.T) {
	check := func(what string, m wire.Message, l *wire.Layout) {
		t.Helper()
		require.False(t, l.Regular(), what)
		dst := []byte("before")
		got, err := wire.AppendMessage(dst, wire.DX9, m)
		assert.ErrorIs(t, err, wire.ErrLayout, what)
		assert.Equal(t, "before", string(got))
		l.Reset()
		got, err = wire.AppendMessage(nil, wire.DX9, m)
		require.NoError(t, err, what)
		_, fresh, err := new(wire.Decoder).DecodeMessage(got)
		require.NoError(t, err, what)
		again, err := wire.AppendMessage(nil, wire.DX9, fresh)
		require.NoError(t, err, what)
		assert.Equal(t, got, again, what)
	}

	host := decodeTo[*wire.IAmNameServer](t, append(load(t, "IAMNAMESERVER"), "tail"...))
	host.SPData = append(host.SPData, 1)
	check("service provider data that runs into the tail", host, &host.Layout)

	enum := decodeTo[*wire.EnumSessions](t, append(load(t, "ENUMSESSIONS-nopassword"), "tail"...))
	enum.Password = wire.NewText("x")
	check("a password where there was none", enum, &enum.Layout)

	list := decodeTo[*wire.SuperEnumPlayersReply](t, load(t, "SUPERENUMPLAYERSREPLY")) // a name in a field of 512 octets
	list.Players = list.Players[1:]
	check("an entry less", list, &list.Layout)
	list = decodeTo[*wire.SuperEnumPlayersReply](t, load(t, "SUPERENUMPLAYERSREPLY"))
	list.Name = wire.NewText("a name that would still fit into the field")
	check("a longer name", list, &list.Layout)
	list = decodeTo[*wire.SuperEnumPlayersReply](t, load(t, "SUPERENUMPLAYERSREPLY"))
	list.Players, list.Groups = nil, nil
	check("no entry", list, &list.Layout)

	ask := decodeTo[*wire.Ask4Multicast](t, insert(load(t, "ASK4MULTICAST"), 20, "gap", 16))
	ask.Inner = wire.Inner{Version: wire.DX9, Message: &wire.YouAreDead{}}
	check("a shorter message inside", ask, &ask.Layout)

	data := decodeTo[*wire.GroupDataChanged](t, append(load(t, "GROUPDATACHANGED"), "tail"...))
	data.Data = nil
	check("no data", data, &data.Layout)

	b := load(t, "PLAYERDATACHANGED")[:24]
	put32(b, 16, 0)
	put32(b, 20, 1<<30) // of nothing
	player := decodeTo[*wire.PlayerDataChanged](t, b)
	player.Data = []byte("x")
	check("data where an offset meant nothing", player, &player.Layout)

	keys := decodeTo[*wire.KeyExchange](t, insert(load(t, "KEYEXCHANGE"), 24, "gap", 12, 20))
	keys.SessionKey, keys.PublicKey = []byte("ABCDE"), []byte("abcdef") // as long together, but each another length
	check("parts that overlap", keys, &keys.Layout)
}

// TestLayoutIsForgotten: a message that is decoded into the same value does not inherit the layout.
func TestLayoutIsForgotten(t *testing.T) {
	var d wire.Decoder
	b := load(t, "GROUPDATACHANGED")
	_, m, err := d.DecodeMessage(append(append([]byte(nil), b...), "tail"...))
	require.NoError(t, err)
	assert.Equal(t, []wire.Stray{{Offset: 32, Octets: []byte("tail")}}, m.(*wire.GroupDataChanged).Layout.Stray())
	assert.Equal(t, m.(*wire.GroupDataChanged).Layout.Stray(), d.Stray())
	_, m, err = d.DecodeMessage(b)
	require.NoError(t, err)
	assert.True(t, m.(*wire.GroupDataChanged).Layout.Regular())
	assert.Empty(t, m.(*wire.GroupDataChanged).Layout.Stray())
	assert.Empty(t, d.Stray())
	_, err = d.DecodePlayerMessage([]byte("from to  payload"))
	require.NoError(t, err)
	assert.Empty(t, d.Stray())
}
