package link

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A tap is a carrier that keeps what it is to carry.
type tap struct{ sent [][]byte }

func (c *tap) send(b []byte, _ netip.AddrPort) { c.sent = append(c.sent, bytes.Clone(b)) }
func (c *tap) direct() bool                    { return false }
func (c *tap) String() string                  { return "tap" }

// newTestSocket returns a socket with a clock of the test's.
func newTestSocket(t testing.TB, clock *time.Time) *socket {
	return newSocket(newProber(t, 1), func() time.Time { return *clock })
}

// TestSocketGate: packets of QUIC are taken from where a member has proved to be, and from nowhere else.
func TestSocketGate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	s, c := newTestSocket(t, &now), &tap{}
	member, stranger := newProber(t, 1), newProber(t, 2)
	here, there := route{c, netip.MustParseAddrPort("192.0.2.1:1")}, route{c, netip.MustParseAddrPort("192.0.2.2:1")}
	hello := []byte{quicBit, 1, 2, 3}
	s.received(here, hello)
	s.received(here, stranger.seal(false, s.prober.identity.id, 1))
	s.received(here, hello)
	assert.Empty(t, s.in)
	assert.Empty(t, s.peers)
	assert.Empty(t, c.sent, "strangers get no answer")
	s.received(here, member.seal(false, ID{7}, 1))
	assert.Empty(t, s.peers, "it is for another machine")
	assert.Len(t, c.sent, 1, "which learns that it is not here")
	s.received(here, member.seal(false, s.prober.identity.id, 2))
	pong, ok := member.open(c.sent[1])
	require.True(t, ok)
	assert.Equal(t, probe{true, s.prober.identity.id, member.identity.id, 2}, pong)
	s.received(there, hello)
	s.received(here, hello)
	assert.Empty(t, s.in, "who called may be whoever has heard it call")
	s.step() // it probes the path that it learned
	require.Len(t, c.sent[2], quicPacket, "as large as what is to pass")
	ping, ok := member.open(c.sent[2])
	require.True(t, ok)
	assert.False(t, ping.pong)
	from := s.peers[member.identity.id].address
	n, err := s.WriteTo(hello, from)
	require.NoError(t, err)
	assert.Equal(t, len(hello), n)
	assert.Len(t, c.sent, 3, "nothing is sent where nobody has answered")
	s.received(here, member.seal(true, s.prober.identity.id, ping.sequence))
	s.received(there, hello)
	assert.Empty(t, s.in)
	s.received(here, hello)
	b := make([]byte, packetMost)
	n, at, err := s.ReadFrom(b)
	require.NoError(t, err)
	assert.Equal(t, hello, b[:n])
	assert.Equal(t, from, at)
	s.WriteTo(hello, from) //nolint:errcheck
	require.Len(t, c.sent, 4)
	assert.Equal(t, hello, c.sent[3])
	assert.Equal(t, Way{Over: "tap", RTT: 1}, s.way(member.identity.id))
}

// TestReplay: who sends again what a member once sent gets no packet to QUIC, from wherever it comes.
func TestReplay(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	s, c := newTestSocket(t, &now), &tap{}
	member := newProber(t, 1)
	home, stranger := route{c, netip.MustParseAddrPort("192.0.2.1:1")}, route{c, netip.MustParseAddrPort("198.51.100.9:9")}
	call := member.seal(false, s.prober.identity.id, 7)
	s.received(home, call)
	s.step()
	asked, ok := member.open(c.sent[len(c.sent)-1])
	require.True(t, ok)
	answer := member.seal(true, s.prober.identity.id, asked.sequence)
	s.received(home, answer)
	for _, heard := range [][]byte{call, answer, call} {
		s.received(stranger, heard)
		s.step()
		s.received(stranger, []byte{0xc0, 0, 0, 0, 1, 'x'})
	}
	assert.Empty(t, s.in)
	s.received(home, []byte{0xc0, 0, 0, 0, 1, 'x'})
	assert.Len(t, s.in, 1)
}

// TestRouteOfAnother: what a machine says of its addresses does not take a route from who has shown itself there, and whoever answers
// there has it.
func TestRouteOfAnother(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	s, c := newTestSocket(t, &now), &tap{}
	a := &allocation{relayed: netip.MustParseAddrPort("192.0.2.9:9")}
	s.attach(a)
	liar, other := newProber(t, 1), newProber(t, 1)
	at := netip.MustParseAddrPort("192.0.2.9:10")
	r := route{a, at}
	require.True(t, s.hold(liar.identity.id, nil))
	require.True(t, s.hold(other.identity.id, []netip.AddrPort{at}))
	s.named(liar.identity.id, []netip.AddrPort{at})
	assert.Equal(t, liar.identity.id, s.routes[r].id, "nobody has shown itself there")
	s.mu.Lock()
	s.calls(s.peers[other.identity.id], r)
	s.mu.Unlock()
	s.named(liar.identity.id, []netip.AddrPort{at})
	assert.Equal(t, other.identity.id, s.routes[r].id)

	elsewhere := route{c, netip.MustParseAddrPort("192.0.2.3:3")}
	s.mu.Lock()
	x := s.try(s.peers[liar.identity.id], elsewhere, true)
	s.mu.Unlock()
	now = now.Add(time.Second)
	for _, d := range s.peers[liar.identity.id].paths.step(now) {
		if d.path == x {
			s.received(elsewhere, other.seal(true, s.prober.identity.id, d.sequence))
		}
	}
	assert.Equal(t, other.identity.id, s.routes[elsewhere].id, "it has answered")
	assert.True(t, s.peers[liar.identity.id].wrong)
}

// TestSocketBounds: members that make machines up, or send many probes, push nobody out who has a link.
func TestSocketBounds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	s, c := newTestSocket(t, &now), &tap{}
	require.True(t, s.hold(ID{1}, nil))
	for i := range 3 * peersMost {
		now = now.Add(10 * time.Millisecond)
		var id ID
		binary.BigEndian.PutUint32(id[4:], uint32(i+1))
		s.mu.Lock()
		assert.NotNil(t, s.peer(id))
		s.mu.Unlock()
	}
	assert.Equal(t, peersMost, len(s.peers))
	assert.Equal(t, peersMost, len(s.virtual))
	assert.NotNil(t, s.peers[ID{1}])
	now = now.Add(2 * idlePeer)
	s.step()
	assert.Len(t, s.peers, 1)

	member := newProber(t, 1)
	ping := member.seal(false, s.prober.identity.id, 1)
	for range 2 * probesMost {
		s.received(route{c, netip.MustParseAddrPort("192.0.2.1:1")}, ping)
	}
	assert.Len(t, c.sent, probesMost)
	assert.Len(t, s.routes, 1)
	now = now.Add(time.Second)
	stranger := newProber(t, 2).seal(false, s.prober.identity.id, 1)
	for range 2 * probesMost {
		s.received(route{c, netip.MustParseAddrPort("192.0.2.1:1")}, stranger)
	}
	c.sent = nil
	s.received(route{c, netip.MustParseAddrPort("192.0.2.1:1")}, ping)
	assert.Len(t, c.sent, 1, "strangers take nothing of what members have")

	linked, way := newProber(t, 1), route{c, netip.MustParseAddrPort("192.0.2.2:1")}
	require.True(t, s.hold(linked.identity.id, nil))
	now = now.Add(time.Second)
	s.received(way, linked.seal(false, s.prober.identity.id, 1))
	for range 2 * probesMost {
		s.received(route{c, netip.MustParseAddrPort("192.0.2.1:1")}, ping)
		s.received(route{c, netip.MustParseAddrPort("192.0.2.1:1")}, []byte{pingKind})
	}
	c.sent = nil
	for n := range 2 * probesEach {
		s.received(way, linked.seal(false, s.prober.identity.id, uint64(n)))
	}
	assert.Len(t, c.sent, probesEach, "who has a link is heard whatever others do")
	for range linksMost - 1 {
		require.True(t, s.hold(linked.identity.id, nil))
	}
	assert.False(t, s.hold(linked.identity.id, nil), "one machine has some links, not all")

	a := &allocation{relayed: netip.MustParseAddrPort("192.0.2.9:9")}
	s.attach(a)
	s.named(ID{1}, []netip.AddrPort{{}, netip.MustParseAddrPort("0.0.0.0:1"), netip.MustParseAddrPort("192.0.2.9:0"), a.relayed,
		netip.MustParseAddrPort("192.0.2.9:10")})
	assert.Len(t, s.peers[ID{1}].paths.all, 1)
	s.named(ID{1}, make([]netip.AddrPort, 1000))
	assert.LessOrEqual(t, len(s.peers[ID{1}].named), addressesMax)
}

// FuzzReceived: whatever comes does no harm, and nothing of it gets to QUIC.
func FuzzReceived(f *testing.F) {
	f.Add([]byte{quicBit})
	f.Add([]byte{pingKind})
	f.Add(newProber(f, 2).seal(true, ID{}, 1))
	now := time.Unix(1000, 0)
	s, c := newTestSocket(f, &now), &tap{}
	f.Fuzz(func(t *testing.T, b []byte) {
		now = now.Add(time.Second)
		s.received(route{carrier: c}, b)
		if len(s.in) > 0 || len(c.sent) > 0 {
			t.Fatal("a stranger was heard")
		}
	})
}

// FuzzSignal: whatever a member sends on the stream of signals is read without harm.
func FuzzSignal(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, (&signals{stream: &b}).send(signal{Attempt: 1, User: "u", Password: "p",
		Relayed: []netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:1")}}))
	f.Add(b.Bytes())
	f.Add([]byte{0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &signals{stream: bytes.NewBuffer(b)}
		for {
			if _, err := s.receive(); err != nil {
				return
			}
		}
	})
}

// TestCalls: a machine that begins connections and never proves them has some, and others when those are over.
func TestCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Unix(1000, 0)
		s := newTestSocket(t, &now)
		require.True(t, s.hold(ID{1}, nil))
		ctx, over := context.WithCancel(t.Context())
		one := &quic.ClientInfo{RemoteAddr: s.peers[ID{1}].address}
		for range 2 {
			for range callsMost {
				_, err := s.called(ctx, one)
				require.NoError(t, err)
			}
			_, err := s.called(ctx, one)
			require.ErrorIs(t, err, errMany)
			over()
			synctest.Wait()
			ctx, over = context.WithCancel(t.Context())
		}
		over()
		_, err := s.called(t.Context(), &quic.ClientInfo{RemoteAddr: udpAddr(netip.MustParseAddrPort("[fd00::9]:1"))})
		require.ErrorIs(t, err, errMany, "nobody's")
	})
}
