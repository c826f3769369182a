package link

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/vnet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// homes returns an internet with a relay, that has begun, and a machine behind a router of each kind.
func homes(t *testing.T, kinds ...nat) (r *testRelay, at []*home, nets []transport.Net) {
	t.Helper()
	n := newInternet(t)
	r = n.relay(1)
	for _, k := range kinds {
		h := n.home(k)
		at, nets = append(at, h), append(nets, h.host())
	}
	n.start()
	r.begin()
	return r, at, nets
}

// TestClose: both sides learn why, and all that meshes began has ended when they are closed, or the test would not end.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testClose)
}

func testClose(t *testing.T) {
	r, _, nets := homes(t, restricted, restricted)
	a, b := mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]})
	ab, ba := pair(t, a, b)
	require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, soon, 5*time.Millisecond)
	s, err := ab.OpenStream(t.Context())
	require.NoError(t, err)
	_, err = s.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, ab.SendDatagram(make([]byte, 60000)))
	began := time.Now()
	require.NoError(t, a.Close())
	assert.Less(t, time.Since(began), 500*time.Millisecond)
	<-ba.Context().Done()
	assert.Less(t, time.Since(began), time.Second)
	assert.Equal(t, &EndedError{Reason: "closed"}, context.Cause(ba.Context()))
	assert.Equal(t, ErrClosed, context.Cause(ab.Context()))
	_, err = s.Read(make([]byte, 1))
	require.ErrorIs(t, err, ErrClosed)
	_, err = a.Accept(t.Context())
	require.ErrorIs(t, err, ErrClosed)
	_, err = a.Dial(t.Context(), b.ID(), b.Addresses())
	require.ErrorIs(t, err, ErrClosed)
	require.NoError(t, b.Close())
	require.NoError(t, b.Close(), "again")
}

// TestStrangers: who does not know the secret gets no answer, and nobody learns that it called.
func TestStrangers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testStrangers)
}

func testStrangers(t *testing.T) {
	r, _, nets := homes(t, noNAT, noNAT)
	other := codeOf(r)
	other.Secret[5]++
	a, b := mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: other, Net: nets[1]})
	ctx := within(t)
	a.Meet(true)
	require.NoError(t, a.Ready(ctx))
	require.NoError(t, b.Ready(ctx))
	var calls sync.WaitGroup
	calls.Go(func() {
		_, err := b.Knock(ctx)
		assert.ErrorIs(t, err, ErrNobody)
	})
	calls.Go(func() {
		_, err := b.Dial(ctx, a.ID(), a.Addresses())
		assert.ErrorIs(t, err, ErrNobody)
	})
	calls.Go(func() {
		_, err := a.Dial(ctx, b.ID(), b.Addresses())
		assert.ErrorIs(t, err, ErrNobody)
	})
	calls.Wait()
	for _, m := range []*Mesh{a, b} {
		assert.Empty(t, m.accepted)
		assert.Empty(t, m.socket.in)
	}
}

// TestWrongMachine: who calls one machine does not get another one.
func TestWrongMachine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testWrongMachine)
}

func testWrongMachine(t *testing.T) {
	r, _, nets := homes(t, noNAT, noNAT)
	a, b := mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]})
	ctx := within(t)
	require.NoError(t, b.Ready(ctx))
	_, err := a.Dial(ctx, ID{1, 2, 3}, b.Addresses())
	require.ErrorIs(t, err, ErrStranger)
	assert.Empty(t, b.accepted)
	_, err = a.Dial(ctx, a.ID(), a.Addresses())
	require.ErrorIs(t, err, ErrOurselves)
	_, err = a.Dial(ctx, b.ID(), b.Addresses())
	require.NoError(t, err)
	a.Meet(true)
	require.Eventually(t, func() bool { return a.Meeting()[0].IsValid() }, soon, 5*time.Millisecond)
	_, err = a.Knock(ctx)
	require.ErrorIs(t, err, ErrOurselves)
}

// TestNoRelay: it is said which relay is the trouble, and why.
func TestNoRelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testNoRelay)
}

func testNoRelay(t *testing.T) {
	n := newInternet(t)
	r := n.relay(1)
	at := n.home(noNAT).host()
	n.start()
	m := mesh(t, Config{Code: codeOf(r), Net: at})
	assert.Empty(t, m.Addresses())
	err := m.Ready(within(t))
	require.ErrorIs(t, err, ErrNoRelay)
	assert.ErrorContains(t, err, "relay 203.0.113.1: it cannot be reached: TCP 203.0.113.1:3478: ")
	assert.ErrorContains(t, err, ", UDP 203.0.113.1:3478: no answer")
	assert.Error(t, m.Relays()[0].Err)
	_, err = m.Knock(within(t))
	require.ErrorIs(t, err, ErrNoRelay)
	r.begin()
	require.Eventually(t, func() bool { return len(m.Addresses()) == 1 }, soon, 5*time.Millisecond)
	assert.Equal(t, code.Ports(m.identity.tag())[0], m.Addresses()[0].Port())
}

// counting has a stream carry numbers one way, one every millisecond, until stop is closed. It returns how many came, in order.
func counting(t *testing.T, ab, ba Link, stop <-chan struct{}) func() uint32 {
	t.Helper()
	out, err := ab.OpenStream(t.Context())
	require.NoError(t, err)
	var writes sync.WaitGroup
	t.Cleanup(writes.Wait)
	writes.Go(func() {
		defer out.CloseWrite() //nolint:errcheck
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := uint32(0); ; i++ {
			if _, err := out.Write(binary.BigEndian.AppendUint32(nil, i)); err != nil {
				if t.Context().Err() == nil { // otherwise the test is over, for another reason
					assert.NoError(t, err)
				}
				return
			}
			select {
			case <-tick.C:
			case <-stop:
				return
			case <-t.Context().Done():
				return
			}
		}
	})
	in, err := ba.AcceptStream(t.Context())
	require.NoError(t, err)
	return func() (n uint32) {
		for {
			var b [4]byte
			if _, err := io.ReadFull(in, b[:]); err != nil {
				require.Equal(t, io.EOF, err)
				return n
			}
			require.Equal(t, n, binary.BigEndian.Uint32(b[:]))
			n++
		}
	}
}

// TestWayChanges: a direct way is lost under a running stream, and found again. Nothing is missing.
func TestWayChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testWayChanges)
}

func testWayChanges(t *testing.T) {
	r, at, nets := homes(t, restricted, restricted)
	a, b := mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]})
	ab, ba := pair(t, a, b)
	isDirect := func() bool { return ab.Way().Direct && ba.Way().Direct }
	require.Eventually(t, isDirect, soon, 5*time.Millisecond)
	stop := make(chan struct{})
	received := counting(t, ab, ba, stop)
	at[0].cut.Store(true)
	require.Eventually(t, func() bool { return !ab.Way().Direct && !ba.Way().Direct }, soon, 5*time.Millisecond)
	echo(t, ba)
	echoes(t, ab)
	at[0].cut.Store(false)
	require.Eventually(t, isDirect, soon, 5*time.Millisecond)
	close(stop)
	t.Logf("%d numbers", received())
}

// TestMoved: where a machine gets other addresses, its links go on, over a way that was looked for anew.
func TestMoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testMoved)
}

func testMoved(t *testing.T) {
	r, _, nets := homes(t, restricted, restricted)
	a, b := mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]})
	ab, ba := pair(t, a, b)
	isDirect := func() bool { return ab.Way().Direct && ba.Way().Direct }
	require.Eventually(t, isDirect, soon, 5*time.Millisecond)
	before := ab.Way().Over
	stop := make(chan struct{})
	received := counting(t, ab, ba, stop)
	a.moved()
	require.Eventually(t, func() bool { return isDirect() && ab.Way().Over != before }, soon, 5*time.Millisecond)
	close(stop)
	t.Logf("%d numbers; before over %s, now over %s", received(), before, ab.Way().Over)
}

// TestLoss: where the way loses 2 %, messages on a stream are late by a few round trips at most, and no more datagrams are lost
// than the way loses.
func TestLoss(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testLoss)
}

func testLoss(t *testing.T) {
	r, at, nets := homes(t, restricted, restricted)
	random := rand.New(rand.NewPCG(3, 4))
	var mu sync.Mutex
	at[0].internet.wan.AddChunkFilter(func(vnet.Chunk) bool {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64() >= 0.02
	})
	ab, ba := pair(t, mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]}))
	require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, soon, 5*time.Millisecond)
	out, in := streams(t, ab, ba)
	const messages, every = 3000, time.Second / 60
	var arrived int
	var late []time.Duration
	var both sync.WaitGroup
	both.Go(func() {
		for range messages {
			var b [100]byte
			if _, err := io.ReadFull(in, b[:]); !assert.NoError(t, err) {
				return
			}
			late = append(late, time.Duration(time.Now().UnixNano()-int64(binary.BigEndian.Uint64(b[:]))))
		}
	})
	both.Go(func() {
		for {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := ba.ReceiveDatagram(ctx)
			cancel()
			if err != nil {
				return
			}
			arrived++
		}
	})
	for range messages {
		b := make([]byte, 100)
		binary.BigEndian.PutUint64(b, uint64(time.Now().UnixNano()))
		_, err := out.Write(b)
		require.NoError(t, err)
		require.NoError(t, ab.SendDatagram(b))
		<-time.After(every)
	}
	both.Wait()
	slices.Sort(late)
	t.Logf("late by %v (p50), %v (p99), %v (most); %d of %d datagrams; %+v", late[len(late)/2], late[len(late)*99/100],
		late[len(late)-1], arrived, messages, ab.Way())
	assert.Less(t, late[len(late)*99/100], 100*time.Millisecond)
	assert.Greater(t, arrived, messages*97/100)
}

// TestRelayKilled: machines that are linked directly do not notice that the relay was killed; those that are linked over it go on
// when it is back, though it has forgotten all. Newcomers come then as before.
func TestRelayKilled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testRelayKilled)
}

func testRelayKilled(t *testing.T) {
	r, _, nets := homes(t, restricted, restricted, symmetric, noNAT)
	var m []*Mesh
	for _, n := range nets {
		m = append(m, mesh(t, Config{Code: codeOf(r), Net: n}))
	}
	direct, other := pair(t, m[0], m[1])
	relayed, third := pair(t, m[2], m[1])
	require.Eventually(t, func() bool { return direct.Way().Direct && other.Way().Direct }, soon, 5*time.Millisecond)
	stop := make(chan struct{})
	overDirect, overRelay := counting(t, direct, other, stop), counting(t, relayed, third, stop)
	before := m[1].Meeting()
	r.kill()
	echo(t, other)
	require.Eventually(t, func() bool { return len(m[1].Addresses()) == 0 }, soon, 5*time.Millisecond)
	echoes(t, direct)
	assert.True(t, direct.Way().Direct)
	r.begin()
	echo(t, third)
	echoes(t, relayed)
	assert.False(t, relayed.Way().Direct)
	require.Eventually(t, func() bool { return m[1].Meeting()[0].IsValid() }, soon, 5*time.Millisecond)
	assert.Equal(t, before, m[1].Meeting())
	l, err := m[3].Knock(within(t))
	require.NoError(t, err)
	assert.Equal(t, m[1].ID(), l.ID())
	close(stop)
	t.Logf("%d numbers directly, %d over the relay", overDirect(), overRelay())
}

// TestOneNAT links two machines of one home.
func TestOneNAT(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testOneNAT)
}

func testOneNAT(t *testing.T) {
	n := newInternet(t)
	r := n.relay(1)
	h := n.home(symmetric)
	na, nb := h.host(), h.host()
	n.start()
	r.begin()
	a, b := mesh(t, Config{Code: codeOf(r), Net: na}), mesh(t, Config{Code: codeOf(r), Net: nb})
	ab, ba := pair(t, a, b)
	require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, soon, 5*time.Millisecond)
	assert.Contains(t, ab.Way().Over, "192.168.1.")
	assert.Zero(t, ab.Way().Loss)
	assert.Positive(t, ab.Way().RTT)
}

// TestForceRelay: whoever hides sends packets to the relay alone, and is sent none by others.
func TestForceRelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testForceRelay)
}

func testForceRelay(t *testing.T) {
	n := newInternet(t)
	r := n.relay(1)
	h := n.home(fullCone)
	na, nb := h.host(), n.home(noNAT).host()
	var mu sync.Mutex
	seen := map[string]bool{}
	h.router.AddChunkFilter(func(c vnet.Chunk) bool {
		mu.Lock()
		defer mu.Unlock()
		seen[c.DestinationAddr().(*net.UDPAddr).IP.String()] = true
		return true
	})
	n.start()
	r.begin()
	a, b := mesh(t, Config{Code: codeOf(r), Net: na, ForceRelay: true}), mesh(t, Config{Code: codeOf(r), Net: nb})
	ab, ba := pair(t, a, b)
	echo(t, ba)
	echoes(t, ab)
	assert.False(t, ab.Way().Direct)
	assert.Contains(t, ab.Way().Over, "relay 203.0.113.1 by udp")
	mu.Lock()
	defer mu.Unlock()
	assert.Len(t, seen, 2, "%v", seen) // the relay and our machine
	assert.True(t, seen["203.0.113.1"])
}

// TestTLSAlone links machines of which one reaches the relay by TLS and by nothing else.
func TestTLSAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testTLSAlone)
}

func testTLSAlone(t *testing.T) {
	n := newInternet(t)
	r := n.relay(1)
	r.tls = true
	na, nb := n.home(blocked).host(), n.home(fullCone).host()
	n.start()
	r.begin()
	a, b := mesh(t, Config{Code: codeOf(r), Net: na}), mesh(t, Config{Code: codeOf(r), Net: nb})
	ab, ba := pair(t, a, b)
	echo(t, ba)
	echoes(t, ab)
	assert.Contains(t, ab.Way().Over, "by tls")
	assert.Equal(t, "tls", a.Relays()[0].Transport)
}

// TestPlainRelay meets at a TURN server that gives what port it likes, which the code has to name.
func TestPlainRelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testPlainRelay)
}

func testPlainRelay(t *testing.T) {
	n := newInternet(t)
	r := n.relay(1)
	r.plain = true
	na, nb := n.home(symmetric).host(), n.home(symmetric).host()
	n.start()
	r.begin()
	b := mesh(t, Config{Code: codeOf(r), Net: nb})
	b.Meet(true)
	require.Eventually(t, func() bool { return b.Meeting()[0].IsValid() }, soon, 5*time.Millisecond)
	c := codeOf(r)
	c.Meeting = b.Meeting()[0]
	a := mesh(t, Config{Code: c, Net: na})
	l, err := a.Knock(within(t))
	require.NoError(t, err)
	assert.Equal(t, b.ID(), l.ID())
	_, err = b.Knock(within(t))
	require.ErrorIs(t, err, ErrOurselves)
	assert.Equal(t, c.Meeting, b.Meeting()[0])
}

// TestThreeRelays: machines of which each reaches another two of three relays link over the one that both reach, and newcomers
// find who meets although the first relay of the code is dead.
func TestThreeRelays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testThreeRelays)
}

func testThreeRelays(t *testing.T) {
	n := newInternet(t)
	relays := []*testRelay{n.relay(1), n.relay(2), n.relay(3)}
	na, nb := n.home(symmetric).host(), n.home(symmetric).host()
	n.start()
	relays[1].begin()
	relays[2].begin()
	c := codeOf(relays...)
	a, b := mesh(t, Config{Code: c, Net: na}), mesh(t, Config{Code: c, Net: nb})
	ab, ba := pair(t, a, b)
	echo(t, ba)
	echoes(t, ab)
	require.Eventually(t, func() bool { return len(a.Addresses()) == 2 && len(b.Addresses()) == 2 }, soon, 5*time.Millisecond)
	relays[1].kill()
	echoes(t, ab)
	require.Eventually(t, func() bool { return strings.Contains(ab.Way().Over, "203.0.113.3") }, soon, 5*time.Millisecond)
	echoes(t, ab)
}

// TestTakeOver: who begins to meet has the address from who had it, who does not take it back while it is in use.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testTakeOver)
}

func testTakeOver(t *testing.T) {
	r, _, nets := homes(t, noNAT, noNAT, noNAT)
	var m []*Mesh
	for _, n := range nets {
		m = append(m, mesh(t, Config{Code: codeOf(r), Net: n}))
	}
	ctx := within(t)
	meets := func(m *Mesh) func() bool { return func() bool { return m.Meeting()[0].IsValid() } }
	m[0].Meet(true)
	require.Eventually(t, meets(m[0]), soon, 5*time.Millisecond)
	m[1].Meet(true)
	require.Eventually(t, meets(m[1]), soon, 5*time.Millisecond)
	assert.Equal(t, []netip.AddrPort{netip.AddrPortFrom(r.at, code.Ports(m[0].keys.Meeting)[0])}, m[1].Meeting())
	for _, i := range []int{2, 0} {
		l, err := m[i].Knock(ctx)
		require.NoError(t, err)
		assert.Equal(t, m[1].ID(), l.ID())
	}
	require.Eventually(t, func() bool { return !m[0].Meeting()[0].IsValid() }, soon, 5*time.Millisecond)
	l, err := m[2].Knock(ctx)
	require.NoError(t, err)
	assert.Equal(t, m[1].ID(), l.ID())
	m[1].Meet(false)
	assert.Empty(t, m[1].Meeting())
}
