package sock

import (
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
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
			synctest.Test(t, func(t *testing.T) {
				for _, compatible := range []bool{false, true} {
					at, n := lane(3), socktest.New()
					opt := Options{Bind: at[1], Network: n, Config: dpsp.Config{Compatible: compatible}}
					joinWindows(t, opt, at[0], windowshost.Manners(at[2])[name])
				}
			})
		})
	}
}

func joinWindows(t *testing.T, opt Options, host netip.Addr, m windowshost.Manner) {
	t.Helper()
	ctx := soon(t)
	m.Network = opt.Network
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
	synctest.Test(t, func(t *testing.T) {
		n, at := socktest.New(), lane(3)
		h, err := windowshost.Open(at[0], testGame, windowshost.Manner{Network: n})
		require.NoError(t, err)
		defer h.Close()
		s, err := Open(Options{Bind: at[1], Network: n})
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
	})
}
