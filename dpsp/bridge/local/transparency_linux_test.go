package local

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/filter/filtertest"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/bridge/relay"
	"dplay4/internal/testkit"
)

// A tape is what a bridge records: what was said on each connection, by its ends, and the datagrams.
type tape struct {
	mu        sync.Mutex
	streams   map[[2]netip.AddrPort][]byte
	datagrams [][]byte
}

func (r *tape) Packet(_ time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if transport == dpsp.UDP {
		r.datagrams = append(r.datagrams, bytes.Clone(data))
		return
	}
	if r.streams == nil {
		r.streams = map[[2]netip.AddrPort][]byte{}
	}
	at := [2]netip.AddrPort{from, to}
	r.streams[at] = append(r.streams[at], data...)
}

// take returns what was said to a port, or from it, on the one connection that was recorded, and forgets it.
func (r *tape) take(t testing.TB) (said [2][]byte) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for at, b := range r.streams {
		i := 0
		if at[0].Port() == At(0).TCP {
			i = 1
		}
		require.Nil(t, said[i])
		said[i] = b
	}
	clear(r.streams)
	return said
}

// A taped is two linked machines whose bridges record.
type taped struct {
	m        []*machine
	tapes    []*tape
	listener *net.TCPListener // of the first one's game
	first    *net.UDPConn     // its
	second   *net.UDPConn     // the other one's
	r        *rand.Rand
}

// newTaped makes them. link links them.
func newTaped(t *testing.T, hub *linktest.Hub, link func(m []*machine)) *taped {
	p := &taped{tapes: []*tape{{}, {}}, r: rand.New(rand.NewPCG(3, 4))}
	for i, tape := range p.tapes {
		p.m = append(p.m, newMachine(t, hub, i).open(Options{Record: tape}))
	}
	link(p.m)
	p.listener, p.first = p.m[0].plays(At(0))
	_, p.second = p.m[1].plays(At(1))
	return p
}

// says has the second machine's game call the first one's, and both say something, in random pieces both ways at a time: what one game
// sends is what the other one receives, octet for octet, and what both bridges record.
func (p *taped) says(t *testing.T, what string, first, second []byte) {
	t.Helper()
	caller := p.m[1].dials(At(0).TCP)
	called := accepts(t, p.listener)
	var group sync.WaitGroup
	var got [2][]byte
	var failed [4]error
	seeds := [2]uint64{p.r.Uint64(), p.r.Uint64()}
	group.Go(func() { failed[0] = says(seeds[0], caller, second) })
	group.Go(func() { failed[1] = says(seeds[1], called, first) })
	group.Go(func() { got[0], failed[2] = io.ReadAll(called) })
	group.Go(func() { got[1], failed[3] = io.ReadAll(caller) })
	group.Wait()
	require.Equal(t, [4]error{}, failed, "%s: %s %s", what, p.m[0].told(), p.m[1].told())
	require.True(t, bytes.Equal(second, got[0]) && bytes.Equal(first, got[1]), what)
	for _, tape := range p.tapes {
		said := tape.take(t)
		require.True(t, bytes.Equal(second, said[0]) && bytes.Equal(first, said[1]), what)
	}
}

// captured has what machines said on connections of the captures said again, by two at a time, and returns of how many.
func (p *taped) captured(t *testing.T) (streams int) {
	t.Helper()
	for _, file := range recordings(t) {
		all, _ := recorded(t, file, true)
		var said [][]byte
		for _, s := range all {
			if s.stream != nil && !s.broken {
				said = append(said, s.as(len(said)%2))
			}
		}
		streams += len(said)
		if len(said)%2 != 0 {
			said = append(said, nil)
		}
		for i := 0; i < len(said); i += 2 {
			p.says(t, file, said[i], said[i+1])
		}
	}
	return streams
}

// speaker makes up what the game in a slot says.
func (p *taped) speaker(slot int) *filtertest.Speaker {
	return &filtertest.Speaker{R: p.r, Self: At(slot), Slots: []filter.Ports{At(0), At(1), At(7), At(49)}}
}

// random has so many connections on which games say what is made up.
func (p *taped) random(t *testing.T, connections int) {
	t.Helper()
	for i := range connections {
		var said [2][]byte
		for slot := range said {
			for range p.r.IntN(30) {
				said[slot] = append(said[slot], p.speaker(slot).Message()...)
			}
		}
		p.says(t, fmt.Sprint("random ", i), said[0], said[1])
	}
}

// datagrams has the datagrams of the captures sent again, one after the other, and so many that are made up: the same arrive. It returns
// how many of the captures there were.
func (p *taped) datagrams(t *testing.T, random int) (captured int) {
	t.Helper()
	var want [][]byte
	send := func(b []byte) {
		_, err := p.second.WriteToUDPAddrPort(b, here(At(0).UDP))
		require.NoError(t, err)
		require.Equal(t, b, datagramFrom(t, p.first, At(1).UDP))
		want = append(want, b)
	}
	for _, file := range recordings(t) {
		all, _ := recorded(t, file, true)
		for _, s := range all {
			if s.stream != nil || s.broken {
				continue
			}
			by := filter.Translation{Game: filter.Ports{TCP: s.from, UDP: At(1).UDP}, Slot: At(1)}
			for _, b := range s.each {
				filter.NewTranslator(func() filter.Translation { return by }).Datagram(b)
				send(b)
			}
		}
	}
	captured = len(want)
	for range random {
		send(p.speaker(1).Datagram())
	}
	for _, tape := range p.tapes {
		tape.mu.Lock()
		require.Equal(t, want, tape.datagrams)
		tape.mu.Unlock()
	}
	return captured
}

// TestTransparency has games of two machines say what was said in the captures and what is made up, over links in memory.
func TestTransparency(t *testing.T) {
	t.Parallel()
	p := newTaped(t, linktest.New(), func(m []*machine) { m[0].meets(m[1]) })
	assert.Equal(t, 370, p.captured(t))
	p.random(t, 200)
}

// TestTransparentDatagrams does so with datagrams.
func TestTransparentDatagrams(t *testing.T) {
	t.Parallel()
	p := newTaped(t, linktest.New(), func(m []*machine) { m[0].meets(m[1]) })
	assert.Equal(t, 340, p.datagrams(t, 2000))
}

// TestTransparencyQUIC does both over real links, by QUIC and a relay of ours on loopback.
func TestTransparencyQUIC(t *testing.T) {
	t.Parallel()
	p := newTaped(t, nil, func(m []*machine) {
		first, second := realLinks(t)
		require.NoError(t, m[0].local.Stand(1, m[1].local.at.Slot, first))
		require.NoError(t, m[1].local.Stand(0, m[0].local.at.Slot, second))
	})
	p.captured(t)
	p.random(t, 50)
	p.datagrams(t, 200)
}

// realLinks links two machines over a relay.
func realLinks(t *testing.T) (first, second link.Link) {
	t.Helper()
	ctx, at := testkit.Context(t), testkit.Addr(t)
	certificate, err := relay.SelfMade([]netip.Addr{at})
	require.NoError(t, err)
	limits := relay.DefaultLimits()
	limits.Rate, limits.AddressRate, limits.Queue = 1<<30, 1<<30, 1<<10
	server, err := relay.Open(relay.Config{Public: []netip.Addr{at}, Listen: []netip.Addr{at}, Port: relay.DefaultPort,
		TLSPort: relay.DefaultTLSPort, Certificate: certificate, Secret: code.OpenSecret, Limits: limits})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	with := link.Config{Code: code.Code{Secret: [16]byte{1}, Relays: []code.Relay{{Host: at.String(), Port: relay.DefaultPort}}}, ForceRelay: true}
	var all [2]*link.Mesh
	for i := range all {
		all[i], err = link.New(t.Context(), with)
		require.NoError(t, err)
		t.Cleanup(func() { all[i].Close() })
		require.NoError(t, all[i].Ready(ctx))
	}
	all[0].Meet(true)
	testkit.Until(t, func() bool { return slices.ContainsFunc(all[0].Meeting(), netip.AddrPort.IsValid) }, "an address to meet at")
	// A machine that stands still for longer than the handshake may take gets no link, or one that ends at once: it knocks again, as a
	// bridge does.
	for first == nil {
		if second, err = all[1].Knock(ctx); err == nil {
			first, err = all[0].Accept(second.Context())
		}
		require.NoError(t, ctx.Err(), err)
	}
	return first, second
}

// as returns what was said on a connection as the game in a slot would have said it.
func (s *said) as(slot int) []byte {
	by := filter.Translation{Game: filter.Ports{TCP: s.from, UDP: At(slot).UDP}, Slot: At(slot)}
	b, err := filter.NewTranslator(func() filter.Translation { return by }).Stream().Pass(nil, s.stream)
	if err != nil {
		panic(err)
	}
	return b
}

// says writes octets in random pieces, and ends.
func says(seed uint64, c interface {
	io.Writer
	CloseWrite() error
}, b []byte) error {
	r := rand.New(rand.NewPCG(seed, 0))
	most := []int{20, 3000, 1 << 20}[r.IntN(3)]
	for len(b) > 0 {
		n := min(len(b), 1+r.IntN(most))
		if _, err := c.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return c.CloseWrite()
}
