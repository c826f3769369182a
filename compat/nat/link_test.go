//go:build linux

package nat_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/relay"
	"dplay4/internal/testkit"
)

// codeAt is that of a session on an open relay: the arguments of a part are the relay and the session's number.
func codeAt(args []string) code.Code {
	c := code.Code{Relays: []code.Relay{{Host: args[0], Port: code.DefaultPort}}}
	copy(c.Secret[:], "session "+args[1])
	return c
}

// serveRelay is a part: a relay at the address.
func serveRelay(args []string) error {
	c := relay.Config{Public: []netip.Addr{netip.MustParseAddr(args[0])}, Listen: []netip.Addr{netip.IPv4Unspecified()},
		Port: relay.DefaultPort, AlternatePort: relay.DefaultPort + 1, Secret: code.OpenSecret, Limits: relay.DefaultLimits()}
	if _, err := relay.Open(c); err != nil {
		return err
	}
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// meet is a part: the machine that answers newcomers at the code of a relay, and returns what it is sent.
func meet(args []string) error {
	m, err := link.New(context.Background(), link.Config{Code: codeAt(args)})
	if err != nil {
		return err
	}
	m.Meet(true)
	fmt.Println("ready")
	for {
		l, err := m.Accept(context.Background())
		if err != nil {
			return err
		}
		go func() {
			for {
				s, err := l.AcceptStream(context.Background())
				if err != nil {
					return
				}
				go func() { _, _ = io.Copy(s, s); _ = s.CloseWrite() }()
			}
		}()
	}
}

// A knocked is what a newcomer saw.
type knocked struct {
	Session time.Duration // until octets came back
	Direct  time.Duration // until they went directly; 0: never
	Over    string
}

// relayedLook is how long a newcomer that can go by the relay alone looks for a direct way. A slow machine only finds less.
const relayedLook = 30 * testkit.Moment

// knock is a part: a newcomer. Its last argument is "direct" if it waits for a direct way, else it looks for one for a while.
func knock(args []string) error {
	began, ctx := time.Now(), context.Background()
	m, err := link.New(ctx, link.Config{Code: codeAt(args)})
	if err != nil {
		return err
	}
	defer m.Close()
	l, err := m.Knock(ctx)
	if err != nil {
		return err
	}
	echo := func(n int) error {
		s, err := l.OpenStream(ctx)
		if err != nil {
			return err
		}
		sent := bytes.Repeat([]byte("octets "), n)
		go func() { _, _ = s.Write(sent); _ = s.CloseWrite() }()
		got, err := io.ReadAll(s)
		if err == nil && !bytes.Equal(got, sent) {
			err = fmt.Errorf("%d octets came back of %d", len(got), len(sent))
		}
		return err
	}
	if err := echo(1); err != nil {
		return err
	}
	k := knocked{Session: time.Since(began)}
	for args[2] == "direct" || time.Since(began) < relayedLook {
		if l.Way().Direct {
			k.Direct = time.Since(began)
			break
		}
		if err := echo(1000); err != nil {
			return err
		}
	}
	k.Over = l.Way().Over
	if err := echo(100000); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(k)
}

// begin runs a part of this program in a machine until the test ends, and waits until it says that it is ready.
func begin(ctx context.Context, t testing.TB, m *nat.Machine, part string, args ...string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := m.Command(ctx, self, args...)
	cmd.Env = append(cmd.Env, insideVariable+"="+part)
	cmd.Stderr = os.Stderr
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Cancel(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
}

// TestLinks links machines behind each kind of router with those behind each other kind, by package link alone.
func TestLinks(t *testing.T) {
	takesLong(t)
	t.Parallel()
	ctx, in := newInternet(t)
	server, err := in.Machine(ctx, "relay")
	require.NoError(t, err)
	begin(ctx, t, server, "relay", server.Addr().String())
	for i, a := range nat.Kinds {
		for j, b := range nat.Kinds {
			t.Run(fmt.Sprintf("%s, %s", a, b), func(t *testing.T) {
				t.Parallel()
				session := []string{server.Addr().String(), fmt.Sprint(i*len(nat.Kinds) + j)}
				ann, bob := at(ctx, t, in, a, "ann"), at(ctx, t, in, b, "bob")
				begin(ctx, t, ann, "meet", session...)
				var k knocked
				want := "relayed"
				if nat.Direct(a, b) {
					want = "direct"
				}
				require.NoError(t, json.Unmarshal(inside(ctx, t, bob, "knock", append(session, want)...), &k))
				t.Logf("%+v", k)
				assert.Equal(t, nat.Direct(a, b), k.Direct > 0)
			})
		}
	}
}

// at adds a machine in a home of its own.
func at(ctx context.Context, t testing.TB, in *nat.Internet, kind nat.Kind, name string) *nat.Machine {
	t.Helper()
	home, err := in.Home(ctx, kind, false)
	require.NoError(t, err)
	m, err := home.Machine(ctx, name)
	require.NoError(t, err)
	return m
}
