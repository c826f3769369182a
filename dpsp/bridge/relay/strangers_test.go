package relay

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/stun/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/internal/testkit"
)

// flood has the relay get packets of made-up sources over UDP, four times as many as it answers, and as many again for the time that
// has passed whenever more is called.
func (s *Server) flood(t *testing.T, packet []byte, sources []netip.Addr) (more func()) {
	began, sent := time.Now(), 0
	more = func() {
		due := 4*allBurst + int(4*allRate*time.Since(began).Seconds())
		for ; sent < due; sent++ {
			s.fronts[0].admit(netip.AddrPortFrom(sources[sent%len(sources)], 9), bytes.Clone(packet))
		}
	}
	more()
	require.NotZero(t, s.counts[droppedFlood].Load())
	return more
}

// TestManySources: a flood from many addresses, which may all be made up, takes nothing from who comes over TCP or TLS, whose
// addresses are not, nor from who has an allocation; and who comes over UDP gets one with no packet lost.
func TestManySources(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.target()
	home := g
	home.from = testkit.Addr(t)
	home.member(t, "udp", "")
	sources := testkit.Addrs(t, 200)
	more := s.flood(t, stun.MustBuild(stun.TransactionID, allocateRequest, transportUDP).Raw, sources)

	for n := range 40 {
		more()
		p := g.plain(t, transports[1+n%2], g.credential(""))
		p.once(stun.BindingRequest)
		if n > 36 {
			assert.Zero(t, failure(p.signed(allocateRequest, transportUDP)))
		}
	}
	other := home.plain(t, "udp", code.Credential{}) // a socket for another machine, such as it has many
	for range 4 * ownBurst {
		more()
		other.once(stun.BindingRequest)
	}
	used := map[*share]bool{}
	for _, a := range sources {
		used[s.strangers.of(a)] = true
	}
	for range 10 {
		home := g
		home.from = testkit.Addr(t)
		if used[s.strangers.of(home.from)] {
			continue
		}
		used[s.strangers.of(home.from)] = true // the two of them share what one may ask for
		more()
		p := home.plain(t, "udp", g.credential(""))
		p.once(stun.BindingRequest)
		p.learn(p.once(allocateRequest, transportUDP))
		for range 2 * ownBurst { // its share is used up, but who it is, is known
			p.tell(stun.BindingRequest)
		}
		more()
		assert.Zero(t, failure(p.once(p.sign([]stun.Setter{allocateRequest, transportUDP})...)))
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
	g.from = testkit.Addr(t)
	victim := g.plain(t, "udp", g.credential(""))
	victim.nonce, victim.realm = attacker.nonce, attacker.realm
	a := victim.signed(allocateRequest, transportUDP)
	assert.Equal(t, stun.CodeUnauthorized, failure(a))
	assert.Equal(t, 1, s.Allocations())
	victim.learn(a)
	assert.Zero(t, failure(victim.signed(allocateRequest, transportUDP)))
}
