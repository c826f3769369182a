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

// mapped returns the address that an answer says we have.
func mapped(t *testing.T, m *stun.Message) netip.AddrPort {
	t.Helper()
	var x stun.XORMappedAddress
	require.NoError(t, x.GetFrom(m))
	return addrPort(&net.UDPAddr{IP: x.IP, Port: x.Port})
}

// changing asks for an answer from elsewhere.
func changing(flags byte) stun.Setter {
	return stun.RawAttribute{Type: stun.AttrChangeRequest, Value: []byte{0, 0, 0, flags}}
}

// TestBinding: both ports say which address a request came from, and name the other one.
func TestBinding(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.target()
	for _, transport := range transports {
		p := g.plain(t, transport, code.Credential{})
		m := p.ask(stun.BindingRequest)
		assert.Equal(t, addrPort(p.conn.LocalAddr()), mapped(t, m))
		assert.False(t, m.Contains(stun.AttrFingerprint))
		assert.NoError(t, stun.Fingerprint.Check(p.ask(stun.BindingRequest, stun.Fingerprint)))
		if transport != "udp" {
			assert.False(t, m.Contains(stun.AttrOtherAddress))
			assert.Equal(t, stun.CodeUnknownAttribute, failure(p.ask(stun.BindingRequest, changing(changePort))))
			continue
		}
		ports := []uint16{s.config.Port, s.config.AlternatePort}
		for i, port := range ports {
			p.to = net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.config.Listen[0], port))
			m := p.ask(stun.BindingRequest)
			var other stun.OtherAddress
			require.NoError(t, other.GetFrom(m))
			assert.Equal(t, netip.AddrPortFrom(s.config.Public[0], ports[1-i]), addrPort(&net.UDPAddr{IP: other.IP, Port: other.Port}))
		}
	}
}

// TestBindingElsewhere: the answer comes from the other port if asked for so, and never from another address.
func TestBindingElsewhere(t *testing.T) {
	t.Parallel()
	s := begin(t)
	p := s.target().plain(t, "udp", code.Credential{})
	ports := []uint16{s.config.Port, s.config.AlternatePort}
	for i, port := range ports {
		p.to = net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.config.Listen[0], port))
		assert.Equal(t, stun.CodeUnknownAttribute, failure(p.ask(stun.BindingRequest, changing(changeAddress))))
		m := stun.MustBuild(stun.TransactionID, stun.BindingRequest, changing(changePort))
		_, err := p.conn.WriteTo(m.Raw, p.to)
		require.NoError(t, err)
		require.NoError(t, p.conn.SetReadDeadline(testkit.Deadline()))
		_, from, err := p.conn.ReadFrom(make([]byte, 200))
		require.NoError(t, err)
		assert.Equal(t, ports[1-i], addrPort(from).Port())
	}
}

// TestAlternatePort: nothing but Binding requests is answered there.
func TestAlternatePort(t *testing.T) {
	t.Parallel()
	s := begin(t)
	p := s.target().plain(t, "udp", code.Credential{})
	p.to = net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.config.Listen[0], s.config.AlternatePort))
	id := p.tell(allocateRequest, transportUDP)
	p.ask(stun.BindingRequest)
	assert.NotContains(t, p.answered, id)
	assert.Equal(t, "1", countsOf(s, droppedStranger))

	s = begin(t, func(c *Config) { c.AlternatePort = 0 })
	p = s.target().plain(t, "udp", code.Credential{})
	assert.False(t, p.ask(stun.BindingRequest).Contains(stun.AttrOtherAddress))
	assert.Equal(t, stun.CodeUnknownAttribute, failure(p.ask(stun.BindingRequest, changing(changePort))))
}
