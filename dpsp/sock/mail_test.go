package sock

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMailIsSorted has one sender fill its queue: another one's datagram comes second, and strangers together have no
// more room than one member.
func TestMailIsSorted(t *testing.T) {
	t.Parallel()
	m := newMail(nil)
	at := func(n byte) *sender { return m.of(netip.AddrFrom4([4]byte{10, 0, 0, n})) }
	loud, quiet := at(1), at(2)
	m.rank(loud, true)
	m.rank(quiet, true)
	for range maxMail {
		assert.True(t, m.put(loud, 1, []byte("loud")))
	}
	assert.False(t, m.put(loud, 1, []byte("loud")))
	assert.True(t, m.put(quiet, 2, []byte("quiet")))
	var got []string
	for range 3 {
		_, _, b := m.take()
		got = append(got, string(b))
	}
	assert.Equal(t, []string{"loud", "quiet", "loud"}, got)
	for i := range maxMail {
		assert.True(t, m.put(at(byte(10+i%7)), 3, nil))
	}
	assert.False(t, m.put(at(99), 3, nil))
	m.rank(at(99), true)
	assert.True(t, m.put(at(99), 3, nil), "a member's own")
	for !m.empty() {
		m.take()
	}
	assert.Zero(t, m.waits[false])
	s, _, _ := m.take()
	assert.Nil(t, s)
}

// TestRelaxTime: who adds much to what waits for a peer waits long, who adds little hardly at all, nobody for ever.
func TestRelaxTime(t *testing.T) {
	t.Parallel()
	assert.Less(t, relaxTime(100, 1<<20), pressLook)
	assert.Equal(t, 2*relaxTime(1<<17, 1<<17), relaxTime(1<<17, 1<<18))
	assert.Equal(t, pressMost, relaxTime(1<<20, 8<<20))
	var p pressure
	small, large := &outbound{octets: 1}, &outbound{octets: 2}
	p.on(large, 10)
	p.on(small, 5)
	to, added := p.take()
	assert.Same(t, large, to)
	assert.Equal(t, 15, added)
	to, _ = p.take()
	assert.Nil(t, to)
}
