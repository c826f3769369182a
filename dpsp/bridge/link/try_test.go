//go:build linux || windows

package link

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/turn/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
)

// TestTry: a relay is good if it lets us in and carries something; otherwise it is said what it has against us.
func TestTry(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef"
	limits := func(change func(*relay.Limits)) relay.Limits {
		l := relay.DefaultLimits()
		change(&l)
		return l
	}
	none, one := limits(func(*relay.Limits) {}), limits(func(l *relay.Limits) { l.Allocations = 1 })
	club := func(secret string, in time.Duration) code.Credential {
		return code.NewCredential(secret, "club", time.Now().Add(in))
	}
	for i, c := range []struct {
		name   string
		secret string
		limits relay.Limits
		before bool // somebody is there
		with   code.Credential
		want   string
		other  bool // another credential would do
	}{
		{name: "open", secret: code.OpenSecret, limits: none},
		{name: "credential", secret: secret, limits: none, with: club(secret, time.Hour)},
		{"closed", secret, none, false, code.Credential{}, "it lets in only who has a name and a password", true},
		{"wrong", secret, none, false, club("of another one", time.Hour), "is wrong, or has expired by its clock", true},
		{"expired", secret, none, false, code.NewCredential(secret, "club", time.Unix(1e9, 0)),
			"the name and the password for it expired at 01:46 UTC on 9 September 2001", true},
		{"no expiry", secret, none, false, code.Credential{User: "anna", Password: "x"}, "the name or the password for it is wrong", true},
		{"address", code.OpenSecret, limits(func(l *relay.Limits) { l.PerAddress = 1 }), true, code.Credential{}, "it is full: it takes no more", false},
		{"full", code.OpenSecret, one, true, code.Credential{}, "it is full, or about to end", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := here(40 + i)
			s, err := relay.Open(relay.Config{Public: []netip.Addr{at}, Listen: []netip.Addr{at}, Port: relay.DefaultPort,
				Secret: c.secret, Limits: c.limits})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close()) })
			r := code.Relay{Host: at.String(), Port: relay.DefaultPort, User: c.with.User, Password: c.with.Password}
			if c.before {
				a, err := door{transport: "udp", server: netip.AddrPortFrom(at, relay.DefaultPort)}.opens(t, r, "a0123456789abcdef")
				require.NoError(t, err)
				defer a.close()
			}
			err = Try(within(t), nil, r, Site{Host: r.Host, UDP: r.Port, TCP: r.Port})
			if c.want == "" {
				require.NoError(t, err)
				assert.Eventually(t, func() bool { return s.Allocations() == 0 }, soon, time.Millisecond, "it was given back")
				return
			}
			assert.ErrorContains(t, err, c.want)
			var refused *RefusedError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.other, refused.Credential)
			assert.NotErrorIs(t, err, ErrUnreachable)
		})
	}
}

// TestForgotten: a relay that began anew says that it does not know us, and we say it in plain words.
func TestForgotten(t *testing.T) {
	t.Parallel()
	at := here(52)
	c := relay.Config{Public: []netip.Addr{at}, Listen: []netip.Addr{at}, Port: relay.DefaultPort, Secret: code.OpenSecret, Limits: relay.DefaultLimits()}
	s, err := relay.Open(c)
	require.NoError(t, err)
	a, err := door{transport: "udp", server: netip.AddrPortFrom(at, c.Port)}.opens(t, code.Relay{Host: at.String(), Port: c.Port}, "a0123456789abcdef")
	require.NoError(t, err)
	defer a.close()
	require.NoError(t, new(tenant).ask(within(t), a))
	require.NoError(t, s.Close())
	s, err = relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	assert.EqualError(t, new(tenant).ask(within(t), a), "it does not know this machine any more")
}

// TestTryPorts: where nobody answers at one port, the others do.
func TestTryPorts(t *testing.T) {
	t.Parallel()
	realRelay(t, here(49))
	r := code.Relay{Host: here(49).String(), Port: relay.DefaultPort}
	require.NoError(t, Try(within(t), nil, r, Site{Host: r.Host, UDP: 9, TCP: relay.DefaultPort}))
	require.NoError(t, Try(within(t), nil, r, Site{Host: r.Host, TLS: relay.DefaultTLSPort}))
	err := Try(within(t), nil, r, Site{Host: r.Host, TCP: 9})
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "it cannot be reached: TCP ")
}

// TestTryCarries: a relay is of no use that lets nothing through between its users.
func TestTryCarries(t *testing.T) {
	t.Parallel()
	pc, err := net.ListenPacket("udp4", netip.AddrPortFrom(here(50), 0).String())
	require.NoError(t, err)
	s, err := turn.NewServer(turn.ServerConfig{Realm: "test", LoggerFactory: silent{},
		AuthHandler: func(a *turn.RequestAttributes) (string, []byte, bool) {
			return a.Username, turn.GenerateAuthKey(a.Username, a.Realm, code.Password(code.OpenSecret, a.Username)), true
		},
		PacketConnConfigs: []turn.PacketConnConfig{{PacketConn: pc, PermissionHandler: func(net.Addr, net.IP) bool { return false },
			RelayAddressGenerator: &turn.RelayAddressGeneratorStatic{RelayAddress: net.IP(here(50).AsSlice()), Address: here(50).String()}}}})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() }) //nolint:errcheck // it ends
	r := code.Relay{Host: here(50).String()}
	err = Try(within(t), nil, r, Site{Host: r.Host, UDP: uint16(pc.LocalAddr().(*net.UDPAddr).Port)})
	assert.ErrorContains(t, err, "carries nothing from one of its users to another")
}
