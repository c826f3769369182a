package sock

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A detectorTest is a detector and the datagrams that it counts.
type detectorTest struct{ floodDetector }

// tenth counts the datagrams of a tenth of a second, by sender, and returns the rules after it.
func (d *detectorTest) tenth(lost int, from map[netip.AddrPort]int) []dropRule {
	for at, n := range from {
		for range n {
			d.count(at)
		}
	}
	d.look(10*detectEvery, lost)
	return d.rules
}

// TestFloodDetector: a flood that has datagrams lost is dropRule, for as long as it lasts, and others are not.
func TestFloodDetector(t *testing.T) {
	t.Parallel()
	var (
		flood  = netip.MustParseAddrPort("10.0.0.1:2350")
		beside = netip.MustParseAddrPort("10.0.0.1:2351")
		other  = netip.MustParseAddrPort("10.0.0.2:2350")
		at     = func(n int) map[netip.AddrPort]int { return map[netip.AddrPort]int{flood: n, beside: 3, other: 900} }
		d      detectorTest
	)
	assert.Empty(t, d.tenth(0, at(100_000)), "nothing is lost")
	assert.Empty(t, d.tenth(900, at(900)), "nobody floods")
	pass := func(n uint32) []dropRule { return []dropRule{{from: flood, pass: n}} }
	assert.Equal(t, pass(passAll/256), d.tenth(20_000, at(102_400)), "at most 5,000 of a million a second")
	assert.Equal(t, pass(passAll/256), d.tenth(102_000, at(400)), "as many as before")
	assert.Equal(t, pass(passAll/1024), d.tenth(102_000, at(1600)), "four times as many")
	for loosened := uint32(1); loosened < 1024; loosened *= 2 { // it is over
		for range easeLooks - 1 {
			d.tenth(0, at(1))
			assert.Equal(t, passAll/1024*loosened, d.rules[0].pass)
		}
		d.tenth(0, at(1))
	}
	assert.Empty(t, d.rules)
	assert.Empty(t, d.tenth(0, at(100_000)))
}

// TestFloodDetectorFewLost: the loss of few datagrams, as a sender with congestion control causes it, is a flood only if it lasts.
func TestFloodDetectorFewLost(t *testing.T) {
	t.Parallel()
	var d detectorTest
	from := map[netip.AddrPort]int{netip.MustParseAddrPort("10.0.0.1:2350"): 5000}
	for range lossyLooks - 1 {
		assert.Empty(t, d.tenth(50, from))
	}
	assert.Empty(t, d.tenth(0, from))
	for range lossyLooks - 1 {
		assert.Empty(t, d.tenth(50, from))
	}
	assert.Len(t, d.tenth(50, from), 1)
}

// TestFloodDetectorPorts: a flood from many ports makes a rule for their address, and counts and rules are bounded.
func TestFloodDetectorPorts(t *testing.T) {
	t.Parallel()
	var d detectorTest
	from := map[netip.AddrPort]int{netip.MustParseAddrPort("10.0.0.2:2350"): 2000}
	spread := netip.MustParseAddr("10.0.0.1")
	for port := range uint16(3000) {
		from[netip.AddrPortFrom(spread, 1+port)] = 1
	}
	for n := range byte(100) {
		from[netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, n}), 2350)] = 1500
	}
	rules := d.tenth(100_000, from)
	assert.Len(t, rules, maxDropRules)
	for at, n := range from {
		for range n {
			d.count(at)
		}
	}
	assert.LessOrEqual(t, len(d.counts), maxFlows+102)
	var one detectorTest
	for port := range uint16(3000) {
		one.count(netip.AddrPortFrom(spread, 1+port))
	}
	one.look(10*detectEvery, 3000)
	assert.Equal(t, []dropRule{{from: netip.AddrPortFrom(spread, 0), pass: passAll / 8}}, one.rules)
}

// TestFloodDetectorFiltered: the kernel counts what a rule drops as lost. That makes no rule for another fast sender, and a second
// flood that overflows the buffer still gets one.
func TestFloodDetectorFiltered(t *testing.T) {
	t.Parallel()
	var (
		flood  = netip.MustParseAddrPort("10.0.0.1:2350")
		fast   = netip.MustParseAddrPort("10.0.0.2:2350")
		second = netip.MustParseAddrPort("10.0.0.3:2350")
		random = rand.New(rand.NewPCG(1, 2))
		d      detectorTest
	)
	// look counts a hundredth of a second, in which the flood sends 10,000 datagrams, and the fast sender 150.
	look := func(seconds, lost int) {
		passes := 0
		for range 10_000 {
			if random.Uint32N(passAll) < d.rules[d.rule(flood)].pass {
				passes++
			}
		}
		lost += 10_000 - passes
		for at, n := range map[netip.AddrPort]int{flood: passes, fast: 150, second: seconds} {
			for range n {
				d.count(at)
			}
		}
		d.look(detectEvery, lost)
	}
	d.rules = []dropRule{{from: flood, pass: passAll / 256}}
	for n := range 1000 {
		look(0, 0)
		require.Len(t, d.rules, 1, "look %d", n)
	}
	for n := 0; d.rule(second) < 0; n++ {
		require.Less(t, n, 2*easeLooks, "the second flood has no rule")
		look(2000, 3000)
	}
}

// TestFloodDetectorAddresses: forged addresses do not make more counts, and those beyond the bound make no rule.
func TestFloodDetectorAddresses(t *testing.T) {
	t.Parallel()
	var d detectorTest
	for n := range uint32(100_000) {
		at := netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
		d.count(netip.AddrPortFrom(at, 2350))
	}
	assert.LessOrEqual(t, len(d.counts), 2*maxFlows+1)
	d.look(detectEvery, 100_000)
	assert.Empty(t, d.rules)
}
