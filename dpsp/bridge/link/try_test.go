//go:build linux || windows

package link

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
	"dplay4/internal/testkit"
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
	club := func(secret string) code.Credential {
		return code.NewCredential(secret, "club", time.Now().AddDate(0, 0, 1))
	}
	for _, c := range []struct {
		name   string
		secret string
		limits relay.Limits
		before bool // somebody is there
		with   code.Credential
		want   string
		other  bool // another credential would do
	}{
		{name: "open", secret: code.OpenSecret, limits: none},
		{name: "credential", secret: secret, limits: none, with: club(secret)},
		{"closed", secret, none, false, code.Credential{}, "it lets in only who has a name and a password", true},
		{"wrong", secret, none, false, club("of another one"), "is wrong, or has expired by its clock", true},
		{"expired", secret, none, false, code.NewCredential(secret, "club", time.Unix(1e9, 0)),
			"the name and the password for it expired at 01:46 UTC on 9 September 2001", true},
		{"no expiry", secret, none, false, code.Credential{User: "anna", Password: "x"}, "the name or the password for it is wrong", true},
		{"address", code.OpenSecret, limits(func(l *relay.Limits) { l.PerAddress = 1 }), true, code.Credential{}, "it is full: it takes no more", false},
		{"full", code.OpenSecret, one, true, code.Credential{}, "it is full, or about to end", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := testkit.Addr(t)
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
			err = Try(testkit.Context(t), nil, r, Site{Host: r.Host, UDP: r.Port, TCP: r.Port})
			if c.want == "" {
				require.NoError(t, err)
				testkit.Until(t, func() bool { return s.Allocations() == 0 }, "the address to be given back")
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
	at := testkit.Addr(t)
	c := relay.Config{Public: []netip.Addr{at}, Listen: []netip.Addr{at}, Port: relay.DefaultPort, Secret: code.OpenSecret, Limits: relay.DefaultLimits()}
	s, err := relay.Open(c)
	require.NoError(t, err)
	a, err := door{transport: "udp", server: netip.AddrPortFrom(at, c.Port)}.opens(t, code.Relay{Host: at.String(), Port: c.Port}, "a0123456789abcdef")
	require.NoError(t, err)
	defer a.close()
	require.NoError(t, new(tenant).ask(testkit.Context(t), a))
	require.NoError(t, s.Close())
	s, err = relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	assert.EqualError(t, new(tenant).ask(testkit.Context(t), a), "it does not know this machine any more")
}

// TestTryPorts: where nobody answers at one port, the others do.
func TestTryPorts(t *testing.T) {
	t.Parallel()
	at := testkit.Addr(t)
	realRelay(t, at)
	r := code.Relay{Host: at.String(), Port: relay.DefaultPort}
	require.NoError(t, Try(testkit.Context(t), nil, r, Site{Host: r.Host, UDP: 9, TCP: relay.DefaultPort}))
	require.NoError(t, Try(testkit.Context(t), nil, r, Site{Host: r.Host, TLS: relay.DefaultTLSPort}))
	err := Try(testkit.Context(t), nil, r, Site{Host: r.Host, TCP: 9})
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "it cannot be reached: TCP ")
}
