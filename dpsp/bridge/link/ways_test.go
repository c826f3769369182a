package link

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/vnet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBlackHole: a direct way on which large packets get lost, as in a tunnel, is no way, and stops to be one.
func TestBlackHole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testBlackHole)
}

func testBlackHole(t *testing.T) {
	r, at, nets := homes(t, restricted, restricted)
	var narrow atomic.Bool
	for _, h := range at {
		h.router.AddChunkFilter(func(c vnet.Chunk) bool {
			const most = 1100
			relay := net.IP(r.at.AsSlice())
			return !narrow.Load() || len(c.UserData()) <= most ||
				relay.Equal(c.SourceAddr().(*net.UDPAddr).IP) || relay.Equal(c.DestinationAddr().(*net.UDPAddr).IP)
		})
	}
	narrow.Store(true)
	ab, ba := pair(t, mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]}))
	<-time.After(20 * time.Second)
	assert.False(t, ab.Way().Direct || ba.Way().Direct)
	echo(t, ba)
	echoes(t, ab)
	narrow.Store(false)
	direct := func() bool { return ab.Way().Direct && ba.Way().Direct }
	require.Eventually(t, direct, 5*time.Minute, 100*time.Millisecond)
	narrow.Store(true)
	began := time.Now()
	require.Eventually(t, func() bool { return !ab.Way().Direct && !ba.Way().Direct }, time.Minute, 100*time.Millisecond)
	t.Log("the way was left after", time.Since(began))
	echoes(t, ab)
}

// TestLostGoodbye: who does not hear that a link was closed learns of it as soon as it says something.
func TestLostGoodbye(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testLostGoodbye)
}

func testLostGoodbye(t *testing.T) {
	r, at, nets := homes(t, noNAT, noNAT)
	var cut atomic.Bool
	at[0].internet.wan.AddChunkFilter(func(vnet.Chunk) bool { return !cut.Load() })
	ab, ba := pair(t, mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]}))
	require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, soon, 5*time.Millisecond)
	cut.Store(true)
	<-time.After(time.Second)
	require.NoError(t, ab.Close("bye"))
	<-time.After(5 * time.Second)
	cut.Store(false)
	began := time.Now()
	<-ba.Context().Done()
	assert.Less(t, time.Since(began), 3*time.Second)
	assert.ErrorIs(t, context.Cause(ba.Context()), ErrSilent)
}

// TestDirectForGood: where a direct way is lost for good others are looked for less and less often.
func TestDirectForGood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testDirectForGood)
}

func testDirectForGood(t *testing.T) {
	r, at, nets := homes(t, restricted, restricted)
	ab, ba := pair(t, mesh(t, Config{Code: codeOf(r), Net: nets[0]}), mesh(t, Config{Code: codeOf(r), Net: nets[1]}))
	require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, soon, 5*time.Millisecond)
	for _, h := range at {
		h.cut.Store(true)
	}
	<-time.After(5 * time.Minute)
	before := at[0].dropped.Load() + at[1].dropped.Load()
	<-time.After(25 * time.Minute)
	tried := at[0].dropped.Load() + at[1].dropped.Load() - before
	t.Log(tried, "packets in 25 minutes")
	assert.Less(t, tried, int64(5000), "of five attempts or so of each side")
	require.NoError(t, ab.Context().Err())
	for _, h := range at {
		h.cut.Store(false)
	}
	require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, 6*time.Minute, time.Second)
}

// TestThreeServers: of three relays one is killed, and one refuses who has no credential. The session goes on, and is found.
func TestThreeServers(t *testing.T) { inBubble(t, testThreeServers) }

func testThreeServers(t *testing.T) {
	n := newInternet(t)
	closed, killed, left := n.relay(1), n.relay(2), n.relay(3)
	nets := []transport.Net{n.home(noNAT).host(), n.home(noNAT).host(), n.home(noNAT).host()}
	n.start()
	closed.shut.Store(true)
	for _, r := range []*testRelay{closed, killed, left} {
		r.begin()
	}
	c := codeOf(closed, killed, left)
	a, b := mesh(t, Config{Code: c, Net: nets[0], ForceRelay: true}), mesh(t, Config{Code: c, Net: nets[1], ForceRelay: true})
	ab, ba := pair(t, a, b)
	echo(t, ba)
	echoes(t, ab)
	settled := func() bool { return len(a.Addresses()) == 2 && len(b.Addresses()) == 2 && a.Relays()[0].Err != nil }
	require.Eventually(t, settled, soon, 5*time.Millisecond)
	assert.ErrorContains(t, a.Relays()[0].Err, "it lets in only who has a name and a password")

	killed.kill()
	one := func() bool { return len(a.Addresses()) == 1 && len(b.Addresses()) == 1 }
	require.Eventually(t, one, soon, 5*time.Millisecond)
	echoes(t, ab)
	assert.Equal(t, "relay "+left.at.String()+" by udp", ab.Way().Over)
	d := mesh(t, Config{Code: c, Net: nets[2], ForceRelay: true})
	da, err := d.Knock(within(t))
	require.NoError(t, err)
	assert.Equal(t, b.ID(), da.ID())
}

// TestTryCarries: a relay is of no use that lets nothing through between its users.
func TestTryCarries(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := newInternet(t)
		r, at := n.relay(1), n.home(noNAT).host()
		n.start()
		r.deaf = true
		r.begin()
		relay := codeOf(r).Relays[0]
		err := tryOver(t.Context(), at, nil, relay, Site{Host: relay.Host, UDP: relay.Port})
		assert.ErrorContains(t, err, "carries nothing from one of its users to another")
	})
}
