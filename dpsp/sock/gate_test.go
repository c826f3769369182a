package sock

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
)

// A party is the guests of a gate in a test, and who was made to leave.
type party struct {
	*gate
	left []*guest
}

func (p *party) come(addr byte, s dpsp.Standing) (*guest, bool) {
	x := &guest{addr: netip.AddrFrom4([4]byte{10, 0, 0, addr}), standing: s}
	x.leave = func() { p.left = append(p.left, x) }
	return x, p.enter(x)
}

func newParty(stranger, newcomer, member share) *party {
	return &party{gate: newGate(shares{stranger, newcomer, member})}
}

func TestGateEvictsOldestOfAddress(t *testing.T) {
	p := newParty(share{places: 10, each: 2}, share{places: 10, each: 10}, share{places: 10, each: 10})
	a, _ := p.come(1, dpsp.Stranger)
	p.come(1, dpsp.Stranger)
	_, ok := p.come(2, dpsp.Stranger)
	assert.True(t, ok)
	assert.Empty(t, p.left)
	_, ok = p.come(1, dpsp.Stranger)
	assert.True(t, ok)
	assert.Equal(t, []*guest{a}, p.left)
}

// TestGateKeepsPartsFree fills what strangers may have: newcomers and members get in, and no stranger in their place.
func TestGateKeepsPartsFree(t *testing.T) {
	p := newParty(share{places: 2, each: 2}, share{places: 4, each: 4}, share{places: 6, each: 6})
	s1, _ := p.come(1, dpsp.Stranger)
	s2, _ := p.come(1, dpsp.Stranger)
	for _, s := range []dpsp.Standing{dpsp.Newcomer, dpsp.Newcomer, dpsp.Member, dpsp.Member} {
		_, ok := p.come(2, s)
		assert.True(t, ok)
	}
	assert.Empty(t, p.left)
	_, ok := p.come(3, dpsp.Stranger)
	assert.True(t, ok)
	assert.Equal(t, []*guest{s1}, p.left, "another stranger takes the place of one of those with the most")
	_, ok = p.come(4, dpsp.Member)
	assert.True(t, ok)
	assert.Equal(t, []*guest{s1, s2}, p.left, "and a member that of a stranger")
}

func TestGateOctets(t *testing.T) {
	p := newParty(share{places: 9, each: 9, octets: 100, octetsEach: 60}, share{places: 9, each: 9, octets: 100, octetsEach: 60},
		share{places: 9, each: 9, octets: 200, octetsEach: 100})
	a, _ := p.come(1, dpsp.Stranger)
	b, _ := p.come(2, dpsp.Stranger)
	c, _ := p.come(3, dpsp.Member)
	assert.True(t, p.hold(a, 60))
	assert.True(t, p.hold(b, 40))
	assert.True(t, p.hold(c, 100))
	assert.False(t, p.hold(c, 101), "more than its share")
	assert.False(t, p.hold(a, 61))
	assert.Empty(t, p.left)
	d, _ := p.come(4, dpsp.Stranger)
	e, _ := p.come(5, dpsp.Stranger)
	assert.True(t, p.hold(d, 55))
	assert.True(t, p.hold(e, 10))
	assert.Equal(t, []*guest{d}, p.left, "who holds the most makes room")
	assert.False(t, p.hold(d, 1), "and is gone")
}

// TestGateHolds has an address try as much as it likes: it is refused, and what it began earlier stays.
func TestGateHolds(t *testing.T) {
	p := newParty(share{places: 3, each: 2, hold: true}, share{places: 9, each: 9}, share{places: 9, each: 9})
	a, _ := p.come(1, dpsp.Stranger)
	p.come(1, dpsp.Stranger)
	_, ok := p.come(1, dpsp.Stranger)
	assert.False(t, ok)
	assert.Empty(t, p.left)
	p.exit(a)
	_, ok = p.come(1, dpsp.Stranger)
	assert.True(t, ok)
}

func TestGateRank(t *testing.T) {
	p := newParty(share{places: 1, each: 1}, share{places: 1, each: 1}, share{places: 2, each: 2})
	a, _ := p.come(1, dpsp.Stranger)
	assert.True(t, p.rank(a, dpsp.Member))
	b, ok := p.come(2, dpsp.Stranger)
	assert.True(t, ok)
	c, ok := p.come(3, dpsp.Stranger)
	assert.True(t, ok)
	assert.Equal(t, []*guest{b}, p.left, "a member has no place of strangers")
	p.close()
	_, ok = p.come(4, dpsp.Member)
	assert.False(t, ok)
	p.exit(c)
}
