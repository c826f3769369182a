package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFormerHostKeepsItsAddress: a host says 0.0.0.0 of itself. Another one may be host while it is there still, and sends
// the list on: who joins then must not take both for one machine, and send it all twice.
func TestFormerHostKeepsItsAddress(t *testing.T) {
	w, n, ids := session(t, migrating, 1, Config{Period: time.Minute})
	first, second := n[0], n[1]
	for _, id := range []wire.PlayerID{first.self, ids[0]} {
		p, _ := second.list.Get(id)
		d, ok := wire.ParseSPData(p.SPData)
		require.True(t, ok)
		assert.Equal(t, first.stream(), resolve(d.Stream, netip.Addr{}))
		assert.Equal(t, first.datagram(), resolve(d.Datagram, netip.Addr{}))
		assert.True(t, d.Marked())
	}

	w.cut = func(from, to *node, _ Outgoing) bool { return from == second && to == first } // or one of them yields
	second.migration.begin()
	second.becomeHost()
	guest := w.add("guest", Config{Reply: time.Minute, Period: time.Minute})
	w.must(guest, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	found := take[SessionFound](guest)
	for _, f := range found {
		if f.Host.Addr() == second.addr {
			w.step(guest, Input{Kind: Request, Command: Join{Host: f.Host, Desc: f.Desc, Name: f.Name}, Token: 1})
		}
	}
	w.settle()
	w.run(w.now + 20*time.Second) // the first host does not acknowledge the guest
	require.Equal(t, member, guest.state)
	assert.Equal(t, first.stream(), guest.peerByID(first.self).stream)
	assert.Equal(t, second.stream(), guest.peerByID(second.self).stream)
	from := w.must(guest, CreatePlayer{})
	second.events = nil
	w.must(guest, Send{From: from, Guaranteed: true, Payload: []byte("once")})
	assert.Len(t, eventsOf[Message](second.events), 1)
}
