package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/ipv4"

	live "dplay4/dpsp/reliable"
	"dplay4/internal/testkit"
	"dplay4/wire/reliable"
)

// The frames on loopback: 1,400 octets with their indexes.
const (
	frameSize   = 1400
	messageSize = frameSize - 6
)

// BenchmarkReliable prints how many octets of guaranteed messages a link of the reliable protocol brings over UDP sockets on
// loopback, in batches as package sock has them, beside what the same sockets bring in datagrams of the same size without it,
// one a call. Rounds take turns; each figure is the
// median of several.
func BenchmarkReliable(b *testing.B) {
	var links, bare []float64
	for range max(5, *rounds) {
		links = append(links, octetsOverLink(b, *roundTime))
		bare = append(bare, octetsBare(b, *roundTime))
	}
	slices.Sort(links)
	slices.Sort(bare)
	l, s := links[len(links)/2], bare[len(bare)/2]
	fmt.Printf("\n%s\n\nlink over UDP sockets   %6.1f MB/s\nthe sockets without it  %6.1f MB/s\n", system(), l/1e6, s/1e6)
	fmt.Printf("part of it              %6.0f %%, asked: 60 %%\n\n", 100*l/s)
}

// udpPair opens two sockets that send to each other.
func udpPair(b testing.TB) (from, to *net.UDPConn) {
	at := testkit.Addr(b)
	open := func() *net.UDPConn {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: at.AsSlice()})
		require.NoError(b, err)
		b.Cleanup(func() { c.Close() })
		return c
	}
	return open(), open()
}

// octetsBare returns the octets a second that datagrams carry.
func octetsBare(b testing.TB, length time.Duration) float64 {
	from, to := udpPair(b)
	end := time.Now().Add(length)
	go func() {
		defer to.Close() // it ends the loop below
		buf := make([]byte, frameSize)
		for time.Now().Before(end) {
			if _, err := from.WriteToUDPAddrPort(buf, to.LocalAddr().(*net.UDPAddr).AddrPort()); err != nil {
				return
			}
		}
	}()
	buf, n := make([]byte, 2*frameSize), 0
	for {
		k, _, err := to.ReadFromUDPAddrPort(buf)
		if err != nil {
			require.ErrorIs(b, err, net.ErrClosed)
			return float64(n) / length.Seconds()
		}
		n += k
	}
}

// mostBatch is how many datagrams go through one call of the system, where it can do that: as many as the window has.
const mostBatch = 24

// An endpoint is a link with its socket.
type endpoint struct {
	link    *live.Link
	conn    *ipv4.PacketConn
	to      net.Addr
	start   time.Time
	in, out []ipv4.Message
}

func newEndpoint(c live.Config, from, to *net.UDPConn, start time.Time) *endpoint {
	p := &endpoint{link: live.New(c), conn: ipv4.NewPacketConn(from), to: to.LocalAddr(), start: start}
	p.link.Ours()
	p.in = make([]ipv4.Message, mostBatch)
	for i := range p.in {
		p.in[i].Buffers = [][]byte{make([]byte, 2*frameSize)}
	}
	return p
}

// turn does what the link wants, then waits for datagrams, until the link wants to be called again.
func (p *endpoint) turn(end time.Time) (*live.Output, error) {
	out := p.link.Step(time.Since(p.start))
	p.out = p.out[:0]
	for _, f := range out.Frames {
		p.out = append(p.out, ipv4.Message{Buffers: [][]byte{f}, Addr: p.to})
	}
	for b := p.out; len(b) > 0; {
		n, err := p.conn.WriteBatch(b, 0)
		if err != nil {
			return out, err
		}
		b = b[n:]
	}
	until := end
	if out.Wake != live.Never && p.start.Add(out.Wake).Before(end) {
		until = p.start.Add(out.Wake)
	}
	if err := p.conn.SetReadDeadline(until); err != nil {
		return out, err
	}
	n, err := p.conn.ReadBatch(p.in, 0)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return out, nil
	} else if err != nil {
		return out, err
	}
	now := time.Since(p.start)
	for _, m := range p.in[:n] {
		f, err := reliable.Decode(m.Buffers[0][:m.N])
		if err != nil {
			return out, err
		}
		p.link.Receive(now, &f)
	}
	return out, nil
}

// octetsOverLink returns the octets a second that guaranteed messages of one frame carry, each of them checked for its place.
func octetsOverLink(b testing.TB, length time.Duration) float64 {
	from, to := udpPair(b)
	start := time.Now()
	end := start.Add(length)
	a, z := newEndpoint(live.Config{From: 1, To: 2}, from, to, start), newEndpoint(live.Config{From: 2, To: 1}, to, from, start)
	failed := make(chan error, 1)
	go func() {
		message, queued, done := make([]byte, messageSize), uint64(0), 0
		for time.Now().Before(end) {
			for queued < uint64(done)+100 {
				queued++
				binary.LittleEndian.PutUint64(message, queued)
				if err := a.link.Send(live.Message{Data: message, Reliable: true, Token: queued}); err != nil {
					failed <- err
					return
				}
			}
			out, err := a.turn(end)
			if err != nil {
				failed <- err
				return
			}
			done += len(out.Done)
		}
		failed <- nil
	}()
	octets, last := 0, uint64(0)
	for time.Now().Before(end) {
		out, err := z.turn(end)
		require.NoError(b, err)
		for _, m := range out.Messages {
			last++
			require.Equal(b, last, binary.LittleEndian.Uint64(m.Data))
			octets += len(m.Data)
		}
	}
	require.NoError(b, <-failed)
	return float64(octets) / length.Seconds()
}
