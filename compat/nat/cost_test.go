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

// pings is a part: round trips of messages by "tcp" or "udp" to an address, so many, one each 5 ms.
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
	question := message(1, 64, args[0] == "udp")
	var all []time.Duration
	tick := time.NewTicker(5 * time.Millisecond)
	for range n {
		<-tick.C
		began := time.Now()
		if _, err := c.Write(question); err != nil {
			return err
		}
		if args[0] == "udp" {
			if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
				return err
			}
		}
		b := make([]byte, len(question))
		if _, err := io.ReadFull(c, b); err != nil {
			return fmt.Errorf("after %d: %w", len(all), err)
		}
		if !bytes.Equal(b[spHeader:], question[spHeader:]) {
			return fmt.Errorf("another message came back")
		}
		all = append(all, time.Since(began))
	}
	return json.NewEncoder(os.Stdout).Encode(tripsOf(all))
}

// comes is a part: it sends so many messages by UDP to an address, one each 2 ms, and says how many came back.
func comes(args []string) error {
	n, err := strconv.Atoi(args[1])
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
	question, tick := message(1, 64, true), time.NewTicker(2*time.Millisecond)
	sent := make(chan error, 1)
	go func() {
		for range n {
			<-tick.C
			if _, err := c.Write(question); err != nil {
				sent <- err
				return
			}
		}
		sent <- c.SetReadDeadline(time.Now().Add(time.Second))
	}()
	got := 0
	for b := make([]byte, 65536); ; got++ {
		if _, err := c.Read(b); errors.Is(err, os.ErrDeadlineExceeded) {
			break
		} else if err != nil {
			return err
		}
	}
	return errors.Join(<-sent, json.NewEncoder(os.Stdout).Encode(got))
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

// TestCost measures what a bridge costs beside a forwarded port: round trips, throughput, and what loss does to TCP.
func TestCost(t *testing.T) {
	ctx, f := newField(t)
	ann, home := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, other := f.machine(ctx, t, nat.PortRestricted, "bob")
	const forwarded = 5000
	require.NoError(t, home.Forward(ctx, forwarded, ann.Addr()))
	host := start(ctx, t, ann, "bridge", "share", "--relay", f.relay.Addr().String(), "--events", "ndjson")
	code := host.named(ctx, t, "bridge_opened").Code
	begin(ctx, t, ann, "game", "127.0.0.1:2300", fmt.Sprintf("%s:%d", ann.Addr(), forwarded))
	guest := start(ctx, t, bob, "bridge", "join", code, "--events", "ndjson")
	guest.way(ctx, t, "ann", "direct")
	plain, bridged := fmt.Sprintf("%s:%d", home.Outer(), forwarded), "127.0.0.1:2300"

	trip := func(network, to string, n int) (r trips) {
		require.NoError(t, json.Unmarshal(inside(ctx, t, bob, "pings", network, to, strconv.Itoa(n)), &r))
		return r
	}
	pour := func(to string) (rate float64) {
		require.NoError(t, json.Unmarshal(inside(ctx, t, bob, "pours", to, strconv.Itoa(60<<20)), &rate))
		return rate / 1e6
	}
	const many = 1000
	tcpPlain, tcpBridged, udp := trip("tcp", plain, many), trip("tcp", bridged, many), trip("udp", "127.0.0.1:2350", many)
	t.Logf("no loss: TCP forwarded %+v, TCP bridged %+v, UDP bridged %+v", tcpPlain, tcpBridged, udp)
	assert.Less(t, tcpBridged.P50, tcpPlain.P50+time.Millisecond)
	assert.Less(t, udp.P50, tcpPlain.P50+time.Millisecond)
	fast, direct := pour(plain), pour(bridged)
	t.Logf("forwarded %.0f MB/s, bridged %.1f MB/s", fast, direct)
	assert.Greater(t, direct, 10.0)

	require.NoError(t, other.Lose(ctx, 2))
	tcpPlain, tcpBridged = trip("tcp", plain, 2*many), trip("tcp", bridged, 2*many)
	t.Logf("2 %% lost each way: TCP forwarded %+v, TCP bridged %+v", tcpPlain, tcpBridged)
	assert.Less(t, tcpBridged.P99, tcpPlain.P99)
	came := func(to string) (n int) {
		require.NoError(t, json.Unmarshal(inside(ctx, t, bob, "comes", to, strconv.Itoa(5*many)), &n))
		return n
	}
	udpPlain, udpBridged := came(plain), came("127.0.0.1:2350")
	t.Logf("of %d datagrams came back: forwarded %d, bridged %d", 5*many, udpPlain, udpBridged)
	assert.Greater(t, udpBridged, udpPlain-many/20, "four times what chance makes of 4 %%")
}

// relayed has machines that cannot go directly.
func relayed(ctx context.Context, t *testing.T, f *field) (bob *nat.Machine) {
	t.Helper()
	ann, _ := f.machine(ctx, t, nat.Symmetric, "ann")
	bob, _ = f.machine(ctx, t, nat.Symmetric, "bob")
	host := start(ctx, t, ann, "bridge", "share", "--relay", f.relay.Addr().String(), "--events", "ndjson")
	code := host.named(ctx, t, "bridge_opened").Code
	begin(ctx, t, ann, "game", "127.0.0.1:2300")
	guest := start(ctx, t, bob, "bridge", "join", code, "--events", "ndjson")
	guest.way(ctx, t, "ann", "relayed")
	return bob
}

// TestCostRelayed measures the same over the relay.
func TestCostRelayed(t *testing.T) {
	ctx, f := newField(t)
	bob := relayed(ctx, t, f)
	var tcp, udp trips
	var rate float64
	require.NoError(t, json.Unmarshal(inside(ctx, t, bob, "pings", "tcp", "127.0.0.1:2300", "1000"), &tcp))
	require.NoError(t, json.Unmarshal(inside(ctx, t, bob, "pings", "udp", "127.0.0.1:2350", "1000"), &udp))
	require.NoError(t, json.Unmarshal(inside(ctx, t, bob, "pours", "127.0.0.1:2300", strconv.Itoa(10<<20)), &rate))
	t.Logf("relayed: TCP %+v, UDP %+v, %.1f MB/s", tcp, udp, rate/1e6)
	assert.Less(t, tcp.P50, 2*time.Millisecond)
}
