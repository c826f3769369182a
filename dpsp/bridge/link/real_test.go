//go:build linux || windows

package link

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/pion/transport/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
	"dplay4/internal/testkit"
)

// realRelay opens a relay of ours on loopback.
func realRelay(t testing.TB, a netip.Addr) *relay.Server {
	t.Helper()
	certificate, err := relay.SelfMade([]netip.Addr{a})
	require.NoError(t, err)
	limits := relay.DefaultLimits()
	limits.Rate, limits.AddressRate, limits.Queue = 1<<30, 1<<30, 1<<10
	s, err := relay.Open(relay.Config{Public: []netip.Addr{a}, Listen: []netip.Addr{a}, Port: relay.DefaultPort,
		TLSPort: relay.DefaultTLSPort, Certificate: certificate, Secret: code.OpenSecret, Limits: limits})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// A withoutUDP is a system that has none.
type withoutUDP struct{ *system }

func (withoutUDP) ListenPacket(string, string) (net.PacketConn, error) { return nil, net.ErrClosed }

// A withoutTCP is a system that has none.
type withoutTCP struct{ *system }

func (withoutTCP) CreateDialer(*net.Dialer) transport.Dialer { return noDialer{} }

type noDialer struct{}

func (noDialer) Dial(string, string) (net.Conn, error) { return nil, net.ErrClosed }

// TestRealRelay links machines over a relay of ours and the sockets of the system, one of which has no UDP.
func TestRealRelay(t *testing.T) {
	t.Parallel()
	at := testkit.Addr(t)
	realRelay(t, at)
	c := code.Code{Secret: secret, Relays: []code.Relay{{Host: at.String(), Port: relay.DefaultPort}}}
	// By "t" is TCP or TLS, whichever answers first.
	for name, n := range map[string]transport.Net{"udp": withoutTCP{newSystem()}, "t": withoutUDP{newSystem()}} {
		a, b := mesh(t, Config{Code: c, Net: n, ForceRelay: true}), mesh(t, Config{Code: c, Net: withoutTCP{newSystem()}})
		ab, ba := realPair(t, a, b)
		echo(t, ba)
		echoes(t, ab)
		assert.Contains(t, ab.Way().Over, "relay "+at.String()+" by "+name)
		assert.Equal(t, "relay "+at.String()+" by udp", ba.Way().Over)
		assert.Equal(t, code.Ports(a.identity.tag())[0], a.Addresses()[0].Port())
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	}
}

// TestRealDirect links machines of this one directly, if it has an address that is none of loopback.
func TestRealDirect(t *testing.T) {
	t.Parallel()
	if addressesOf(newSystem()) == "" {
		t.Skip("this machine has no address but loopback's")
	}
	at := testkit.Addr(t)
	realRelay(t, at)
	c := code.Code{Secret: secret, Relays: []code.Relay{{Host: at.String(), Port: relay.DefaultPort}}}
	a, b := mesh(t, Config{Code: c}), mesh(t, Config{Code: c})
	ab, ba := realPair(t, a, b)
	testkit.Until(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, "direct ways")
	echo(t, ba)
	echoes(t, ab)
	require.NoError(t, ab.SendDatagram(make([]byte, 60000)))
	d, err := ba.ReceiveDatagram(testkit.Context(t))
	require.NoError(t, err)
	assert.Len(t, d, 60000)
}

// opens gets an allocation through the door.
func (d door) opens(t *testing.T, r code.Relay, tag string) (*allocation, error) {
	t.Helper()
	a, err := d.reach(t.Context(), newSystem())
	require.NoError(t, err)
	return a.enter(t.Context(), r, tag)
}

// TestDoors goes through each door of a relay of ours.
func TestDoors(t *testing.T) {
	t.Parallel()
	at := testkit.Addr(t)
	realRelay(t, at)
	r := code.Relay{Host: at.String(), Port: relay.DefaultPort}
	sites, err := Sites(t.Context(), nil, r, "")
	require.NoError(t, err)
	doors, err := sites[0].doors(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, slices.Concat(doors...), 3)
	for _, d := range slices.Concat(doors...) {
		a, err := d.opens(t, r, "a0123456789abcdef")
		require.NoError(t, err, d.transport)
		require.NoError(t, a.check(testkit.Context(t)), d.transport)
		got := make(chan route)
		go a.deliver(func(r route, b []byte) {
			assert.Equal(t, "hello", string(b))
			got <- r
		})
		a.send([]byte("hello"), a.relayed)
		assert.Equal(t, route{a, a.relayed}, <-got, d.transport)
		a.close()
		assert.Error(t, a.check(testkit.Context(t)))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = door{transport: "udp", server: netip.AddrPortFrom(at, 9)}.reach(ended, newSystem())
	assert.ErrorContains(t, err, "UDP 127.")
	r.User, r.Password = "2147483647:club", "wrong"
	_, err = doors[0][0].opens(t, r, "a0123456789abcdef")
	assert.ErrorContains(t, err, "the name or the password for it is wrong")
}

// TestSendersAtOnce: several who write to a new address at once do not cost the allocation. pion's client makes a channel for each of
// them then, and gives the allocation up when the relay refuses the second one (facts, bridge 6).
func TestSendersAtOnce(t *testing.T) {
	t.Parallel()
	at := testkit.Addr(t)
	realRelay(t, at)
	r := code.Relay{Host: at.String(), Port: relay.DefaultPort}
	a, err := door{transport: "udp", server: netip.AddrPortFrom(at, relay.DefaultPort)}.opens(t, r, "b0123456789abcdef")
	require.NoError(t, err)
	defer a.close()
	came, ended := make(chan string, 1), make(chan struct{})
	go func() {
		a.deliver(func(_ route, b []byte) { came <- string(b) })
		close(ended)
	}()
	a.send([]byte("first"), a.relayed)
	require.Equal(t, "first", <-came)
	for port := range uint16(200) {
		var senders sync.WaitGroup
		at := make(chan struct{})
		for range 64 {
			senders.Go(func() {
				<-at
				a.send([]byte("x"), netip.AddrPortFrom(a.relayed.Addr(), 1+port))
			})
		}
		close(at)
		senders.Wait()
	}
	require.NoError(t, a.check(testkit.Context(t)))
	a.send([]byte("last"), a.relayed)
	select {
	case b := <-came:
		assert.Equal(t, "last", b)
	case <-ended:
		assert.Fail(t, "the allocation is gone")
	case <-testkit.Context(t).Done():
		assert.Fail(t, "nothing came")
	}
}

// TestWorn: an allocation reaches so many addresses; then another one is made, with the same address and room for others.
func TestWorn(t *testing.T) {
	t.Parallel()
	at := testkit.Addr(t)
	realRelay(t, at)
	m := mesh(t, Config{Code: code.Code{Secret: secret, Relays: []code.Relay{{Host: at.String(), Port: relay.DefaultPort}}}})
	require.NoError(t, m.Ready(testkit.Context(t)))
	a := m.own()[0]
	met := func() int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.met)
	}
	testkit.Until(t, func() bool { return met() == 1 }, "its own address")
	for port := range uint16(2 * metMost) {
		a.send([]byte("x"), netip.AddrPortFrom(a.relayed.Addr(), 1024+port))
	}
	assert.Equal(t, metMost, met())
	select {
	case <-a.over.Done():
		assert.Fail(t, "so soon")
	default:
	}
	a.mu.Lock()
	a.began = a.began.Add(-wornSoon)
	a.mu.Unlock()
	a.send([]byte("x"), netip.AddrPortFrom(a.relayed.Addr(), 1))
	testkit.Until(t, func() bool { all := m.own(); return len(all) == 1 && all[0] != a }, "another allocation")
	assert.Equal(t, a.relayed, m.own()[0].relayed)
}

// TestSystem: the adapters and the sockets of this machine are as pion wants them.
func TestSystem(t *testing.T) {
	t.Parallel()
	s := newSystem()
	all, err := s.Interfaces()
	require.NoError(t, err)
	lo := slices.IndexFunc(all, func(i *transport.Interface) bool { return i.Flags&net.FlagLoopback != 0 })
	require.GreaterOrEqual(t, lo, 0)
	addrs, err := all[lo].Addrs()
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1/8", addrs[0].String())
	assert.NotContains(t, addressesOf(s), "127.0.0.1/8")
	for _, at := range []*net.UDPAddr{nil, {IP: net.IPv4(127, 0, 77, 3)}} {
		c, err := s.ListenUDP("udp4", at)
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
}
