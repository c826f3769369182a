package doctor

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
)

// TestManySegments checks that octets that get lost are found in a capture of more machines and connections than are remembered.
func TestManySegments(t *testing.T) {
	c := newCollector(Options{})
	p := captures.Packet{Time: began}
	door, pinger := netip.MustParseAddrPort(hostIP+":2300"), netip.MustParseAddrPort(hostIP+":2350")
	sends := func(protocol string, from, to netip.AddrPort, octets int) {
		p.Frame++
		p.Time = p.Time.Add(time.Millisecond)
		p.Protocol, p.Src, p.Dst, p.Payload = protocol, from, to, make([]byte, octets)
		c.segmentOf(&p)
	}
	connections := func() {
		for port := range uint16(3 * maxFacts) {
			sends("TCP", netip.AddrPortFrom(netip.MustParseAddr(thirdIP), port+1), door, 10)
		}
	}
	sends("UDP", pinger, door, 10)
	connections()
	for i := range maxListeners + 10 {
		sends("UDP", netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 9), door, 10)
	}
	for range 4 {
		p.Time = p.Time.Add(time.Second)
		sends("TCP", netip.MustParseAddrPort(joinerIP+":4000"), door, 900)
		sends("UDP", pinger, door, 10)
	}
	connections()
	list := blackHoles(&c.facts)
	require.Len(t, list, 1)
	assert.Contains(t, list[0].Text, joinerIP+" sent 900 octets to "+hostIP)
	assert.LessOrEqual(t, len(c.Segments.list), maxFacts)
	assert.Len(t, c.Segments.by, len(c.Segments.list))
	assert.Len(t, c.lastFrom, maxListeners)
}
