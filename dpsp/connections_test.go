package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestConnections has a machine dial, and machines go, more often than is remembered.
func TestConnections(t *testing.T) {
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), uint16(i))
	}
	var c connections
	for i := range maxConnections + 2 {
		c.add(at(i))
		c.add(at(i))
	}
	assert.Len(t, c, maxConnections)
	assert.Equal(t, at(2), c[0], "the oldest make room")
	c.remove(at(2))
	c.remove(at(1))
	assert.Len(t, c, maxConnections-1)
	assert.NotContains(t, c, at(2))

	var f formerConnections
	f.keep(1, nil)
	assert.Empty(t, f)
	for i := range maxLostPeers + 1 {
		f.keep(wire.PlayerID(i), connections{at(i)})
	}
	assert.Len(t, f, maxLostPeers)
	assert.Nil(t, f.take(0), "the oldest makes room")
	f.keep(2, connections{at(1), at(3)})
	assert.Equal(t, connections{at(1), at(3)}, f.take(2), "the last time counts")
	assert.Nil(t, f.take(2))
}
