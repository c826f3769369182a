package relay

import (
	"net"
	"net/netip"
	"testing"

	"github.com/pion/stun/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/internal/testkit"
)

// TestManyAddresses: a relay that listens at all addresses of its machine answers from the one that was asked; also at those that
// the machine has later, and until it has them no more.
func TestManyAddresses(t *testing.T) {
	if !ownNetwork(t) {
		return
	}
	change := func(what string, addrs ...string) {
		for _, a := range addrs {
			args := []string{"addr", what, a + "/24", "dev", "out"}
			if what == "add" && netip.MustParseAddr(a).Is6() {
				args = append(args, "nodad") // it is there at once
			}
			ip(t, args...)
		}
	}
	change("add", "203.0.113.6", "2001:db8::5", "2001:db8::6")
	s := begin(t, func(c *Config) {
		c.Public = []netip.Addr{netip.MustParseAddr("198.51.100.5")} // which a cloud translates
		c.Listen = []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()}
		c.look = lookAgain / 100
	})
	fronts := len(s.all())
	change("add", "203.0.113.7", "2001:db8::7")
	s.atHome(t, "203.0.113.5", "203.0.113.6")
	s.atHome(t, "2001:db8::5", "2001:db8::6")
	s.atHome(t, "203.0.113.5", "203.0.113.7")
	s.atHome(t, "2001:db8::5", "2001:db8::7")
	assert.Len(t, s.all(), fronts+2)

	change("del", "203.0.113.7", "2001:db8::7")
	eventually(t, "the one with an allocation is left", func() bool { return len(s.all()) == fronts+1 })
	s.atHome(t, "203.0.113.5", "203.0.113.6") // which takes the allocation over
	eventually(t, "none is left", func() bool { return len(s.all()) == fronts })
}

// atHome asks the relay at one of its addresses from another one of this machine for all that it answers. The answers come from
// where they have to.
func (s *Server) atHome(t *testing.T, from, to string) {
	t.Helper()
	g := s.target()
	g.from, g.at = netip.MustParseAddr(from), netip.AddrPortFrom(netip.MustParseAddr(to), s.config.Port)
	alternate := netip.AddrPortFrom(g.at.Addr(), s.config.AlternatePort)
	const tag = "a0123456789abcdef"
	p := g.plain(t, "udp", g.credential(tag))
	assert.Equal(t, g.at, p.answerer(t, g.at, stun.BindingRequest))
	assert.Equal(t, alternate, p.answerer(t, g.at, stun.BindingRequest, changing(changePort)))
	assert.Equal(t, alternate, p.answerer(t, alternate, stun.BindingRequest))
	assert.Equal(t, g.at, p.answerer(t, alternate, stun.BindingRequest, changing(changePort)))

	require.Zero(t, failure(p.signed(allocateRequest, transportUDP)))
	own := netip.AddrPortFrom(g.public, code.Ports(tag)[0])
	require.Zero(t, failure(p.signed(channelRequest, channelNumber(0x4000), peerAddress(own))))
	p.data(0x4000)
	require.NoError(t, p.conn.SetReadDeadline(testkit.Deadline()))
	var b [2000]byte
	n, at, err := p.conn.ReadFrom(b[:])
	for err == nil && stun.IsMessage(b[:n]) { // a second answer
		n, at, err = p.conn.ReadFrom(b[:])
	}
	require.NoError(t, err)
	assert.Equal(t, g.at, addrPort(at))
	assert.Equal(t, "\x40\x00\x00\x04boo!", string(b[:n]))
}

// answerer asks, and returns where the answer came from.
func (p *plain) answerer(t *testing.T, to netip.AddrPort, parts ...stun.Setter) netip.AddrPort {
	m := stun.MustBuild(append([]stun.Setter{stun.TransactionID}, parts...)...)
	stop := p.again(m.Raw, net.UDPAddrFromAddrPort(to))
	defer stop()
	_, at := p.answer(m.TransactionID)
	return addrPort(at)
}
