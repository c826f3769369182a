package benchtshark

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/internal/madeup"
	"dplay4/wire"
)

// A summary says what a made-up capture holds.
type summary struct {
	Packets   int
	Messages  int // of DirectPlay, each counted once however many segments it took
	Unrelated int // packets that have nothing to do with DirectPlay
}

// A mix writes one capture of many games, one after the other, with other traffic in between. Everything in
// it follows from the seed.
type mix struct {
	c     *madeup.Network
	rng   *rand.Rand
	sum   summary
	games int
	other *madeup.Conn // a connection that is no game's
	noise uint16       // port of the last one
	buf   []byte       // the message in work
}

// What the traffic of a game looks like. The figures are those of a real-time game: most packets are small
// datagrams, orders and chat go by TCP, several at a time.
const (
	firstPort    = 49152                  // of those that belong to no service, so that no dissector feels called
	ticks        = 600                    // of one game
	tick         = 100 * time.Millisecond // between two rounds of datagrams
	pingEvery    = 350                    // ticks: 35 s, [MC-DPL4CS] 3.1.2.5
	unrelatedIn  = 10                     // one packet in so many has nothing to do with the game
	ordersIn     = 2                      // one player in so many sends orders in a tick
	bigIn        = 20                     // one order in so many is a big message over several segments
	cutIn        = 16                     // one write in so many is cut somewhere, be it inside a header
	maxOrders    = 5                      // messages in one segment
	maxBig       = 6000                   // octets of a big message
	maxDatagram  = 96                     // octets of a game datagram's payload, at least 12
	maxOrder     = 64                     // octets of an order's payload, at least 8
	networkDelay = 300 * time.Microsecond
)

// makeUp writes a capture of at least the given number of packets, a game at a time.
func makeUp(t testing.TB, w io.Writer, packets int, seed uint64) summary {
	m := &mix{c: madeup.New(t), rng: rand.New(rand.NewPCG(seed, 0x64706c61793400)), noise: firstPort}
	m.c.Step = 0 // time passes where it is said
	for m.c.Frames < packets {
		newGame(m).play(packets)
		_, err := m.c.File.WriteTo(w)
		require.NoError(t, err)
	}
	m.sum.Packets = m.c.Frames
	return m.sum
}

// octets draws between from and to octets.
func (m *mix) octets(from, to int) []byte {
	b := make([]byte, from+m.rng.IntN(to-from+1))
	for i := range b {
		b[i] = byte(m.rng.Uint32())
	}
	return b
}

// encode appends a message to b and counts it.
func (m *mix) encode(b []byte, e wire.Envelope) []byte {
	b, err := e.Append(b)
	require.NoError(m.c.T, err)
	m.sum.Messages++
	return b
}

// stream sends octets over a connection in as many segments as it takes, now and then in more. The receiver
// acknowledges every second segment, as receivers do.
func (m *mix) stream(conn *madeup.Conn, b []byte) {
	for n := 0; len(b) > 0; n++ {
		size := min(len(b), madeup.MaxSegment)
		if n == 0 && m.rng.IntN(cutIn) == 0 {
			size = 1 + m.rng.IntN(size)
		}
		conn.Send(b[:size])
		b = b[size:]
		m.c.Wait(networkDelay)
		if n%2 == 1 || len(b) == 0 && m.rng.IntN(2) == 0 {
			conn.Ack()
		}
		m.unrelated()
	}
}

// datagram sends one datagram.
func (m *mix) datagram(src, dst netip.AddrPort, b []byte) {
	m.c.UDP(src.String(), dst.String(), b)
	m.c.Wait(networkDelay)
	m.unrelated()
}

// unrelated now and then writes a packet that has nothing to do with DirectPlay. Its ports are nobody's, so
// that no program spends time on what is in it.
func (m *mix) unrelated() {
	if m.rng.IntN(unrelatedIn-1) != 0 {
		return
	}
	before := m.c.Frames
	here, there := netip.AddrFrom4([4]byte{10, 200, 0, 1}), netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + m.rng.IntN(200))})
	switch kind := m.rng.IntN(10); {
	case kind == 0:
		m.c.ARP(here.String(), fmt.Sprintf("10.200.0.%d", 2+m.rng.IntN(200)))
	case kind < 5:
		m.c.UDP(at(here, firstPort), at(there, firstPort), m.octets(20, 400))
	case m.other == nil:
		if m.noise++; m.noise < firstPort {
			m.noise = firstPort
		}
		m.other = m.c.Dial(at(here, m.noise), at(there, firstPort))
	case kind == 5 && m.rng.IntN(20) == 0:
		m.other.Close()
		m.other = nil
	case kind < 8:
		m.other.Send(m.octets(1, 600))
	default:
		m.other.Reply(m.octets(1, madeup.MaxSegment))
	}
	m.sum.Unrelated += m.c.Frames - before
}

// at writes a socket.
func at(ip netip.Addr, port uint16) string { return netip.AddrPortFrom(ip, port).String() }
