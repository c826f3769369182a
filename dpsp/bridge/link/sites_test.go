//go:build linux || windows

package link

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
	"dplay4/dpsp/bridge/relay/relaytest"
	"dplay4/internal/testkit"
)

// resolver begins a DNS server on loopback for a zone, and returns what asks it.
func resolver(t *testing.T, z relaytest.Zone) *net.Resolver {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	go z.Serve(c)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp4", c.LocalAddr().String())
	}}
}

// play is a zone with three relays of a community.
func play(t *testing.T) relaytest.Zone {
	at := testkit.Addrs(t, 3)
	return relaytest.Community("play.example.org", at[0], at[1], at[2])
}

// TestSites has the sites of relays, with records of DNS and without.
func TestSites(t *testing.T) {
	t.Parallel()
	z := play(t)
	z.SRV["_turn._udp.lame.example.org."] = []net.SRV{{Target: "relay1.example.org.", Port: 1000, Priority: 5}}
	z.SRV["_turns._tcp.lame.example.org."] = []net.SRV{{Target: "RELAY2.example.org.", Port: 443, Priority: 1},
		{Target: "relay1.example.org.", Port: 444, Priority: 7}}
	dns := resolver(t, z)
	for _, c := range []struct {
		relay code.Relay
		want  []Site
	}{
		{code.Relay{Host: "203.0.113.5", Port: 3478}, []Site{{"203.0.113.5", 3478, 3478, 5349}}},
		{code.Relay{Host: "play.example.org", Port: 443}, []Site{{"play.example.org", 443, 443, 443}}},
		{code.Relay{Host: "relay1.example.org"}, []Site{{"relay1.example.org", 3478, 3478, 5349}}},
		{code.Relay{Host: "lame.example.org"}, []Site{{"relay2.example.org", 0, 0, 443}, {"relay1.example.org", 1000, 0, 444}}},
	} {
		got, err := sitesWithin(t.Context(), 1000*srvMost, dns, c.relay, "session")
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	at, err := Site{Host: "relay2.example.org"}.Addrs(t.Context(), dns)
	require.NoError(t, err)
	assert.Equal(t, z.Hosts["relay2.example.org."], at)
	_, err = Site{Host: "nobody.example.org"}.Addrs(t.Context(), dns)
	assert.EqualError(t, err, "there is no machine of the name nobody.example.org")
	deaf := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, syscall.ENETUNREACH }}
	_, err = Site{Host: "relay2.example.org"}.Addrs(t.Context(), deaf)
	assert.EqualError(t, err, "the name relay2.example.org cannot be looked up, for nobody answers who knows names (DNS): is this "+
		"machine connected?")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Sites(gone, dns, code.Relay{Host: "play.example.org"}, "session")
	assert.ErrorIs(t, err, context.Canceled)
}

// TestSitesOrder: all machines of a session have one order; of many sessions each site has as many as its weight says; and a
// site that goes moves only the sessions that it had.
func TestSitesOrder(t *testing.T) {
	t.Parallel()
	weights := map[string]uint16{"one": 10, "two": 20, "three": 70, "zero": 0}
	of := func(names ...string) records {
		var all []*net.SRV
		for _, n := range names {
			all = append(all, &net.SRV{Target: n + ".", Port: 1, Priority: 10, Weight: weights[n]})
		}
		return records{append(all, &net.SRV{Target: "last.", Port: 1, Priority: 20, Weight: 1000})}
	}
	const sessions = 10000
	first := map[string]int{}
	for i := range sessions {
		session := fmt.Sprint("m", i)
		sites := of("one", "two", "three", "zero").sites(session)
		assert.Equal(t, sites, of("zero", "three", "two", "one").sites(session))
		require.Len(t, sites, 5)
		assert.Equal(t, "last", sites[4].Host)
		first[sites[0].Host]++
		without := of("one", "two", "zero").sites(session)
		assert.Equal(t, slices.DeleteFunc(sites, func(s Site) bool { return s.Host == "three" }), without)
	}
	for name, n := range first {
		assert.InDelta(t, int(weights[name])*sessions/100, n, sessions/50, name)
	}
	assert.GreaterOrEqual(t, len(slices.Collect(maps.Keys(first))), 3)
}

// TestSRV: machines that know a name with three relays meet at two of them, go on when one is killed, and are found by newcomers.
func TestSRV(t *testing.T) {
	t.Parallel()
	z := play(t)
	servers := map[string]*relay.Server{}
	for name, at := range z.Hosts {
		servers[name] = realRelay(t, at[0])
	}
	c := code.Code{Secret: secret, Relays: []code.Relay{{Host: "play.example.org"}}}
	a, b := mesh(t, Config{Code: c, DNS: resolver(t, z)}), mesh(t, Config{Code: c, DNS: resolver(t, z)})
	ab, ba := realPair(t, a, b)
	echo(t, ba)
	echoes(t, ab)
	both := func(m *Mesh) bool { return len(m.Addresses()) == SitesUsed }
	testkit.Until(t, func() bool { return both(a) && both(b) }, "two addresses each")
	used := func(m *Mesh) (at []netip.Addr) {
		for _, p := range m.Addresses() {
			at = append(at, p.Addr())
		}
		return at
	}
	assert.Equal(t, used(a), used(b))
	assert.NotEqual(t, used(a)[0], used(a)[1])
	assert.Equal(t, []string{"play.example.org", "play.example.org (server 2)"}, []string{a.Relays()[0].Name, a.Relays()[1].Name})

	for name, at := range z.Hosts {
		if at[0] == used(a)[0] {
			require.NoError(t, servers[name].Close())
		}
	}
	d := mesh(t, Config{Code: c, DNS: resolver(t, z)})
	assert.Equal(t, b.ID(), knocks(t, d).ID())
	echoes(t, ab)
}

// TestNoSRV: a relay's name works also where nobody answers questions for SRV records, as with some routers.
func TestNoSRV(t *testing.T) {
	t.Parallel()
	relayAt := testkit.Addr(t)
	realRelay(t, relayAt)
	z := relaytest.Zone{Hosts: map[string][]netip.Addr{"relay.example.org.": {relayAt}}, NoSRV: true}
	m := mesh(t, Config{Code: code.Code{Secret: secret, Relays: []code.Relay{{Host: "relay.example.org"}}}, DNS: resolver(t, z)})
	require.NoError(t, m.Ready(testkit.Context(t)))
}
