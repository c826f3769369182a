package relay

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/stun/v4"
	"github.com/pion/turn/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/internal/testkit"
)

// TestQuota: an address has as many allocations as it may, and so has the relay.
func TestQuota(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Limits.PerAddress = 3 })
	g := s.target()
	var have []machine
	for range 3 {
		have = append(have, g.member(t, "udp", ""))
	}
	_, err := g.allocate(t, "udp", g.credential(""))
	assert.ErrorContains(t, err, "486")
	_, err = g.allocate(t, "udp", g.credential("a0123456789abcdef"))
	assert.ErrorContains(t, err, "486")
	assert.Equal(t, "2", s.value(`dplay_relay_refused_total{reason="address"}`))
	require.NoError(t, have[0].Close())
	eventually(t, "room", func() bool { return s.Allocations() == 2 })
	g.member(t, "udp", "")

	s = begin(t, func(c *Config) { c.Limits.Allocations = 1 })
	s.target().member(t, "udp", "")
	_, err = s.target().allocate(t, "udp", g.credential(""))
	assert.ErrorContains(t, err, "508")
	assert.Equal(t, "1", s.value(`dplay_relay_refused_total{reason="full"}`))
}

// TestNetworks: what providers give a home counts as one address.
func TestNetworks(t *testing.T) {
	t.Parallel()
	of := func(s string) netip.Addr { return sourceOf(netip.MustParseAddr(s)) }
	assert.Equal(t, of("2001:db8:1:2:3::4"), of("2001:db8:1:2:ffff::"))
	assert.NotEqual(t, of("2001:db8:1:2::"), of("2001:db8:1:3::"))
	assert.Equal(t, of("192.0.2.1"), of("::ffff:192.0.2.1"))
	assert.NotEqual(t, of("192.0.2.1"), of("192.0.2.2"))
}

// TestRate: no more gets through than may.
func TestRate(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Limits){
		"an allocation's": func(l *Limits) { l.Rate = 20000 },
		"an address's":    func(l *Limits) { l.AddressRate = 20000 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, func(c *Config) { change(&c.Limits) })
			a, b := s.target().member(t, "udp", ""), s.target().member(t, "tcp", "")
			talk(t, a, b, "first")
			limited(t, s, 200, b, a)
		})
	}
}

// TestManyToOne: however many send to one client, it gets no more than one may send.
func TestManyToOne(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Limits.Rate = 20000 })
	to := s.target().member(t, "udp", "")
	var from [5]machine
	for i := range from {
		from[i] = s.target().member(t, "udp", "")
		talk(t, from[i], from[i], "ready")
	}
	limited(t, s, 15, to, from[:]...)
}

// limited has machines send kilobytes to one, so many each time, until the relay drops some for 20,000 octets a second. It checks that
// no more got through. A slow machine sends less than that for a while.
func limited(t *testing.T, s *Server, kilobytes int, to machine, from ...machine) {
	t.Helper()
	before, began := s.counts[relayedOctets].Load(), time.Now()
	eventually(t, "it is limited", func() bool {
		for _, m := range from {
			for range kilobytes {
				_, err := m.WriteTo(make([]byte, 1000), to.LocalAddr())
				require.NoError(t, err)
			}
		}
		return s.value(`dplay_relay_dropped_total{reason="rate"}`) != "0"
	})
	most := 20000 * (1 + time.Since(began).Seconds())
	assert.LessOrEqual(t, float64(s.counts[relayedOctets].Load()-before), most+1000)
}

// TestDeaf: a client that takes nothing holds nobody up, and the memory of what waits for it is bounded.
func TestDeaf(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Limits.Rate, c.Limits.AddressRate, c.Limits.Memory = 1<<30, 1<<30, 100*largest })
	g := s.target()
	deaf := g.plain(t, "tcp", g.credential("a0123456789abcdef"))
	require.NoError(t, deaf.conn.(*turn.STUNConn).Conn().(*net.TCPConn).SetReadBuffer(4096))
	require.Zero(t, failure(deaf.signed(allocateRequest, transportUDP)))
	require.Zero(t, failure(deaf.signed(permissionRequest, peerAddress(netip.AddrPortFrom(g.public, 9)))))
	from, to := g.member(t, "udp", ""), g.member(t, "udp", "")
	at := net.UDPAddrFromAddrPort(netip.AddrPortFrom(g.public, code.Ports("a0123456789abcdef")[0]))
	wait := func() uint64 { // packets that wait for it, here or in the system
		return s.counts[relayedPackets].Load() - s.counts[droppedQueue].Load() - s.counts[droppedMemory].Load()
	}
	waited, dropped := wait(), s.counts[droppedQueue].Load()
	eventually(t, "its queue is full", func() bool { // since the last look packets were dropped, and none was kept
		before := waited
		full := s.counts[droppedQueue].Load() > dropped
		waited, dropped = wait(), s.counts[droppedQueue].Load()
		for range 100 {
			_, err := from.WriteTo(make([]byte, 1400), at)
			require.NoError(t, err)
		}
		assert.LessOrEqual(t, s.store.taken(), int64(101*largest))
		return full && waited == before
	})
	assert.Less(t, 1400*wait(), uint64(512<<10), "it waits in the system")
	talk(t, from, to, "and us?")
	require.NoError(t, deaf.conn.Close())
	eventually(t, "the memory is given back", func() bool { return s.store.taken() == 0 })
}

// TestFlood: a flood from one address gets a bounded number of answers and takes no memory, nor the service from others.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.target()
	a, b := g.member(t, "udp", ""), g.member(t, "tcp", "")
	began := time.Now()
	flood, err := net.ListenPacket("udp4", netip.AddrPortFrom(testkit.Addr(t), 0).String())
	require.NoError(t, err)
	defer flood.Close()
	for range 20000 {
		m := stun.MustBuild(stun.TransactionID, allocateRequest, transportUDP)
		_, err := flood.WriteTo(m.Raw, net.UDPAddrFromAddrPort(g.at))
		require.NoError(t, err)
	}
	eventually(t, "it is limited", func() bool { return s.counts[droppedFlood].Load() > 0 })
	assert.LessOrEqual(t, float64(s.counts[requestsFailed].Load()), strangerBurst+strangerRate*(time.Since(began).Seconds()+1))
	talk(t, a, b, "and us?")
	g.member(t, "udp", "")
}

// TestManyConnections: an address has as many connections as it may, and they end if nothing comes of them.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Limits.PerAddress = 3 })
	var open []net.Conn
	for range 3 {
		c, err := net.Dial("tcp4", s.target().tls.String())
		require.NoError(t, err)
		defer c.Close()
		open = append(open, c)
	}
	// Another goroutine accepts those of TLS.
	eventually(t, "they are counted", func() bool { return s.value(`dplay_relay_connections{transport="tls"}`) == "3" })
	more, err := net.Dial("tcp4", s.target().at.String())
	require.NoError(t, err)
	defer more.Close()
	require.NoError(t, more.SetReadDeadline(testkit.Deadline()))
	_, err = more.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "1", s.value("dplay_relay_refused_connections_total"))
	for _, c := range open {
		require.NoError(t, c.Close())
	}
	eventually(t, "they are gone", func() bool { return s.value(`dplay_relay_connections{transport="tls"}`) == "0" })
	s.target().member(t, "tls", "")
}

// TestManyChannels: an allocation has a bounded number of channels.
func TestManyChannels(t *testing.T) {
	t.Parallel()
	s := begin(t)
	p := s.target().plain(t, "udp", s.target().credential(""))
	require.Zero(t, failure(p.signed(allocateRequest, transportUDP)))
	a := s.exchange.of(client{s.fronts[0], addrPort(p.conn.LocalAddr())})
	a.requests.SetBurst(100000)
	a.requests.SetLimit(100000)
	for n := range uint16(maxChannels) {
		require.Zero(t, failure(p.signed(channelRequest, channelNumber(0x4000+n), peerAddress(netip.AddrPortFrom(s.config.Public[0], 1000+n)))))
	}
	require.Zero(t, failure(p.signed(channelRequest, channelNumber(0x4000), peerAddress(netip.AddrPortFrom(s.config.Public[0], 1000)))), "refreshed")
	id := p.tell(channelRequest, channelNumber(0x5000))
	require.Zero(t, failure(p.signed(refreshRequest)))
	assert.NotContains(t, p.answered, id)
	assert.Equal(t, "1", countsOf(s, droppedFlood))
}
