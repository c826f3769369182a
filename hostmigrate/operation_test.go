package hostmigrate_test

import (
	"errors"
	"fmt"
	"testing"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOperationsRoundTrip checks that every operation, as a list keeps it, is the same after it was a message, and that
// a list that follows by messages is the same list: one state, two dialects.
func TestOperationsRoundTrip(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(30) {
		r := seeded(seed)
		l, replica := newList(t), newList(t)
		for range 600 {
			v, err := l.Apply(randomOp(r))
			if err != nil {
				continue
			}
			ops, ok := l.Since(v - 1)
			require.True(t, ok)
			kinds[fmt.Sprintf("%T", ops[0].Op)]++
			b, err := hostmigrate.AppendOperation(nil, ops[0])
			require.NoError(t, err)
			m, err := dpl8.Decode(b)
			require.NoError(t, err)
			require.True(t, m.Type().Operation(), "%v", m.Type())
			got, err := hostmigrate.FromOperation(m)
			require.NoError(t, err)
			require.Equal(t, ops[0], got)
			require.NoError(t, replica.ApplyAt(got.Version, got.Op))
		}
		require.True(t, playerlist.Equal(l, replica))
	}
	require.Len(t, kinds, 15, "the kinds of operations")
	for kind, n := range kinds {
		assert.Greater(t, n, 50, "%s: too few to mean anything", kind)
	}
}

// TestOperationTypes checks which message each operation is, as [MC-DPL8CS] 2.2.6 and the package documentation say.
func TestOperationTypes(t *testing.T) {
	for _, c := range []struct {
		op   playerlist.Op
		want dpl8.Type
	}{
		{playerlist.AddPlayer{Entry: system(3)}, dpl8.TypeAddPlayer},
		{playerlist.DeletePlayer{ID: 3}, dpl8.TypeDestroyPlayer},
		{playerlist.AddGroup{Entry: playerlist.Entry{ID: 20, System: 3}}, dpl8.TypeCreateGroup},
		{playerlist.DeleteGroup{ID: 20}, dpl8.TypeDestroyGroup},
		{playerlist.AddMember{Group: 20, Player: 4}, dpl8.TypeAddPlayerToGroup},
		{playerlist.RemoveMember{Group: 20, Player: 4}, dpl8.TypeDeletePlayerFromGroup},
		{playerlist.InstructConnect{ID: 3}, dpl8.TypeInstructConnect},
		{playerlist.SetName{ID: 3}, dpl8.TypeUpdateInfo},
		{playerlist.SetData{ID: 3}, dpl8.TypeUpdateInfo},
		{playerlist.SetInfo{ID: 3}, dpl8.TypeUpdateInfo},
		{playerlist.SetSPData{ID: 3}, dpl8.TypeUpdateInfo},
		{playerlist.SetHost{ID: 3}, dpl8.TypeUpdateInfo},
		{playerlist.SetDesc{}, dpl8.TypeUpdateInfo},
		{playerlist.AddShortcut{Parent: 20, Child: 21}, dpl8.TypeUpdateInfo},
		{playerlist.RemoveShortcut{Parent: 20, Child: 21}, dpl8.TypeUpdateInfo},
	} {
		b, err := hostmigrate.AppendOperation([]byte("x"), playerlist.Numbered{Version: 9, Op: c.op})
		require.NoError(t, err)
		require.Equal(t, byte('x'), b[0])
		m, err := dpl8.Decode(b[1:])
		require.NoError(t, err)
		assert.Equal(t, c.want, m.Type(), "%T", c.op)
		n, err := hostmigrate.FromOperation(m)
		require.NoError(t, err)
		assert.EqualValues(t, 9, n.Version)
	}
}

// TestPlayerMessage checks what a reader of DirectPlay 8 sees of a player, and where the rest is.
func TestPlayerMessage(t *testing.T) {
	e := playerlist.Entry{
		ID: 0x384c9, System: 5, Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: 14, Data: []byte{1},
		ShortName: wire.NewText("A"), LongName: wire.NewText("B"), SPData: []byte{0xAB},
	}
	b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: 7, Op: playerlist.AddPlayer{Entry: e}})
	require.NoError(t, err)
	m, err := dpl8.Decode(b)
	require.NoError(t, err)
	p := m.(*dpl8.AddPlayer).Entry
	assert.Equal(t, "x-directplay4:/flags=0x00000003;dialect=0x0000000e;long=42000000;sp=ab", p.URL.String())
	p.URL = nil
	assert.Equal(t, dpl8.Entry{
		ID: 0x384c9, Owner: 5, Flags: dpl8.EntryPeer | dpl8.EntryHost, Version: 7, DNETVersion: dpl8.DirectX80,
		Name: wire.NewText("A"), Data: []byte{1},
	}, p)
}

// TestOperationRefusals checks messages that are no operations of this package's.
func TestOperationRefusals(t *testing.T) {
	info := func(flags dpl8.InfoFlags, data string) *dpl8.UpdateInfo {
		return &dpl8.UpdateInfo{InfoFlags: flags, Data: []byte(data)}
	}
	const form dpl8.InfoFlags = 1 << 31
	player := func(url string) []byte {
		b, err := dpl8.Append(nil, &dpl8.AddPlayer{Entry: dpl8.Entry{ID: 3, URL: dpl8.URL(url)}})
		require.NoError(t, err)
		return b
	}
	many := "x-directplay4:/"
	for i := range 40 {
		many += fmt.Sprintf("k%d=;", i)
	}
	for name, c := range map[string]struct {
		m     dpl8.Message
		err   error
		place string
	}{
		"no message":   {nil, hostmigrate.ErrNoOperation, ""},
		"no operation": {&dpl8.HostMigrateComplete{}, hostmigrate.ErrNoOperation, ""},
		"no URL":       {&dpl8.AddPlayer{}, hostmigrate.ErrForm, "URL"},
		"another URL":  {&dpl8.AddPlayer{Entry: dpl8.Entry{URL: dpl8.NewURL("x-directplay:/port=1")}}, hostmigrate.ErrForm, "URL"},
		"no end":       {&dpl8.AddPlayer{Entry: dpl8.Entry{URL: dpl8.URL("x-directplay4:/")}}, hostmigrate.ErrForm, "URL"},
		"no value":     {&dpl8.AddPlayer{Entry: dpl8.Entry{URL: dpl8.NewURL("x-directplay4:/flags")}}, hostmigrate.ErrForm, "URL"},
		"twice":        {&dpl8.AddPlayer{Entry: dpl8.Entry{URL: dpl8.NewURL("x-directplay4:/a=1;a=1")}}, hostmigrate.ErrForm, "URL"},
		"too many":     {&dpl8.AddPlayer{Entry: dpl8.Entry{URL: dpl8.NewURL(many)}}, hostmigrate.ErrForm, "URL"},
		"number": {&dpl8.AddPlayer{Entry: dpl8.Entry{URL: dpl8.NewURL("x-directplay4:/flags=7;sp=x")}},
			hostmigrate.ErrForm, "flags"},
		"octets":            {&dpl8.AddPlayer{Entry: dpl8.Entry{URL: dpl8.NewURL("x-directplay4:/sp=abc")}}, hostmigrate.ErrForm, "sp"},
		"group of nothing":  {&dpl8.CreateGroup{}, wire.ErrShort, "group"},
		"group of another":  {&dpl8.CreateGroup{Rest: []byte{0xCE, 0, 0, 0}}, hostmigrate.ErrNoOperation, "group"},
		"group without URL": {&dpl8.CreateGroup{Rest: player("")}, hostmigrate.ErrForm, "URL"},
		"update of nothing": {info(0, ""), hostmigrate.ErrNoOperation, ""},
		"no form":           {info(form, "abc"), hostmigrate.ErrForm, "data"},
		"unknown op":        {info(form, "x-directplay4:/op=fly\x00"), hostmigrate.ErrNoOperation, ""},
		"bad guid":          {info(form, "x-directplay4:/op=desc;instance=7\x00"), hostmigrate.ErrForm, "instance"},
	} {
		_, err := hostmigrate.FromOperation(c.m)
		assert.ErrorIs(t, err, c.err, name)
		var field *hostmigrate.FieldError
		if assert.Equal(t, c.place != "", errors.As(err, &field), name) && c.place != "" {
			assert.Equal(t, c.place, field.Field, name)
			assert.Contains(t, err.Error(), c.place+": ", name)
		}
	}
	_, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{})
	assert.ErrorIs(t, err, hostmigrate.ErrNoOperation)
	large := playerlist.SetData{ID: 3, Data: make([]byte, hostmigrate.MaxMessage)}
	b, err := hostmigrate.AppendOperation([]byte{1}, playerlist.Numbered{Op: large})
	assert.ErrorIs(t, err, hostmigrate.ErrTooLarge)
	assert.Equal(t, []byte{1}, b)
	_, err = hostmigrate.AppendOperation(nil, playerlist.Numbered{Op: playerlist.SetData{Data: make([]byte, dpl8.MaxMessage)}})
	assert.ErrorIs(t, err, wire.ErrLimit)
}
