package sock

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// traffic collects what a session records.
type traffic struct {
	mu  sync.Mutex
	all []recordedPacket
}

type recordedPacket struct {
	transport dpsp.Transport
	from, to  netip.AddrPort
	command   wire.Command
}

func (r *traffic) Packet(_ time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	var d wire.Decoder
	decode := d.DecodeDatagram
	if transport == dpsp.TCP {
		decode = d.DecodeStream
	}
	p := recordedPacket{transport: transport, from: from, to: to}
	if e, err := decode(data); err == nil {
		p.command = e.Message.Command()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, p)
}

func (r *traffic) count(c wire.Command) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.all {
		if p.command == c {
			n++
		}
	}
	return n
}

// TestRecordedSockets has both sides of a session tell their traffic: each message that came has the sockets with
// which its sender told it before, those that it really went between.
func TestRecordedSockets(t *testing.T) {
	ctx := testkit.Context(t)
	hosts, members := &traffic{}, &traffic{}
	opt := Options{Bind: testkit.Addr(t)}
	opt.Record = hosts
	h, err := hosted(ctx, opt, dpsp.Host{Application: testGame, Name: "Recorded"})
	require.NoError(t, err)
	defer h.Close()
	hp, err := h.CreatePlayer(ctx, "Host", nil)
	require.NoError(t, err)
	opt.Record = members
	j, err := Open(opt)
	require.NoError(t, err)
	defer j.Close()
	at, err := j.Find(ctx, Ask{Application: testGame, Hosts: []netip.Addr{opt.Bind}})
	require.NoError(t, err)
	require.NoError(t, j.Join(ctx, at, ""))
	jp, err := j.CreatePlayer(ctx, "Member", nil)
	require.NoError(t, err)
	for _, guaranteed := range []bool{true, false} {
		require.NoError(t, j.Send(ctx, jp, hp, []byte("x"), guaranteed))
		next[dpsp.Message](t, h)
	}
	hosts.mu.Lock()
	defer hosts.mu.Unlock()
	members.mu.Lock()
	defer members.mu.Unlock()
	kind := func(p recordedPacket) recordedPacket {
		if p.transport == dpsp.Ask {
			p.transport = dpsp.UDP // as it is told where it comes in
		}
		return p
	}
	there := map[recordedPacket]bool{}
	for _, p := range members.all {
		there[kind(p)] = true
	}
	ports := map[uint16]bool{}
	for _, p := range hosts.all {
		if p.to != h.StreamAddr() && p.to != h.DatagramAddr() && p.to.Port() != dpsp.EnumPort {
			continue // it went: its receiver may not have it yet
		}
		assert.True(t, there[kind(p)], "its sender told another one than %+v", p)
		ports[p.from.Port()], ports[p.to.Port()] = true, true
		switch {
		case p.command == wire.CmdEnumSessions:
			assert.Equal(t, netip.AddrPortFrom(opt.Bind, dpsp.EnumPort), p.to)
			assert.NotEqual(t, j.DatagramAddr(), p.from)
		case p.transport == dpsp.TCP:
			assert.NotContains(t, []netip.AddrPort{h.StreamAddr(), j.StreamAddr()}, p.from, "a connection comes from a port of its own")
		default:
			assert.Equal(t, [2]netip.AddrPort{j.DatagramAddr(), h.DatagramAddr()}, [2]netip.AddrPort{p.from, p.to})
		}
	}
	there = map[recordedPacket]bool{}
	for _, p := range hosts.all {
		there[p] = true
	}
	for _, p := range members.all {
		if p.to == j.StreamAddr() && p.command != wire.CmdEnumSessionsReply { // those came to the search, on the same port
			assert.True(t, there[p], "its sender told another one than %+v", p)
		}
	}
	assert.True(t, ports[dpsp.EnumPort] && ports[h.StreamAddr().Port()] && ports[h.DatagramAddr().Port()])
}
