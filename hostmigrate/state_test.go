package hostmigrate_test

import (
	"testing"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// overWire encodes and decodes messages; each has to fit.
func overWire(t *testing.T, infos []*dpl8.SendConnectInfo) []*dpl8.SendConnectInfo {
	t.Helper()
	var back []*dpl8.SendConnectInfo
	for _, m := range infos {
		b, err := dpl8.Append(nil, m)
		require.NoError(t, err)
		require.LessOrEqual(t, len(b), hostmigrate.MaxMessage)
		d, err := dpl8.Decode(b)
		require.NoError(t, err)
		back = append(back, d.(*dpl8.SendConnectInfo))
	}
	return back
}

// TestStateRoundTrip checks that a whole list is the same after it was a message.
func TestStateRoundTrip(t *testing.T) {
	for seed := range uint64(60) {
		l := randomList(t, seeded(seed), 300)
		s := l.State()
		infos, err := hostmigrate.ConnectInfos(&s, 5)
		require.NoError(t, err)
		require.Len(t, infos, 1)
		require.EqualValues(t, 5, infos[0].ID)
		got, err := hostmigrate.FromConnectInfos(overWire(t, infos)...)
		require.NoError(t, err)
		require.Equal(t, s, got)
		c, err := playerlist.Load(got)
		require.NoError(t, err)
		require.True(t, playerlist.Equal(l, c))
	}
}

// TestStateInParts checks a list that does not fit in one message.
func TestStateInParts(t *testing.T) {
	l := newList(t)
	apply(t, l, playerlist.AddPlayer{Entry: system(3)})
	for id := range wire.PlayerID(40) {
		apply(t, l, playerlist.AddPlayer{Entry: playerlist.Entry{ID: 100 + id, System: 3, Data: make([]byte, 90_000)}},
			playerlist.AddGroup{Entry: playerlist.Entry{ID: 200 + id, System: 3}}, playerlist.AddMember{Group: 200 + id, Player: 100 + id})
	}
	s := l.State()
	infos, err := hostmigrate.ConnectInfos(&s, 5)
	require.NoError(t, err)
	require.Len(t, infos, 4)
	back := overWire(t, infos)
	got, err := hostmigrate.FromConnectInfos(back...)
	require.NoError(t, err)
	require.Equal(t, s, got)

	for name, parts := range map[string][]*dpl8.SendConnectInfo{
		"none":          {},
		"first missing": back[1:],
		"last missing":  back[:3],
		"twice":         {back[0], back[0]},
		"one too many":  append(back[:4:4], back[3]),
	} {
		_, err := hostmigrate.FromConnectInfos(parts...)
		assert.ErrorIs(t, err, hostmigrate.ErrParts, name)
	}
	other := *back[1]
	other.Table.Version++
	_, err = hostmigrate.FromConnectInfos(back[0], &other)
	assert.ErrorIs(t, err, hostmigrate.ErrParts)
}

// TestStateLimits checks what does not fit, and what is more than a list can be.
func TestStateLimits(t *testing.T) {
	big := playerlist.State{Entries: []playerlist.Entry{{ID: 3, SPData: make([]byte, 600_000)}}}
	_, err := hostmigrate.ConnectInfos(&big, 5)
	assert.ErrorIs(t, err, hostmigrate.ErrTooLarge, "one entry")
	many := playerlist.State{}
	for range 70 {
		many.Entries = append(many.Entries, playerlist.Entry{Data: make([]byte, 600_000)})
	}
	_, err = hostmigrate.ConnectInfos(&many, 5)
	assert.ErrorIs(t, err, hostmigrate.ErrTooLarge, "70 messages")

	info := func(form string) *dpl8.SendConnectInfo {
		return &dpl8.SendConnectInfo{ReservedData: []byte(form + "\x00")}
	}
	_, err = hostmigrate.FromConnectInfos(&dpl8.SendConnectInfo{})
	assert.ErrorIs(t, err, hostmigrate.ErrForm)
	_, err = hostmigrate.FromConnectInfos(info("x-directplay4:/parts=4"))
	assert.ErrorIs(t, err, hostmigrate.ErrForm)
	_, err = hostmigrate.FromConnectInfos(info("x-directplay4:/part=0x00000001;parts=0x10000000"))
	assert.ErrorIs(t, err, hostmigrate.ErrParts)
	m := info("x-directplay4:/")
	m.Table.Entries = []dpl8.Entry{{}}
	_, err = hostmigrate.FromConnectInfos(m)
	assert.ErrorIs(t, err, hostmigrate.ErrForm)
	m.Table.Entries = []dpl8.Entry{{URL: dpl8.NewURL("x-directplay4:/"), Data: make([]byte, playerlist.MaxOctets+1)}}
	_, err = hostmigrate.FromConnectInfos(m)
	assert.ErrorIs(t, err, hostmigrate.ErrParts)
}
