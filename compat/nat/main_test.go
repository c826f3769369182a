//go:build linux

package nat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/internal/testkit"
)

// insideVariable names the part of this program that is to run in a machine.
const insideVariable = "DPLAY_NAT_INSIDE"

// parts run in machines. Their error goes to standard error and gives exit status 1.
var parts = map[string]func(args []string) error{
	"echo": echo, "look": look, "shout": shout, "reached": reached, "count": count, "relay": serveRelay, "meet": meet, "knock": knock,
	"game": game, "pings": pings, "pours": pours, "comes": comes, "fetch": fetch, "dns": dns,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(insideVariable); name != "" {
		if err := parts[name](os.Args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := m.Run()
	if programFolder != "" {
		_ = os.RemoveAll(programFolder)
	}
	os.Exit(status)
}

// newInternet makes an internet for a test, or skips the test where there can be none.
func newInternet(t testing.TB) (context.Context, *nat.Internet) {
	t.Helper()
	ctx := testkit.Context(t)
	in, err := nat.New(ctx)
	if errors.Is(err, nat.ErrMissing) && os.Getenv("DPLAY_REQUIRE_NAT") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.Close()) })
	return ctx, in
}

// takesLong skips a test where not everything is to run.
func takesLong(t testing.TB) {
	t.Helper()
	if os.Getenv("DPLAY_REQUIRE_NAT") == "" {
		t.Skip("it takes a while: make bridge-nat runs it")
	}
}

// inside runs a part of this program in a machine, and returns what it said.
func inside(ctx context.Context, t testing.TB, m *nat.Machine, part string, args ...string) []byte {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := m.Command(ctx, self, args...)
	cmd.Env = append(cmd.Env, insideVariable+"="+part)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", part)
	return out
}

// ---- parts ----

// An order asks an echo server for its answer: to To if that is valid, and to the sender otherwise.
type order struct{ To netip.AddrPort }

// echoPort is that of the echo servers, of UDP and TCP.
const echoPort = 3000

// An echoServer answers datagrams with the address that they came from, and counts them by that address.
type echoServer struct {
	udp *net.UDPConn

	mu      sync.Mutex
	reached map[netip.Addr]int
}

// echo is a part: an echo server.
func echo([]string) error {
	c, err := net.ListenUDP("udp", &net.UDPAddr{Port: echoPort})
	if err != nil {
		return err
	}
	l, err := net.ListenTCP("tcp", &net.TCPAddr{Port: echoPort})
	if err != nil {
		return err
	}
	e := &echoServer{udp: c, reached: map[netip.Addr]int{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go e.tell(c)
		}
	}()
	fmt.Println("ready")
	for buf := make([]byte, 2048); ; {
		n, from, err := c.ReadFromUDPAddrPort(buf)
		if err != nil {
			return err
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		e.mu.Lock()
		e.reached[from.Addr()]++
		e.mu.Unlock()
		var o order
		if json.Unmarshal(buf[:n], &o) != nil {
			continue
		}
		to := from
		if o.To.IsValid() {
			to = o.To
		}
		if _, err := c.WriteToUDPAddrPort([]byte(from.String()), to); err != nil {
			return err
		}
	}
}

// tell sends the number of datagrams that came from the address of a connection. It counts those that wait to be read as well.
func (e *echoServer) tell(c net.Conn) {
	defer c.Close()
	own, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: echoPort})
	if err != nil {
		return
	}
	defer own.Close()
	if _, err := own.Write([]byte("{}")); err != nil {
		return
	}
	if _, err := own.Read(make([]byte, 64)); err != nil { // once it is back the server has read all that came before it
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	fmt.Fprintln(c, e.reached[netip.MustParseAddrPort(c.RemoteAddr().String()).Addr().Unmap()])
}

// A seen is what a machine behind a router finds out about the router.
type seen struct {
	Outer    []netip.AddrPort // where its questions to each server came from
	Stranger bool             // a machine that it never wrote to reached it
}

// An asker asks echo servers.
type asker struct{ *net.UDPConn }

// send sends an order to a server.
func (a asker) send(server netip.AddrPort, o order) error {
	text, err := json.Marshal(o)
	if err == nil {
		_, err = a.WriteToUDPAddrPort(text, server)
	}
	return err
}

// answer returns the next answer of a server, and whether datagrams of other senders came before it.
func (a asker) answer(server netip.AddrPort) (at netip.AddrPort, others bool, err error) {
	for buf := make([]byte, 2048); ; others = true {
		n, from, err := a.ReadFromUDPAddrPort(buf)
		if err != nil {
			return at, others, err
		}
		if from.Port() == server.Port() && from.Addr().Unmap() == server.Addr() {
			at, err = netip.ParseAddrPort(string(buf[:n]))
			return at, others, err
		}
	}
}

// ask sends an order and returns the answer as answer does.
func (a asker) ask(server netip.AddrPort, o order) (at netip.AddrPort, others bool, err error) {
	if err := a.send(server, o); err != nil {
		return at, false, err
	}
	return a.answer(server)
}

// look is a part: it asks echo servers, which all answer, and has the last one write to the address at which the first one saw it.
// It asks the last one from another socket, so that the router does not take it for a server that this one wrote to.
func look(args []string) error {
	c, err := net.ListenUDP("udp", nil)
	if err != nil {
		return err
	}
	other, err := net.ListenUDP("udp", nil)
	if err != nil {
		return err
	}
	var servers []netip.AddrPort
	for _, arg := range args {
		servers = append(servers, netip.MustParseAddrPort(arg))
	}
	known, stranger := servers[:len(servers)-1], servers[len(servers)-1]
	var s seen
	for _, server := range known {
		at, _, err := asker{c}.ask(server, order{})
		if err != nil {
			return err
		}
		s.Outer = append(s.Outer, at)
	}
	// The stranger's datagram comes before its answer to the other socket, and that before the answer to the last question.
	if err := (asker{other}).send(stranger, order{To: s.Outer[0]}); err != nil {
		return err
	}
	if _, _, err := (asker{other}).ask(stranger, order{}); err != nil {
		return err
	}
	if _, s.Stranger, err = (asker{c}).ask(known[0], order{}); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// shout is a part: it sends some questions to each server, and waits for no answer.
func shout(args []string) error {
	c, err := net.ListenUDP("udp", nil)
	if err != nil {
		return err
	}
	for range 3 {
		for _, server := range args {
			if err := (asker{c}).send(netip.MustParseAddrPort(server), order{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// reached is a part: it prints how many datagrams from this machine's public address came to a server.
func reached(args []string) error {
	c, err := net.Dial("tcp", args[0])
	if err != nil {
		return err
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, c)
	return err
}

// fetch prints what a URL has.
func fetch(args []string) error {
	r, err := http.Get(args[0])
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(os.Stdout, r.Body)
	return err
}

// answered returns when a server has answered each question that reached it before: the answer to one of another socket comes later. It
// asks until an answer comes, because questions and answers may be lost, and so may be the ARP before them.
func answered(server netip.AddrPort) error {
	c, err := net.ListenUDP("udp", nil)
	if err != nil {
		return err
	}
	defer c.Close()
	ask := func() { asker{c}.send(server, order{}) } //nolint:errcheck // it asks again
	ask()
	defer testkit.Again(ask)()
	_, _, err = asker{c}.answer(server)
	return err
}

// count is a part: it asks an echo server a thousand times and prints how many answers came. After each hundred questions it waits until
// the server has answered them, so that no queue overflows.
func count(args []string) error {
	const batches, questions = 10, 100
	server := netip.MustParseAddrPort(args[0])
	c, err := net.ListenUDP("udp", nil)
	if err != nil {
		return err
	}
	came := make(chan struct{}, batches*questions)
	const last = "last" // what this machine sends itself at the end
	go func() {
		defer close(came)
		for buf := make([]byte, 2048); ; came <- struct{}{} {
			n, _, err := c.ReadFromUDPAddrPort(buf)
			if err != nil || string(buf[:n]) == last {
				return
			}
		}
	}()
	for range batches {
		for range questions {
			if err := (asker{c}).send(server, order{}); err != nil {
				return err
			}
		}
		if err := answered(server); err != nil {
			return err
		}
	}
	own := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), c.LocalAddr().(*net.UDPAddr).AddrPort().Port())
	if _, err := c.WriteToUDPAddrPort([]byte(last), own); err != nil {
		return err
	}
	answers := 0
	for range came {
		answers++
	}
	_, err = fmt.Println(answers)
	return err
}
