package relay

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pion/turn/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

var transports = []string{"udp", "tcp", "tls"}

// TestRelay has machines over each transport talk with machines over each, and with themselves.
func TestRelay(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for i, from := range transports {
		for k, to := range transports {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				a := s.target().member(t, from, fmt.Sprintf("a%016x", 100*i+k))
				b := s.target().member(t, to, fmt.Sprintf("a%016x", 100*i+k+50))
				talk(t, a, b, "over there")
				talk(t, b, a, strings.Repeat("x", 1300))
				talk(t, a, a, "myself")
			})
		}
	}
}

// TestTags: an allocation has the port of its tag, the next one if another tag has that, and any if its tag says nothing.
func TestTags(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.target()
	tag := "m00112233445566ff"
	ports := code.Ports(tag)
	a := g.member(t, "udp", tag)
	assert.Equal(t, netip.AddrPortFrom(g.public, ports[0]), a.address())
	assert.Equal(t, g.public, g.member(t, "udp", "anybody").address().Addr())

	other := begin(t)
	x := other.exchange
	for n, want := range append(ports[1:], 0) {
		x.mu.Lock() // another tag has the port
		x.at[netip.AddrPortFrom(other.config.Public[0], ports[n])] = &allocation{tagged: tagged{tag: "a0000000000000000"}}
		x.mu.Unlock()
		got := other.target().member(t, "udp", tag).address().Port()
		if want == 0 {
			assert.NotContains(t, ports, got)
		} else {
			assert.Equal(t, want, got)
		}
	}
}

// TestTakeOver: who allocates with the whole tag of another one has its address from then on, over whatever transport.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Limits.PerAddress = 2 })
	g := s.target()
	tag := "m0123456789abcdef"
	caller := g.member(t, "udp", "")
	for _, transport := range []string{"udp", "tcp", "udp", "tls"} {
		m := g.member(t, transport, tag)
		assert.Equal(t, code.Ports(tag)[0], m.address().Port())
		talk(t, caller, m, "are you there?")
		eventually(t, "the old allocation is gone", func() bool { return s.Allocations() == 2 })
	}
	assert.Equal(t, "3", s.value("dplay_relay_taken_over_total"))
	_, err := g.allocate(t, "udp", g.credential("a0123456789abcdef"))
	assert.ErrorContains(t, err, "486")
}

// TestMember: a credential without a tag, as an operator hands it out, lets its owner name a tag.
func TestMember(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Secret = "of the operator" })
	tag := "a0123456789abcdef"
	given := code.NewCredential("of the operator", "anna", time.Now().AddDate(0, 0, 1))
	m, err := s.target().allocate(t, "udp", given.For(tag))
	require.NoError(t, err)
	assert.Equal(t, code.Ports(tag)[0], m.address().Port())
	_, err = s.target().allocate(t, "udp", given)
	assert.NoError(t, err)
}

// TestAnother Relay has the addresses of the tags again after it began anew.
func TestBeginsAnew(t *testing.T) {
	t.Parallel()
	c := usual(t)
	var last netip.AddrPort
	for range 2 {
		s, err := Open(c)
		require.NoError(t, err)
		m := s.target().member(t, "udp", "m0123456789abcdef")
		if last.IsValid() {
			assert.Equal(t, last, m.address())
		}
		last = m.address()
		require.NoError(t, s.Close())
	}
}

// TestSix: a relay with a public IPv6 address gives addresses of both families to clients of any.
func TestSix(t *testing.T) {
	t.Parallel()
	six := netip.MustParseAddr("2001:db8::5")
	s := begin(t, func(c *Config) { c.Public = append(c.Public, six) })
	var both [2]machine
	for i, tag := range []string{"a0123456789abcdef", ""} {
		m, err := s.target().allocate(t, transports[i], s.target().credential(tag), turn.RequestedAddressFamilyIPv6)
		require.NoError(t, err)
		require.NoError(t, m.client.CreatePermission(m.LocalAddr()))
		both[i] = m
	}
	a, b := both[0], both[1]
	assert.Equal(t, netip.AddrPortFrom(six, code.Ports("a0123456789abcdef")[0]), a.address())
	talk(t, a, b, "over there")
	assert.Equal(t, s.config.Listen[0], s.target().member(t, "udp", "a0123456789abcdef").address().Addr())
	assert.Equal(t, 3, s.Allocations(), "the same tag in another family takes nothing over")
}

// TestDrain: who is ending refuses newcomers, serves the others, and is done when they are gone.
func TestDrain(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := begin(t)
			g := s.target()
			a, b := g.member(t, transport, ""), g.member(t, "udp", "")
			short, cancel := context.WithCancel(context.Background())
			cancel()
			assert.ErrorIs(t, s.Drain(short), context.Canceled)
			_, err := g.allocate(t, "udp", g.credential(""))
			assert.ErrorContains(t, err, "508")
			assert.Equal(t, "1", s.value(`dplay_relay_refused_total{reason="ending"}`))
			assert.Equal(t, "1", s.value("dplay_relay_ending"))
			talk(t, a, b, "still here")
			done := make(chan error, 1)
			go func() { done <- s.Drain(context.Background()) }()
			require.NoError(t, a.Close())
			require.NoError(t, b.Close())
			assert.NoError(t, <-done)
		})
	}
}

// TestConnectionEnds: the allocation of a connection ends with it.
func TestConnectionEnds(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c := s.target().plain(t, "tls", s.target().credential(""))
	require.Zero(t, failure(c.signed(allocateRequest, transportUDP)))
	require.Equal(t, 1, s.Allocations())
	require.NoError(t, c.conn.Close())
	eventually(t, "no allocations", func() bool { return s.Allocations() == 0 })
	eventually(t, "no connections", func() bool { return s.value(`dplay_relay_connections{transport="tls"}`) == "0" })
}

// TestConfig has what cannot be.
func TestConfig(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Config){
		"needs a public address":               func(c *Config) { c.Public = nil },
		"0.0.0.0 is no address":                func(c *Config) { c.Public = []netip.Addr{netip.IPv4Unspecified()} },
		"one public IPv4 address":              func(c *Config) { c.Public = append(c.Public, c.Public[0]) },
		"an address and a port to listen on":   func(c *Config) { c.Listen = nil },
		"needs a certificate":                  func(c *Config) { c.Certificate = nil },
		"needs a secret":                       func(c *Config) { c.Secret = "" },
		"a limit is missing":                   func(c *Config) { c.Limits.Queue = 0 },
		"can have 40000 allocations, not 5000": func(c *Config) { c.Limits.Allocations = 50000 },
	} {
		c := usual(t)
		change(&c)
		_, err := Open(c)
		assert.ErrorContains(t, err, want)
	}
}

// TestPortsTaken: a port that somebody has is named, and the others are given back.
func TestPortsTaken(t *testing.T) {
	t.Parallel()
	c := usual(t)
	for _, port := range []uint16{c.Port, c.AlternatePort} {
		s, err := openDatagrams(netip.AddrPortFrom(c.Listen[0], port))
		require.NoError(t, err)
		_, err = Open(c)
		var l *ListenError
		if assert.ErrorAs(t, err, &l) {
			assert.Equal(t, ListenError{"udp", netip.AddrPortFrom(c.Listen[0], port), l.Err}, *l)
		}
		require.NoError(t, s.Close())
	}
	s, err := Open(c)
	require.NoError(t, err)
	assert.NoError(t, s.Close())
}
