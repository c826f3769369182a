package dpsp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/admit"
	"dplay4/dpsp/internal/fragment"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// A storm feeds one engine of a session whatever comes, and says what must hold after every step.
type storm struct {
	t    testing.TB
	w    *world
	n    []*node
	rng  *rand.Rand
	seen [][]byte // real messages, to be mutated
	sum  uint64   // of all that came out
}

// newStorm makes a session of a host and two members, one engine on its way into it and one that is idle, and
// records what they say.
func newStorm(t testing.TB, flags wire.SessionFlags, strict bool, seed uint64) *storm {
	s := &storm{t: t, rng: rand.New(rand.NewPCG(seed, 1))}
	s.w = &world{t: t}
	cfg := Config{Compatible: !strict, MaxDatagram: 300, MaxStream: 400}
	s.w.cut = func(_, _ *node, out Outgoing) bool { s.seen = append(s.seen, bytes.Clone(out.Data)); return false }
	h := s.w.add("host", cfg)
	s.w.must(h, Host{Application: gameGUID, Name: "Game", Flags: flags})
	s.n = []*node{h}
	var ids []wire.PlayerID
	for i := range 2 {
		p := s.w.add(fmt.Sprint("peer", i+1), cfg)
		s.w.join(p, h, "")
		s.n = append(s.n, p)
	}
	for _, p := range s.n {
		c := CreatePlayer{ShortName: Text(p.name), Data: []byte("data")}
		if p == h && flags&wire.SessionClientServer != 0 {
			c.Flags = wire.PlayerServerPlayer
		}
		ids = append(ids, s.w.must(p, c))
	}
	everything(s.w, s.n, ids)
	on := s.w.add("joining", cfg)
	s.n = append(s.n, on, s.w.add("idle", cfg))
	s.w.cut = func(_, to *node, _ Outgoing) bool { return to == h }
	s.w.step(on, Input{Kind: Request, Command: Join{Host: h.stream(), Desc: wire.SessionDesc{Flags: flags}}, Token: 1})
	s.w.cut, s.w.queue = nil, nil
	for _, p := range s.n {
		p.events = nil
	}
	return s
}

// feed returns octets to an engine and looks at what it does.
func (s *storm) feed(p *node, in Input) {
	out := p.Step(s.w.now, in)
	require.Greater(s.t, out.Wake, s.w.now, "a busy loop")
	h := fnv.New64a()
	var sum [8]byte
	binary.LittleEndian.PutUint64(sum[:], s.sum)
	h.Write(sum[:])
	for _, o := range out.Sends {
		fmt.Fprint(h, o.Transport, o.To, o.Data)
		require.True(s.t, o.To.IsValid() && o.To.Port() != 0)
	}
	fmt.Fprintf(h, "%v %+v %v", out.Close, out.Events, out.Wake)
	s.sum = h.Sum64()
	atMost(s.t, len(out.Sends), 5000)
	s.bounded(p)
}

// bounded says that an engine keeps no more than its limits.
func (s *storm) bounded(p *node) {
	atMost(s.t, len(p.admission.Newcomers), admit.MaxNewcomers)
	atMost(s.t, len(p.admission.Promises), admit.MaxPromises)
	atMost(s.t, len(p.requests.line), maxRequests)
	atMost(s.t, p.fragments.out.Waiting(), fragment.MaxOutgoing)
	messages, kept, complete := p.fragments.in.Waiting()
	atMost(s.t, messages, fragment.MaxParts)
	atMost(s.t, kept, fragment.MaxOctets)
	atMost(s.t, complete, fragment.MaxComplete)
	atMost(s.t, len(p.holdback.held), maxEarly)
	octets := 0
	for _, h := range p.holdback.held {
		octets += len(h.octets)
	}
	if p.holdback.octets != octets {
		require.Equal(s.t, p.holdback.octets, octets)
	}
	atMost(s.t, octets, maxEarlyOctets)
	require.False(s.t, p.holdback.releasing)
	require.True(s.t, p.search.asking == nil || p.state == idle)
	if p.state == joinState {
		atMost(s.t, p.join.octets, maxHeldOctets)
	}
	if p.state == member {
		require.NotNil(s.t, p.list)
		require.False(s.t, p.hosting() && p.admission.IDs == nil)
		_, there := p.list.System(p.self)
		require.True(s.t, there, "we are in our own list")
	}
}

// from returns where something may come from: a machine of the session, or a stranger.
func (s *storm) from(k byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1 + k%6}), []uint16{40000, 2350}[k/128])
}

// mutated returns a real message with some octets changed, cut, or grown.
func (s *storm) mutated() []byte {
	b := bytes.Clone(s.seen[s.rng.IntN(len(s.seen))])
	for range s.rng.IntN(4) {
		switch k := s.rng.IntN(len(b) + 1); s.rng.IntN(5) {
		case 0:
			b = b[:k]
		case 1:
			b = append(b, make([]byte, k)...)
		case 2:
			if len(b) > 26 { // another command
				b[24] = byte(s.rng.IntN(64))
			}
		case 3:
			if k+4 <= len(b) {
				binary.LittleEndian.PutUint32(b[k:], []uint32{0, 1, 0xFFFFFFFF, uint32(len(b)), uint32(s.n[0].self), uint32(s.n[1].self)}[s.rng.IntN(6)])
			}
		case 4:
			if k < len(b) {
				b[k] ^= 1 << s.rng.IntN(8)
			}
		}
	}
	if len(b) >= 4 && s.rng.IntN(4) > 0 { // most have the right size
		binary.LittleEndian.PutUint32(b, uint32(len(b))|0xFAB00000)
	}
	return b
}

// step feeds one mutated message to one engine, or lets time pass.
func (s *storm) step() {
	p := s.n[s.rng.IntN(len(s.n))]
	switch s.rng.IntN(20) {
	case 0:
		s.w.now += time.Duration(s.rng.Int64N(int64(3 * time.Second)))
		for _, p := range s.n {
			s.feed(p, Input{})
		}
	case 1:
		kinds := []Kind{StreamEnded, StreamClosed}
		s.feed(p, Input{Kind: kinds[s.rng.IntN(2)], From: s.n[s.rng.IntN(len(s.n))].stream(), Anew: s.rng.IntN(2) == 0})
	case 2, 3:
		c := []Command{CreatePlayer{}, CreateGroup{}, Join{Host: s.n[0].stream()}, Host{Application: gameGUID}, SetDesc{Name: "x"},
			Send{To: wire.IDAll, Payload: make([]byte, 900)}, Enumerate{}, EnumeratePlayers{Host: s.n[0].stream()}, SetData{ID: p.self}, Leave{}}
		if s.rng.IntN(8) > 0 {
			c = c[:len(c)-1]
		}
		one := c[s.rng.IntN(len(c))]
		if m, ok := one.(Send); ok && p.state == member && len(p.players(0)) > 0 {
			m.From, m.Guaranteed = p.players(0)[0], s.rng.IntN(2) == 0
			one = m
		}
		s.feed(p, Input{Kind: Request, Command: one, Token: 2})
	default:
		kind := []Kind{Stream, Stream, Datagram}[s.rng.IntN(3)]
		s.feed(p, Input{Kind: kind, From: s.from(byte(s.rng.Uint32())), Data: s.mutated()})
	}
}

// atMost holds a size against its limit. It is called after each of very many steps: require would take longer than they.
func atMost(t testing.TB, size, limit int) {
	if size > limit {
		t.Helper()
		require.LessOrEqual(t, size, limit)
	}
}

// Nothing that comes makes an engine fail, grow without bound or spin, in any state, and equal seeds and inputs
// give equal outputs.
func TestStorm(t *testing.T) {
	flags := []wire.SessionFlags{0, wire.SessionMulticastServer | wire.SessionKeepAlive, wire.SessionClientServer, wire.SessionNoMessageID | wire.SessionMigrateHost}
	for i := range max(testkit.Part(24), 8) { // 8 have each kind of session once
		var sums [2]uint64
		for k := range sums {
			s := newStorm(t, flags[i%4], i%8 < 4, uint64(i))
			for range 1500 {
				s.step()
			}
			sums[k] = s.sum
		}
		assert.Equal(t, sums[0], sums[1], "seed %d", i)
	}
}

// FuzzStep feeds an engine in every state with streams and datagrams that the fuzzer makes: octets are a list of
// (engine and kind, source, length, data).
func FuzzStep(f *testing.F) {
	s := newStorm(f, wire.SessionMulticastServer|wire.SessionKeepAlive, false, 1)
	for i, b := range s.seen {
		for who := range byte(5) {
			f.Add(uint8(i), append([]byte{who, byte(i), byte(len(b)), byte(len(b) >> 8)}, b...))
		}
	}
	modes := []wire.SessionFlags{0, wire.SessionMulticastServer, wire.SessionClientServer, wire.SessionNoMessageID}
	f.Fuzz(func(t *testing.T, mode uint8, b []byte) {
		s := newStorm(t, modes[mode%4], mode&4 == 0, 1)
		for len(b) >= 4 {
			p, from, n := s.n[int(b[0]&0x7F)%len(s.n)], s.from(b[1]), int(b[2])|int(b[3])<<8
			kind := Stream
			if b[0]&0x80 != 0 {
				kind = Datagram
			}
			b = b[4:]
			n = min(n, len(b))
			s.feed(p, Input{Kind: kind, From: from, Data: b[:n]})
			b = b[n:]
			s.w.now += time.Second
			s.feed(p, Input{})
		}
	})
}

// 64 machines join, talk and leave, in an order that differs from that of joining; nobody drops anything.
func TestManyMembers(t *testing.T) {
	w, n, ids := session(t, wire.SessionKeepAlive, 63, Config{})
	for _, p := range n {
		p.events = nil
	}
	w.must(n[5], Send{From: ids[5], To: wire.IDAll, Payload: []byte("x")})
	for i, p := range n {
		if i != 5 {
			assert.Len(t, take[Message](p), 1, p.name)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for k, i := range rng.Perm(63) {
		p := n[i+1]
		if k%2 == 0 {
			w.must(p, Leave{})
		} else {
			p.closed = true
			w.step(n[0], Input{Kind: StreamClosed, From: p.stream()})
			w.settle()
		}
		got, _ := n[0].list.Len()
		require.Equal(t, 2*(63-k), got)
	}
	assert.Empty(t, n[0].peers.all)
	used, reserved := n[0].admission.IDs.Len()
	assert.Equal(t, []int{2, 0}, []int{used, reserved})
	assert.Zero(t, n[0].liveness.pings.Len())
	w.sane("many")
}
