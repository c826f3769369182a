package sock

import (
	"context"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/windowshost"
	"dplay4/wire"
)

// TestWindowsHost joins hosts of each manner, strictly and not: the session works, and as many connections came as the
// manner has it.
func TestWindowsHost(t *testing.T) {
	t.Parallel()
	for name := range windowshost.Manners(netip.Addr{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, compatible := range []bool{false, true} {
				at := hostLane(t)
				opt := Options{Bind: at[1], Config: dpsp.Config{Compatible: compatible}}
				joinWindows(t, opt, at[0], windowshost.Manners(at[2])[name])
			}
		})
	}
}

// lanes counts the addresses that hostLane gave.
var lanes atomic.Uint32

// hostLane returns three addresses that no other test has.
func hostLane(*testing.T) (all []netip.Addr) {
	n := lanes.Add(1)
	for i := range 3 {
		all = append(all, netip.AddrFrom4([4]byte{127, 3, byte(n >> 6), byte(n<<2) + byte(i)}))
	}
	return all
}

func joinWindows(t *testing.T, opt Options, host netip.Addr, m windowshost.Manner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	h, err := windowshost.Open(host, testGame, m)
	require.NoError(t, err)
	defer h.Close()
	s, err := Open(opt)
	require.NoError(t, err)
	defer s.Close()
	var at Found
	for f, err := range s.Enumerate(ctx, Ask{Application: testGame, Hosts: []netip.Addr{host}}) {
		require.NoError(t, err)
		if at = f; f.Name == "Windows" {
			break
		}
	}
	require.NoError(t, s.Join(ctx, at, ""))
	me, err := s.CreatePlayer(ctx, "Ann", nil)
	require.NoError(t, err)
	var other wire.PlayerID
	for other == 0 {
		if p := next[dpsp.PlayerCreated](t, s); p.ShortName == "Müller" {
			other = p.ID
		}
	}
	require.NoError(t, s.Send(ctx, me, other, []byte("hello"), true))
	assert.Equal(t, "heard: hello", string(next[dpsp.Message](t, s).Payload))
	assert.Equal(t, 1+min(1, m.Deaf)+map[bool]int{true: 1}[m.Late], h.Heard(wire.CmdRequestPlayerID)-1,
		"requests, but for the player's")
	switch {
	case m.Each:
	case m.Hangs:
		assert.LessOrEqual(t, h.Opened(), 4)
	default:
		assert.Equal(t, 1, h.Opened(), "one connection for everything")
	}
}

// TestLeaveIsSaid: when Leave returns all that was said is with the system, the goodbye too; a peer that is gone is not waited for
// long.
func TestLeaveIsSaid(t *testing.T) {
	t.Parallel()
	at := hostLane(t)
	h, err := windowshost.Open(at[0], testGame, windowshost.Manner{})
	require.NoError(t, err)
	defer h.Close()
	s, err := Open(Options{Bind: at[1]})
	require.NoError(t, err)
	defer s.Close()
	found, err := s.Find(t.Context(), Ask{Application: testGame, Hosts: at[:1]})
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, s.Join(t.Context(), found, ""))
		me, err := s.CreatePlayer(t.Context(), "Ann", nil)
		require.NoError(t, err)
		all := s.loop.outbounds()
		require.NotEmpty(t, all)
		require.NoError(t, s.Send(t.Context(), me, wire.IDAll, make([]byte, 900_000), true))
		require.NoError(t, s.Leave(t.Context()))
		for _, o := range all {
			assert.Zero(t, o.waiting())
		}
	}
}
