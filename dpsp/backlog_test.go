package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What is held is counted, in all and of each address, however that is written, and what goes is counted out again.
func TestBacklog(t *testing.T) {
	from := func(s string) origin {
		at := netip.MustParseAddrPort(s)
		return origin{from: at, listener: netip.AddrPortFrom(at.Addr(), 2300)}
	}
	one, mapped, two := from("10.0.0.1:1"), from("[::ffff:10.0.0.1]:1"), from("10.0.0.2:1")
	var b backlog
	assert.True(t, b.room(10, quota{1, 10}))
	assert.False(t, b.room(11, quota{1, 10}))
	b.add(heldMessage{o: one, octets: make([]byte, 6), name: "a"})
	assert.False(t, b.room(1, quota{1, 10}))
	assert.True(t, b.room(4, quota{2, 10}))
	assert.False(t, b.room(5, quota{2, 10}))
	b.add(heldMessage{o: two, octets: make([]byte, 3), name: "b"})
	b.add(heldMessage{o: one, octets: make([]byte, 1), name: "c"})
	assert.Equal(t, 10, b.octets)
	assert.True(t, b.roomFor(mapped.from.Addr(), 2, quota{3, 9}))
	assert.False(t, b.roomFor(mapped.from.Addr(), 3, quota{3, 9}))
	assert.False(t, b.roomFor(mapped.from.Addr(), 2, quota{2, 9}))
	assert.True(t, b.roomFor(two.from.Addr(), 2, quota{2, 9}))
	assert.True(t, b.holdsOf(one))
	assert.False(t, b.holdsOf(mapped), "its listener is written otherwise")
	b.remove(0)
	assert.Equal(t, 4, b.octets)
	b.drop(func(h heldMessage) bool { return h.o.sameSender(two) })
	assert.Equal(t, 1, b.octets)
	assert.Len(t, b.held, 1)
	assert.Equal(t, "c", b.held[0].name)
}

func TestHoldbackNext(t *testing.T) {
	var hb holdback
	assert.Equal(t, Never, hb.next())
	for _, at := range []time.Duration{30, 20, 40} {
		hb.add(heldMessage{deadline: at})
	}
	assert.EqualValues(t, 20, hb.next())
}
