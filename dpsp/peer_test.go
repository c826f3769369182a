package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestAllowance has a peer ask for something more often than it is given.
func TestAllowance(t *testing.T) {
	var a allowance
	for range maxTold {
		assert.True(t, a.take(maxTold, time.Second, time.Minute))
	}
	assert.False(t, a.take(maxTold, time.Minute-1, time.Minute))
	for range maxTold {
		assert.True(t, a.take(maxTold, 2*time.Minute, time.Minute), "the next period")
	}
	assert.False(t, a.take(maxTold, 3*time.Minute-1, time.Minute))
	assert.True(t, a.take(maxTold, 3*time.Minute, time.Minute))
}

// TestEntryOf fills in where a machine is that says 0.0.0.0 of itself, and nothing else.
func TestEntryOf(t *testing.T) {
	cfg := Config{Stream: netip.MustParseAddrPort("0.0.0.0:2300"), Datagram: netip.MustParseAddrPort("10.0.0.7:2350")}
	info := &wire.PackedPlayer{ID: 10, System: 2, SPData: cfg.spData()}
	p := &peer{stream: netip.MustParseAddrPort("10.0.0.1:2301"), datagram: netip.MustParseAddrPort("10.0.0.1:2351")}
	d, ok := wire.ParseSPData(entryOf(info, p).SPData)
	assert.True(t, ok)
	assert.Equal(t, netip.MustParseAddrPort("10.0.0.1:2300"), resolve(d.Stream, netip.Addr{}), "the address; the port is its word")
	assert.Equal(t, cfg.Datagram, resolve(d.Datagram, netip.Addr{}), "it says where that is")
	assert.Equal(t, info.SPData, []byte(entryOf(info, nil).SPData), "nobody knows where it is")
	other := Config{Stream: cfg.Datagram, Datagram: cfg.Stream}
	d, _ = wire.ParseSPData(entryOf(&wire.PackedPlayer{SPData: other.spData()}, p).SPData)
	assert.Equal(t, other.Stream, resolve(d.Stream, netip.Addr{}))
	assert.Equal(t, netip.MustParseAddrPort("10.0.0.1:2300"), resolve(d.Datagram, netip.Addr{}))
	info.SPData = []byte{1, 2, 3}
	assert.Equal(t, info.SPData, []byte(entryOf(info, p).SPData))
}

// A machine that names another one's UDP socket does not get what goes there, until the other one is gone.
func TestSameSocket(t *testing.T) {
	at := netip.MustParseAddrPort("10.0.0.7:2350")
	a, b := &peer{system: 1, datagram: at}, &peer{system: 2, datagram: at}
	var r roster
	r.add(a)
	r.add(b)
	assert.Same(t, a, r.byDatagram[at])
	r.remove(b)
	assert.Same(t, a, r.byDatagram[at])
	r.add(b)
	r.moveDatagram(a, netip.MustParseAddrPort("10.0.0.8:2350"))
	assert.Same(t, b, r.byDatagram[at])
	r.remove(b)
	assert.Nil(t, r.byDatagram[at])
	assert.Same(t, a, r.byDatagram[a.datagram])
}
