package local

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link/linktest"
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

// TestTransparency has what was said in the captures said again by games of two machines, in random pieces both ways at a time:
// what one game sends is what the other one receives, octet for octet, and what both bridges record.
func TestTransparency(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	tapes := []*tape{{}, {}}
	m := []*machine{newMachine(t, hub, 0).open(Options{Record: tapes[0]}), newMachine(t, hub, 1).open(Options{Record: tapes[1]})}
	m[0].meets(m[1])
	listener, _ := m[0].plays(At(0))
	r := rand.New(rand.NewPCG(3, 4))
	var connections int
	for _, file := range recordings(t) {
		all, _ := recorded(t, file, true)
		var streams [][]byte
		for _, s := range all {
			if s.stream != nil && !s.broken {
				streams = append(streams, s.as(len(streams)%2))
			}
		}
		for i := 0; i+1 < len(streams); i += 2 {
			connections++
			second := m[1].dials(At(0).TCP)
			first := accepts(t, listener)
			said := [2][]byte{streams[i+1], streams[i]} // the second one's game called, and speaks first
			var group sync.WaitGroup
			var got [2][]byte
			var failed [4]error
			seeds := [2]uint64{r.Uint64(), r.Uint64()}
			group.Go(func() { failed[0] = says(seeds[0], second, said[0]) })
			group.Go(func() { failed[1] = says(seeds[1], first, said[1]) })
			group.Go(func() { got[0], failed[2] = io.ReadAll(first) })
			group.Go(func() { got[1], failed[3] = io.ReadAll(second) })
			group.Wait()
			require.Equal(t, [4]error{}, failed, "%s: %s %s", file, m[0].told(), m[1].told())
			require.True(t, bytes.Equal(said[0], got[0]) && bytes.Equal(said[1], got[1]), file)
			for _, tape := range tapes {
				taped := tape.take(t)
				require.True(t, bytes.Equal(said[0], taped[0]) && bytes.Equal(said[1], taped[1]), file)
			}
		}
	}
	assert.Greater(t, connections, 40)
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

// TestTransparentDatagrams has the datagrams of the captures sent again, one after the other: the same arrive.
func TestTransparentDatagrams(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	tapes := []*tape{{}, {}}
	m := []*machine{newMachine(t, hub, 0).open(Options{Record: tapes[0]}), newMachine(t, hub, 1).open(Options{Record: tapes[1]})}
	m[0].meets(m[1])
	_, first := m[0].plays(At(0))
	_, second := m[1].plays(At(1))
	var want [][]byte
	for _, file := range recordings(t) {
		all, _ := recorded(t, file, true)
		for _, s := range all {
			if s.stream != nil || s.broken {
				continue
			}
			by := filter.Translation{Game: filter.Ports{TCP: s.from, UDP: At(1).UDP}, Slot: At(1)}
			for _, b := range s.each {
				filter.NewTranslator(func() filter.Translation { return by }).Datagram(b)
				_, err := second.WriteToUDPAddrPort(b, here(At(0).UDP))
				require.NoError(t, err)
				require.Equal(t, b, datagramFrom(t, first, At(1).UDP), file)
				want = append(want, b)
			}
		}
	}
	assert.Greater(t, len(want), 250)
	for _, tape := range tapes {
		tape.mu.Lock()
		require.Equal(t, want, tape.datagrams)
		tape.mu.Unlock()
	}
}
