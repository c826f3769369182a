package directplay

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/reliable"
	"dplay4/dpsp/sock"
	"dplay4/playerlist"
	"dplay4/wire"
)

// TestResults: every error that a command can fail with has a code of its own; what nobody thought of is DPERR_GENERIC.
func TestResults(t *testing.T) {
	t.Parallel()
	o := New(Options{})
	defer o.Release()
	for err, want := range map[error]wire.HResult{
		nil:                          wire.OK,
		wire.ErrNoNewPlayers:         wire.ErrNoNewPlayers,
		dpsp.ErrNotOurs:              wire.ErrAccessDenied,
		dpsp.ErrUnreachable:          wire.ErrNoConnection,
		playerlist.ErrFull:           wire.ErrOutOfMemory,
		context.Canceled:             wire.ErrAborted,
		errors.New("something else"): wire.ErrGeneric,
	} {
		assert.Equal(t, want, o.result(err), "%v", err)
		if err != nil {
			assert.Equal(t, want, o.result(fmt.Errorf("it failed: %w", err)))
		}
	}
	for err, want := range map[error]wire.HResult{nil: wire.OK, reliable.ErrTimeout: wire.ErrTimeout,
		reliable.ErrLost: wire.ErrConnectionLost, reliable.ErrCanceled: wire.ErrCancelled, reliable.ErrFull: wire.ErrBusy,
		reliable.ErrDropped: wire.ErrAborted} {
		assert.Equal(t, want, became(err))
	}
	assert.Equal(t, wire.ErrInvalidPlayer, went.of(dpsp.ErrNoID, o.result))
	assert.Equal(t, wire.ErrSendTooBig, went.of(dpsp.ErrTooBig, o.result))
}

// TestGroupsOfOne: members come and go, and after the session was lost what is ours can still be put in order.
func TestGroupsOfOne(test *testing.T) {
	test.Parallel()
	t := onSockets(test)
	at := t.lane(2)
	a, kill := killable(t, at[0], 0)
	g := joins(t, at[1], at[0])
	b := g.player("", 0)
	group, other := g.group(0, 0), g.group(0, 0)
	require.Equal(t, wire.OK, g.AddPlayerToGroup(group, a))
	assert.Equal(t, wire.ErrInvalidPlayer, g.AddPlayerToGroup(group, 0))
	assert.Equal(t, wire.ErrInvalidPlayer, g.AddPlayerToGroup(group, other))
	assert.Equal(t, wire.OK, g.DeletePlayerFromGroup(group, a))
	assert.Equal(t, wire.ErrInvalidPlayer, g.DeletePlayerFromGroup(group, a))
	assert.Equal(t, wire.OK, g.SetGroupData(group, []byte("data"), 4, 0))
	name := "Group"
	assert.Equal(t, wire.OK, g.SetGroupName(group, &Name{Short: &name}, 0))
	buffer := Buffer{Size: 100}
	assert.Equal(t, wire.OK, g.GetGroupName(group, &buffer, Face{}))
	assert.Equal(t, "Group\x00", string(buffer.Data[16:]))
	kill()
	g.awaitSystem(SysSessionLost)
	assert.Equal(t, wire.ErrInvalidPlayer, g.DeletePlayerFromGroup(group, b), "it is not a member")
	for _, c := range []struct {
		kind uint32
		do   func() wire.HResult
	}{
		{SysAddPlayerToGroup, func() wire.HResult { return g.AddPlayerToGroup(group, b) }},
		{SysDeletePlayerFromGroup, func() wire.HResult { return g.DeletePlayerFromGroup(group, b) }},
		{SysSetPlayerOrGroupName, func() wire.HResult { return g.SetGroupName(group, nil, 0) }},
	} {
		assert.Equal(t, wire.OK, c.do())
		assert.Equal(t, c.kind, binary.LittleEndian.Uint32(g.awaitSystem(c.kind)))
	}
	assert.Equal(t, wire.OK, g.AddGroupToGroup(group, other))
	assert.Equal(t, wire.OK, g.DeleteGroupFromGroup(group, other))
	assert.Equal(t, wire.OK, g.DestroyGroup(group))
	assert.Equal(t, wire.ErrInvalidGroup, g.GetGroupData(group, &buffer, 0))
	assert.Equal(t, wire.ErrSessionLost, g.CreateGroup(&group, Making{}))
	assert.Equal(t, wire.ErrSessionLost, g.SetSessionDesc(&SessionDesc{}, 0))
	text := "anybody?"
	assert.Equal(t, wire.OK, g.SendChatMessage(b, 0, 0, &text))
	assert.Equal(t, wire.ErrNoSessions, g.CancelMessage(1, 0))
}

// TestElsewhere: who is in a session that is not open, its host tells as a rule nobody; a session that nobody heard of has
// none.
func TestElsewhere(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		hosts(t, at[0], 0)
		g := initialized(t, at[1], at[0].String())
		d := g.find()
		every := func(Listed) bool { return true }
		assert.Equal(t, wire.ErrNoSessions, g.EnumPlayers(&d.Instance, every, 0))
		assert.Equal(t, wire.ErrNoSessions, g.EnumPlayers(&testGame, every, EnumSession))
		for range 2 { // who is not answered is not busy for that
			assert.Equal(t, wire.ErrGeneric, g.EnumPlayers(&d.Instance, every, EnumSession), "as Windows has it")
		}
		assert.Equal(t, wire.ErrGeneric, g.EnumGroupPlayers(2, &d.Instance, every, EnumSession))
	})
}

// TestElsewhereTold: a host that tells strangers who is in its session is asked what every enumeration asks.
func TestElsewhereTold(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h, err := sock.Open(sock.Options{Bind: at[0], Network: t.network, Config: dpsp.Config{Compatible: true}})
		require.NoError(t, err)
		defer h.Close()
		require.NoError(t, h.Host(t.Context(), dpsp.Host{Application: testGame, Name: "Open"}))
		made := func(c dpsp.Command) wire.PlayerID {
			id, err := h.Do(t.Context(), c)
			require.NoError(t, err)
			return id
		}
		ids := []wire.PlayerID{made(dpsp.CreatePlayer{ShortName: "Ann"}), made(dpsp.CreatePlayer{Flags: wire.PlayerSpectator}),
			made(dpsp.CreateGroup{ShortName: "Team"}), made(dpsp.CreateGroup{})}
		ids = append(ids, made(dpsp.CreateGroup{Parent: ids[2]}))
		made(dpsp.AddToGroup{Player: ids[1], Group: ids[2]})
		made(dpsp.AddShortcut{Child: ids[3], Parent: ids[2]})
		g := initialized(t, at[1], at[0].String())
		d := g.find()
		in := &d.Instance
		for _, c := range []struct {
			want      string
			enumerate func(func(Listed) bool) wire.HResult
		}{
			{"01 80 280 ", func(f func(Listed) bool) wire.HResult { return g.EnumPlayers(in, f, EnumSession) }},
			{"01234 A0 2A0 80 80 80 ", func(f func(Listed) bool) wire.HResult { return g.EnumPlayers(in, f, EnumSession|EnumGroup) }},
			{"1 280 ", func(f func(Listed) bool) wire.HResult { return g.EnumPlayers(in, f, EnumSession|EnumSpectator) }},
			{"23 80 80 ", func(f func(Listed) bool) wire.HResult { return g.EnumGroups(in, f, EnumSession) }},
			{"1 280 ", func(f func(Listed) bool) wire.HResult { return g.EnumGroupPlayers(ids[2], in, f, EnumSession) }},
			{"34 480 80 ", func(f func(Listed) bool) wire.HResult { return g.EnumGroupsInGroup(ids[2], in, f, EnumSession) }},
		} {
			who, flags := listed(t, ids, c.enumerate)
			assert.Equal(t, c.want, who+" "+flags)
		}
		every := func(Listed) bool { return true }
		assert.Equal(t, wire.ErrInvalidGroup, g.EnumGroupPlayers(ids[0], in, every, EnumSession), "it is a player")
		assert.Equal(t, wire.ErrNoSessions, g.EnumGroupPlayers(ids[2], &testGame, every, EnumSession))
		assert.Equal(t, wire.ErrInvalidGroup, g.EnumGroupPlayers(ids[2], in, every, 0), "there is no session")
		g.enter("")
		assert.Equal(t, wire.ErrInvalidParams, g.EnumGroupPlayers(ids[2], in, every, EnumSession), "one is open")
	})
}

// TestHosts: whom a search asks.
func TestHosts(t *testing.T) {
	t.Parallel()
	some := netip.MustParseAddr("192.0.2.7")
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		game *string
		set  string
		want []netip.Addr
	}{
		{nil, "", nil}, {text(""), "", nil}, {text("255.255.255.255"), "", nil}, {text("255.255.255.255"), "192.0.2.7", nil},
		{nil, "192.0.2.7", []netip.Addr{some}}, {text(""), "192.0.2.7", []netip.Addr{some}},
		{text("gamehost"), "", []netip.Addr{some}}, {text("192.0.2.7"), "nobody", []netip.Addr{some}},
	} {
		o := New(Options{Config: Config{Address: c.set}, Resolve: resolver(some)})
		require.Equal(t, wire.OK, o.InitializeConnection(connectionTo(ProviderTCP, c.game), 0))
		got, ok := o.hosts(t.Context())
		assert.True(t, ok)
		assert.Equal(t, c.want, got)
		o.Release()
	}
	for _, o := range []*Object{New(Options{Config: Config{Address: "nobody"}}),
		New(Options{Config: Config{Address: "nobody"}, Resolve: resolver(some)})} {
		require.Equal(t, wire.OK, o.Initialize(ProviderTCP))
		_, ok := o.hosts(t.Context())
		assert.False(t, ok, "a name that nobody has is not everybody's")
		o.Release()
	}
}

// TestAnotherID: a player of ours that a healed session gives another id keeps its event, its local data and its local name, and
// is told who it is now; a group keeps its data.
func TestAnotherID(t *testing.T) {
	bubble(t, func(t *world) {
		h := hosts(t, t.lane(1)[0], 0)
		woken := 0
		var id wire.PlayerID
		name := "Ann"
		require.Equal(t, wire.OK, h.CreatePlayer(&id, Making{Name: &Name{Short: &name}, Wake: func() { woken++ }}))
		group := h.group(0, 0)
		require.Equal(t, wire.OK, h.SetPlayerData(id, []byte("own"), 3, SetLocal))
		require.Equal(t, wire.OK, h.SetGroupData(group, []byte("its"), 3, SetLocal))
		h.trace()
		woken = 0
		other := &maker{name: Name{Short: new(string)}} // another thread makes a player meanwhile
		h.maker = other
		for _, e := range []dpsp.Event{dpsp.PlayerDeleted{ID: id}, dpsp.GroupDeleted{ID: group},
			dpsp.PlayerCreated{ID: 7001, System: 7000, Local: true, ShortName: "Ann", Instead: id},
			dpsp.GroupCreated{ID: 7002, System: 7000, Local: true, Instead: group}, dpsp.PlayerCreated{ID: id, System: 8000, ShortName: "Zoë"}} {
			h.mu.Lock()
			h.take(e)
			h.mu.Unlock()
		}
		for _, want := range [][]uint32{{SysDestroyPlayerOrGroup, typePlayer, uint32(id)}, {SysCreatePlayerOrGroup, typePlayer, 7001},
			{SysCreatePlayerOrGroup, typeGroup, 7002}, {SysCreatePlayerOrGroup, typePlayer, uint32(id)}} {
			_, to, data, ok := h.received()
			require.True(t, ok)
			assert.EqualValues(t, 7001, to)
			words := make([]uint32, 3)
			require.NoError(t, second(binary.Decode(data, binary.LittleEndian, words)))
			assert.Equal(t, want, words)
		}
		assert.Equal(t, 4, woken)
		assert.Same(t, other, h.maker, "it is for the other player")
		b := Buffer{Size: 40}
		require.Equal(t, wire.OK, h.GetPlayerName(7001, &b, Face{}))
		assert.Equal(t, "Ann\x00", string(b.Data[16:]))
		b = Buffer{Size: 10}
		require.Equal(t, wire.OK, h.GetPlayerData(7001, &b, GetLocal))
		assert.Equal(t, "own", string(b.Data))
		b = Buffer{Size: 10}
		require.Equal(t, wire.OK, h.GetGroupData(7002, &b, GetLocal))
		assert.Equal(t, "its", string(b.Data))
		b = Buffer{Size: 10}
		require.Equal(t, wire.OK, h.GetPlayerData(id, &b, GetLocal), "another one's now")
		assert.Empty(t, b.Data)
	})
}
