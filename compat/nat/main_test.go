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
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// insideVariable names the part of this program that is to run in a machine.
const insideVariable = "DPLAY_NAT_INSIDE"

// parts run in machines. Their error goes to standard error and gives exit status 1.
var parts = map[string]func(args []string) error{"echo": echo, "look": look, "count": count,
	"relay": serveRelay, "meet": meet, "knock": knock, "game": game, "pings": pings, "pours": pours, "comes": comes, "fetch": fetch, "dns": dns}

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

// testTime is how long a test may take.
const testTime = 3 * time.Minute

// newInternet makes an internet for a test, or skips the test where there can be none.
func newInternet(t *testing.T) (context.Context, *nat.Internet) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	t.Cleanup(cancel)
	in, err := nat.New(ctx)
	if errors.Is(err, nat.ErrMissing) && os.Getenv("DPLAY_REQUIRE_NAT") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.Close()) })
	return ctx, in
}

// takesLong skips a test where not everything is to run.
func takesLong(t *testing.T) {
	t.Helper()
	if os.Getenv("DPLAY_REQUIRE_NAT") == "" {
		t.Skip("it takes a while: make bridge-nat runs it")
	}
}

// inside runs a part of this program in a machine, and returns what it said.
func inside(ctx context.Context, t *testing.T, m *nat.Machine, part string, args ...string) []byte {
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

// An order is what an echo server is asked: to say where the question came from, to whom it came from or to another one.
type order struct{ To netip.AddrPort }

// echo tells who asks where the question came from.
func echo([]string) error {
	c, err := net.ListenUDP("udp", &net.UDPAddr{Port: echoPort})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for buf := make([]byte, 2048); ; {
		n, from, err := c.ReadFromUDPAddrPort(buf)
		if err != nil {
			return err
		}
		var o order
		if json.Unmarshal(buf[:n], &o) != nil {
			continue
		}
		to := from
		if o.To.IsValid() {
			to = o.To
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		if _, err := c.WriteToUDPAddrPort([]byte(from.String()), to); err != nil {
			return err
		}
	}
}

const echoPort = 3000

// A seen is what a machine behind a router finds out about the router.
type seen struct {
	Outer    []netip.AddrPort // where its questions to each server came from
	Stranger bool             // somebody whom it never wrote to reached it
}

// look asks echo servers, all but the last one, and has the last but one ask the last one to write back.
func look(args []string) error {
	c, err := net.ListenUDP("udp", nil)
	if err != nil {
		return err
	}
	var s seen
	buf := make([]byte, 2048)
	ask := func(server string, o order, patience time.Duration) bool {
		text, _ := json.Marshal(o)
		for range 2 { // the first one may wait for a neighbour's address
			if _, err = c.WriteToUDPAddrPort(text, netip.MustParseAddrPort(server)); err != nil {
				return false
			}
			if err = c.SetReadDeadline(time.Now().Add(patience)); err != nil {
				return false
			}
			var n int
			if n, _, err = c.ReadFromUDPAddrPort(buf); err == nil {
				at, parseErr := netip.ParseAddrPort(string(buf[:n]))
				err = parseErr
				s.Outer = append(s.Outer, at)
				return true
			}
		}
		return false
	}
	known, stranger := args[:len(args)-1], args[len(args)-1]
	for _, server := range known {
		if !ask(server, order{}, time.Second) {
			return json.NewEncoder(os.Stdout).Encode(s)
		}
	}
	// The stranger is asked from another socket, so that the router does not take it for one whom this one wrote to.
	other, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.MustParseAddrPort(stranger)))
	if err != nil {
		return err
	}
	text, err := json.Marshal(order{To: s.Outer[0]})
	if err != nil {
		return err
	}
	for range 3 {
		if _, err := other.Write(text); err != nil {
			return err
		}
		if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			return err
		}
		if _, _, err := c.ReadFromUDPAddrPort(buf); err == nil {
			s.Stranger = true
			break
		}
	}
	return json.NewEncoder(os.Stdout).Encode(s)
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

// count asks an echo server a thousand times and counts the answers.
func count(args []string) error {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.MustParseAddrPort(args[0])))
	if err != nil {
		return err
	}
	buf, answers := make([]byte, 2048), 0
	for range 1000 {
		if _, err := c.Write([]byte("{}")); err != nil {
			return err
		}
		if err := c.SetReadDeadline(time.Now().Add(5 * time.Millisecond)); err != nil {
			return err
		}
		if _, err := c.Read(buf); err == nil {
			answers++
		}
	}
	_, err = fmt.Println(answers)
	return err
}
