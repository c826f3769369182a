package link

import (
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHearsay: a member that says all the time that it is where another one is does not keep that one from others.
func TestHearsay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testHearsay)
}

func testHearsay(t *testing.T) {
	r, _, nets := homes(t, restricted, restricted, restricted)
	var all [3]*Mesh
	for i, n := range nets {
		all[i] = mesh(t, Config{Code: codeOf(r), Net: n, ForceRelay: true})
		require.NoError(t, all[i].Ready(within(t)))
	}
	a, liar, c := all[0], all[1], all[2]
	lie, err := liar.Dial(within(t), a.ID(), a.Addresses())
	require.NoError(t, err)
	var lies sync.WaitGroup
	lies.Go(func() {
		for lie.(*connection).signals.send(signal{Relayed: c.Addresses()}) == nil {
			<-time.After(10 * time.Millisecond)
		}
	})
	<-time.After(time.Second)
	for from, to := range map[*Mesh]*Mesh{a: c, c: a} {
		began := time.Now()
		l, err := from.Dial(within(t), to.ID(), to.Addresses())
		require.NoError(t, err)
		assert.Less(t, time.Since(began), time.Second)
		require.NoError(t, l.Close("done"))
	}
	require.NoError(t, lie.Close("done"))
	lies.Wait()
}

// TestToldAddresses: however many addresses a member tells, little is made of them.
func TestToldAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testToldAddresses)
}

func testToldAddresses(t *testing.T) {
	r, _, nets := homes(t, restricted, restricted)
	a, b := mesh(t, Config{Code: codeOf(r), Net: nets[0], ForceRelay: true}), mesh(t, Config{Code: codeOf(r), Net: nets[1], ForceRelay: true})
	ab, ba := pair(t, a, b)
	port := uint16(1024)
	var lies sync.WaitGroup
	lies.Go(func() {
		for {
			var at []netip.AddrPort
			for range addressesMax {
				at, port = append(at, netip.AddrPortFrom(r.at, port)), port+1
			}
			if ab.(*connection).signals.send(signal{Relayed: at}) != nil {
				return
			}
		}
	})
	<-time.After(2 * time.Second)
	b.socket.mu.RLock()
	most := b.socket.peers[a.ID()].named[0].Port()
	b.socket.mu.RUnlock()
	assert.LessOrEqual(t, int(most), 1024+addressesMax*(tellsBurst+3))
	assert.Positive(t, ba.Way().RTT)
	require.NoError(t, ab.Close("done"))
	lies.Wait()
}
