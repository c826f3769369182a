package relay

import (
	"bytes"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/pion/stun/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// madeUp is the n-th source of a flood.
func madeUp(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 9, byte(n >> 8), byte(n)}), 9)
}

// flood has the relay get packets of 200 made-up sources over UDP until the test ends, four times as many as it answers.
func (s *Server) flood(t *testing.T, packet []byte) {
	one := func(n int) { s.fronts[0].admit(madeUp(n%200), bytes.Clone(packet)) }
	for n := range 4 * allBurst {
		one(n)
	}
	require.NotZero(t, s.counts[droppedFlood].Load())
	end := make(chan struct{})
	var g sync.WaitGroup
	g.Go(func() {
		beat := time.NewTicker(time.Millisecond)
		defer beat.Stop()
		for n := 0; ; n++ {
			one(n)
			if n%(4*allRate/1000) == 0 {
				select {
				case <-beat.C:
				case <-end:
					return
				}
			}
		}
	})
	t.Cleanup(g.Wait)
	t.Cleanup(func() { close(end) })
}

// once asks by one packet, and returns the answer.
func (p *plain) once(parts ...stun.Setter) *stun.Message {
	m := stun.MustBuild(append([]stun.Setter{stun.TransactionID}, parts...)...)
	_, err := p.conn.WriteTo(m.Raw, p.to)
	require.NoError(p.t, err)
	return p.answer(m.TransactionID, time.Second)
}

// TestManySources: a flood from many addresses, which may all be made up, takes nothing from who comes over TCP or TLS, whose
// addresses are not, nor from who has an allocation; and who comes over UDP gets one with no packet lost.
func TestManySources(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.target()
	home := g
	home.from = netip.MustParseAddr("127.8.0.1")
	home.member(t, "udp", "")
	s.flood(t, stun.MustBuild(stun.TransactionID, allocateRequest, transportUDP).Raw)

	for n := range 40 {
		p := g.plain(t, transports[1+n%2], g.credential(""))
		assert.NotNil(t, p.once(stun.BindingRequest))
		if n > 36 {
			assert.Zero(t, failure(p.signed(allocateRequest, transportUDP)))
		}
	}
	other := home.plain(t, "udp", code.Credential{}) // a socket for another machine, such as it has many
	for range 4 * ownBurst {
		assert.NotNil(t, other.once(stun.BindingRequest))
	}
	flooded := map[*share]bool{}
	for n := range 200 {
		flooded[s.strangers.of(madeUp(n).Addr())] = true
	}
	for n := range 10 {
		home := g
		home.from = netip.AddrFrom4([4]byte{127, 8, 1, byte(n)})
		if flooded[s.strangers.of(home.from)] {
			continue
		}
		p := home.plain(t, "udp", g.credential(""))
		assert.NotNil(t, p.once(stun.BindingRequest))
		p.learn(p.once(allocateRequest, transportUDP))
		for range 2 * ownBurst { // its share is used up, but who it is, is known
			_, err := p.conn.WriteTo(stun.MustBuild(stun.TransactionID, stun.BindingRequest).Raw, p.to)
			require.NoError(t, err)
		}
		if a := p.once(p.sign([]stun.Setter{allocateRequest, transportUDP})...); assert.NotNil(t, a) {
			assert.Zero(t, failure(a))
		}
	}
}

// TestAnswers: who makes up the address of another one has us send that not much more than he sends.
func TestAnswers(t *testing.T) {
	t.Parallel()
	p := begin(t).target().plain(t, "udp", code.Credential{})
	six := stun.RawAttribute{Type: stun.AttrRequestedAddressFamily, Value: []byte{2, 0, 0, 0}}
	for _, c := range []struct {
		asked    []stun.Setter
		answered int // octets
	}{
		{[]stun.Setter{stun.BindingRequest}, 44},
		{[]stun.Setter{refreshRequest}, 28},
		{[]stun.Setter{allocateRequest, transportUDP}, 68},
		{[]stun.Setter{allocateRequest, transportUDP, six}, 28},
	} {
		a := p.ask(c.asked...)
		assert.LessOrEqual(t, len(a.Raw), c.answered, a)
	}
}

// TestNobodyThere: no allocation is made for an address that does not get what is sent to it, with what another one got.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.target()
	attacker := g.plain(t, "udp", g.credential(""))
	require.Zero(t, failure(attacker.signed(allocateRequest, transportUDP)))
	g.from = netip.MustParseAddr("127.9.0.1")
	victim := g.plain(t, "udp", g.credential(""))
	victim.nonce, victim.realm = attacker.nonce, attacker.realm
	a := victim.signed(allocateRequest, transportUDP)
	assert.Equal(t, stun.CodeUnauthorized, failure(a))
	assert.Equal(t, 1, s.Allocations())
	victim.learn(a)
	assert.Zero(t, failure(victim.signed(allocateRequest, transportUDP)))
}
