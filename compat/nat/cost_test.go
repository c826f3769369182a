//go:build linux

package nat_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// What a game's message begins with: its size and where its sender listens.
const (
	spHeader = 20
	spToken  = 0xfab << 20
)

// message returns a game's message of a machine in a slot.
func message(slot, size int, datagram bool) []byte {
	b := make([]byte, size)
	binary.LittleEndian.PutUint32(b, uint32(size)|spToken)
	b[4] = 2 // AF_INET
	port := 2300 + slot
	if datagram {
		port += 50
	}
	binary.BigEndian.PutUint16(b[6:], uint16(port))
	for i := spHeader; i < size; i++ {
		b[i] = byte(i)
	}
	return b
}

// game is a part: it stands for the game of slot 0, returns every message by TCP at an address, and by UDP at 127.0.0.1:2350 and at
// further addresses. A message whose octet behind the header is 255 is not returned, until the connection ends: then its size is.
func game(args []string) error {
	for _, at := range args {
		l, err := net.Listen("tcp4", at)
		if err != nil {
			return err
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go answer(c)
			}
		}()
	}
	ended := make(chan error)
	for _, at := range append([]string{"127.0.0.1:2350"}, args[1:]...) {
		c, err := net.ListenPacket("udp4", at)
		if err != nil {
			return err
		}
		go func() { ended <- answerDatagrams(c) }()
	}
	fmt.Println("ready")
	return <-ended
}

// answerDatagrams returns what comes by UDP.
func answerDatagrams(c net.PacketConn) error {
	for b := make([]byte, 65536); ; {
		n, from, err := c.ReadFrom(b)
		if err != nil {
			return err
		}
		copy(b, message(0, spHeader, true))
		binary.LittleEndian.PutUint32(b, uint32(n)|spToken)
		if _, err := c.WriteTo(b[:n], from); err != nil {
			return err
		}
	}
}

// answer returns what comes over a connection.
func answer(c net.Conn) {
	defer c.Close()
	header := make([]byte, spHeader)
	total := 0
	for {
		if _, err := io.ReadFull(c, header); err != nil {
			break
		}
		size := int(binary.LittleEndian.Uint32(header) & 0xfffff)
		b := message(0, size, false)
		if _, err := io.ReadFull(c, b[spHeader:]); err != nil {
			break
		}
		if total += size; b[spHeader] == 255 {
			continue
		}
		if _, err := c.Write(b); err != nil {
			break
		}
	}
	if total > 1<<20 {
		end := message(0, spHeader+8, false)
		binary.LittleEndian.PutUint64(end[spHeader:], uint64(total))
		_, _ = c.Write(end)
	}
}

// Trips are round trips.
type trips struct{ P50, P99 time.Duration }

// tripsOf sorts them.
func tripsOf(all []time.Duration) trips {
	slices.Sort(all)
	return trips{all[len(all)/2], all[len(all)*99/100]}
}

// pings is a part: round trips of messages by "tcp" or "udp" to an address, so many, one after the other.
func pings(args []string) error {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	d := net.Dialer{}
	if args[0] == "udp" {
		d.LocalAddr = &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2351}
	}
	c, err := d.Dial(args[0], args[1])
	if err != nil {
		return err
	}
	var all []time.Duration
	for range n {
		took, err := roundTrip(c, args[0] == "udp")
		if err != nil {
			return fmt.Errorf("after %d: %w", len(all), err)
		}
		all = append(all, took)
	}
	return json.NewEncoder(os.Stdout).Encode(tripsOf(all))
}

// roundTrip sends a message that comes back, and returns the time that this took.
func roundTrip(c net.Conn, datagram bool) (time.Duration, error) {
	question, began := message(1, 64, datagram), time.Now()
	if _, err := c.Write(question); err != nil {
		return 0, err
	}
	b := make([]byte, len(question))
	if _, err := io.ReadFull(c, b); err != nil {
		return 0, err
	}
	if !bytes.Equal(b[spHeader:], question[spHeader:]) {
		return 0, errors.New("another message came back")
	}
	return time.Since(began), nil
}

// comes is a part: it sends so many messages by UDP to an address, and prints how many came back. After every few of them it waits
// for the round trip of a message by TCP to a second address, on the same way, so that no queue overflows.
func comes(args []string) error {
	const few = 20
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	to, err := net.ResolveUDPAddr("udp4", args[0])
	if err != nil {
		return err
	}
	c, err := net.DialUDP("udp4", &net.UDPAddr{Port: 2351}, to)
	if err != nil {
		return err
	}
	control, err := net.Dial("tcp4", args[1])
	if err != nil {
		return err
	}
	question, last := message(1, 64, true), message(1, 65, true)
	ended, got := make(chan error), 0
	go func() {
		for b := make([]byte, 65536); ; got++ {
			if size, err := c.Read(b); err != nil || size == len(last) {
				ended <- err
				return
			}
		}
	}()
	for i := range n {
		if _, err := c.Write(question); err != nil {
			return err
		}
		if (i+1)%few == 0 {
			if _, err := roundTrip(control, false); err != nil {
				return err
			}
		}
	}
	for range few { // one of them comes back
		if _, err := c.Write(last); err != nil {
			return err
		}
	}
	return errors.Join(<-ended, json.NewEncoder(os.Stdout).Encode(got))
}

// pours is a part: it sends so many octets by TCP to an address, and says how many a second that were.
func pours(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp4", args[0])
	if err != nil {
		return err
	}
	b := message(1, 60000, false)
	b[spHeader] = 255
	began := time.Now()
	for sent := 0; sent < n; sent += len(b) {
		if _, err := c.Write(b); err != nil {
			return err
		}
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	end := make([]byte, spHeader+8)
	if _, err := io.ReadFull(c, end); err != nil {
		return err
	}
	got := binary.LittleEndian.Uint64(end[spHeader:])
	return json.NewEncoder(os.Stdout).Encode(float64(got) / time.Since(began).Seconds())
}

// What the bridge may cost beside a forwarded port, in the same run. The figures are far from those of a quiet machine.
const (
	mostTrips = 30  // times the median round trip
	leastPour = 200 // times fewer octets a second
)

// forwarded is the port that a router forwards to the game of a machine behind it, for comparison with a bridge.
const forwarded = 5000

// newPair makes a session between ann and bob, both behind routers of a kind, with the stand-in of a game at ann's machine. plain is
// that game's address without the bridge.
func newPair(b *testing.B, kind nat.Kind) (ctx context.Context, bob *nat.Machine, bobs *nat.Home, guest *program, plain string) {
	b.Helper()
	ctx, f := newField(b)
	ann, anns := f.machine(ctx, b, kind, "ann")
	bob, bobs = f.machine(ctx, b, kind, "bob")
	require.NoError(b, anns.Forward(ctx, forwarded, ann.Addr()))
	host := start(ctx, b, ann, "bridge", "share", "--relay", f.relay.Addr().String(), "--events", "ndjson")
	code := host.named(ctx, b, "bridge_opened").Code
	begin(ctx, b, ann, "game", bridgedTCP, fmt.Sprintf("%s:%d", ann.Addr(), forwarded))
	guest = start(ctx, b, bob, "bridge", "join", code, "--events", "ndjson")
	return ctx, bob, bobs, guest, fmt.Sprintf("%s:%d", anns.Outer(), forwarded)
}

// BenchmarkCost measures what a bridge costs beside a forwarded port: round trips, throughput, and what loss does to TCP.
func BenchmarkCost(b *testing.B) {
	ctx, bob, bobs, guest, plain := newPair(b, nat.PortRestricted)
	guest.way(ctx, b, "ann", "direct")
	const many = 1000
	tcpPlain, tcpBridged := trip(ctx, b, bob, "tcp", plain, many), trip(ctx, b, bob, "tcp", bridgedTCP, many)
	udp := trip(ctx, b, bob, "udp", bridgedUDP, many)
	b.Logf("no loss: TCP forwarded %+v, TCP bridged %+v, UDP bridged %+v", tcpPlain, tcpBridged, udp)
	times := func(d time.Duration) float64 { return float64(d) / float64(tcpPlain.P50) }
	b.ReportMetric(times(tcpBridged.P50), "tcp-bridged/forwarded")
	b.ReportMetric(times(udp.P50), "udp-bridged/forwarded")
	assert.Less(b, times(tcpBridged.P50), float64(mostTrips))
	assert.Less(b, times(udp.P50), float64(mostTrips))
	fast, direct := pour(ctx, b, bob, plain, 60<<20), pour(ctx, b, bob, bridgedTCP, 60<<20)
	b.Logf("forwarded %.0f MB/s, bridged %.1f MB/s", fast, direct)
	b.ReportMetric(fast/direct, "pour-forwarded/bridged")
	assert.Less(b, fast/direct, float64(leastPour))

	require.NoError(b, bobs.Lose(ctx, 2))
	tcpPlain, tcpBridged = trip(ctx, b, bob, "tcp", plain, 2*many), trip(ctx, b, bob, "tcp", bridgedTCP, 2*many)
	b.Logf("2 %% lost each way: TCP forwarded %+v, TCP bridged %+v", tcpPlain, tcpBridged)
	b.ReportMetric(float64(tcpBridged.P99)/float64(tcpPlain.P99), "lossy-p99-bridged/forwarded")
	assert.Less(b, tcpBridged.P99, tcpPlain.P99)
	came := func(to, control string) int {
		return number(b, inside(ctx, b, bob, "comes", to, control, strconv.Itoa(5*many)))
	}
	udpPlain, udpBridged := came(plain, plain), came(bridgedUDP, bridgedTCP)
	b.Logf("of %d datagrams came back: forwarded %d, bridged %d", 5*many, udpPlain, udpBridged)
	assert.Greater(b, udpBridged, udpPlain-many/20, "four times what chance makes of 4 %%")
}

// The game of slot 0 is there, on its own machine and beside each bridge.
const (
	bridgedTCP = "127.0.0.1:2300"
	bridgedUDP = "127.0.0.1:2350"
)

// trip measures so many round trips from a machine.
func trip(ctx context.Context, b *testing.B, from *nat.Machine, network, to string, n int) (r trips) {
	b.Helper()
	require.NoError(b, json.Unmarshal(inside(ctx, b, from, "pings", network, to, strconv.Itoa(n)), &r))
	return r
}

// pour measures the throughput from a machine with so many octets, in megaoctets a second.
func pour(ctx context.Context, b *testing.B, from *nat.Machine, to string, octets int) (rate float64) {
	b.Helper()
	require.NoError(b, json.Unmarshal(inside(ctx, b, from, "pours", to, strconv.Itoa(octets)), &rate))
	return rate / 1e6
}

// BenchmarkCostRelayed measures the same over the relay, for machines that cannot go directly.
func BenchmarkCostRelayed(b *testing.B) {
	ctx, bob, _, guest, plain := newPair(b, nat.Symmetric)
	guest.way(ctx, b, "ann", "relayed")
	without := trip(ctx, b, bob, "tcp", plain, 1000)
	tcp, udp := trip(ctx, b, bob, "tcp", bridgedTCP, 1000), trip(ctx, b, bob, "udp", bridgedUDP, 1000)
	b.Logf("TCP forwarded %+v, relayed: TCP %+v, UDP %+v, %.1f MB/s", without, tcp, udp, pour(ctx, b, bob, bridgedTCP, 10<<20))
	times := float64(tcp.P50) / float64(without.P50)
	b.ReportMetric(times, "tcp-relayed/forwarded")
	assert.Less(b, times, float64(mostTrips))
}

// BenchmarkNATs measures the time from the start of a joiner to its session between every kind of router and every other one, with
// the worst one beside the best one.
func BenchmarkNATs(b *testing.B) {
	var best, worst time.Duration
	for _, first := range nat.Kinds {
		for _, second := range nat.Kinds {
			b.Run(fmt.Sprintf("%s, %s", first, second), func(b *testing.B) {
				ctx, f := newField(b)
				ann, _ := f.machine(ctx, b, first, "ann")
				bob, _ := f.machine(ctx, b, second, "bob")
				_, code := f.host(ctx, b, ann)
				guest := f.join(ctx, b, bob, code)
				took := guest.named(ctx, b, "session_opened").at.Sub(guest.began)
				if best == 0 || took < best {
					best = took
				}
				worst = max(worst, took)
				b.ReportMetric(float64(took.Milliseconds()), "ms-to-session")
			})
		}
	}
	b.Logf("best %v, worst %v", best, worst)
	assert.Less(b, float64(worst)/float64(best), float64(mostSession))
}

// mostSession is how many times longer the worst pair of routers may take than the best one.
const mostSession = 10
