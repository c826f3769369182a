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
		assert.Equal(t, want, o.became(err))
	}
	assert.Equal(t, wire.ErrInvalidPlayer, o.sent(dpsp.ErrNoID))
	assert.Equal(t, wire.ErrSendTooBig, o.sent(dpsp.ErrTooBig))
}

// TestGroupsOfOne: members come and go, and after the session was lost what is ours can still be put in order.
func TestGroupsOfOne(t *testing.T) {
	t.Parallel()
	at := lane(2)
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
	assert.Equal(t, wire.ErrUnsupported, g.GetGroupConnectionSettings(group))
	assert.Equal(t, wire.ErrUnsupported, g.SetGroupConnectionSettings(group))
	kill()
	g.awaitSystem(SysSessionLost)
	for kind, do := range map[uint32]func() wire.HResult{
		SysAddPlayerToGroup:      func() wire.HResult { return g.AddPlayerToGroup(group, b) },
		SysDeletePlayerFromGroup: func() wire.HResult { return g.DeletePlayerFromGroup(group, b) },
		SysSetPlayerOrGroupName:  func() wire.HResult { return g.SetGroupName(group, nil, 0) },
	} {
		assert.Equal(t, wire.OK, do())
		assert.Equal(t, kind, binary.LittleEndian.Uint32(g.awaitSystem(kind)))
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
	t.Parallel()
	at := lane(2)
	hosts(t, at[0], 0)
	g := initialized(t, at[1], at[0].String())
	d := g.find()
	every := func(Listed) bool { return true }
	assert.Equal(t, wire.ErrNoSessions, g.EnumPlayers(&d.Instance, every, 0))
	assert.Equal(t, wire.ErrNoSessions, g.EnumPlayers(&testGame, every, EnumSession))
	assert.Equal(t, wire.ErrGeneric, g.EnumPlayers(&d.Instance, every, EnumSession), "as Windows has it")
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
		{nil, "", nil}, {text(""), "192.0.2.7", nil}, {text("255.255.255.255"), "", nil}, {nil, "192.0.2.7", []netip.Addr{some}},
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
