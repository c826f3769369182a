package directplay

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// A journal is a log in memory.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) log() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// TestHeldPort: where another program has the port of hosts no session can be opened, and the log says which program it is.
func TestHeldPort(test *testing.T) {
	test.Parallel()
	for _, protocol := range []string{"UDP", "TCP"} {
		t := onSockets(test)
		at := t.lane(1)[0]
		hold(t, protocol, at)
		var log journal
		g := initializedWith(t, Options{Config: Config{Bind: at, Log: log.log()}}, at.String())
		assert.Equal(t, wire.ErrCantCreateSession, g.Open(&SessionDesc{Application: testGame}, OpenCreate))
		assert.Contains(t, log.String(), protocol+" port 47624 is taken by ")
		assert.Contains(t, log.String(), wire.ErrCantCreateSession.Error(), "what the game is told")
		if runtime.GOOS == "linux" || runtime.GOOS == "windows" {
			assert.Contains(t, log.String(), fmt.Sprintf("process %d)", os.Getpid()))
		}
	}
}

// hold has the port of hosts at an address.
func hold(t *world, protocol string, at netip.Addr) {
	t.Helper()
	net, port := network.System{}, netip.AddrPortFrom(at, wire.EnumPort)
	if protocol == "UDP" {
		s, err := net.ListenDatagrams(port)
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return
	}
	s, err := net.ListenStream(port)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
}

// nextHost returns a machine that has just become host, while another program has the port of hosts at its address.
func nextHost(t *world, log *journal) *game {
	at := t.lane(2)
	h := hosts(t, at[0], wire.SessionMigrateHost)
	asked(t, at[1])
	j := initializedWith(t, Options{Config: Config{Bind: at[1], Log: log.log()}, Network: t.network}, at[0].String())
	j.enter("")
	j.player("Ann", 0)
	require.Equal(t, wire.OK, h.Close())
	j.awaitSystem(SysHost)
	return j
}

// TestHeldPortOfNextHost: a machine that becomes host while another program of it has the port logs that nobody finds the session.
func TestHeldPortOfNextHost(t *testing.T) {
	bubble(t, func(t *world) {
		var log journal
		nextHost(t, &log)
		eventually(t, func() bool { return log.String() != "" && bytes.Contains([]byte(log.String()), []byte("47624")) }, "a line")
		assert.Contains(t, log.String(), "nobody who looks for the session finds it here")
		assert.Contains(t, log.String(), "UDP port 47624 is taken by ")
	})
}

// TestHostAlone: a machine that no other one can reach hosts all the same, and the log says so.
func TestHostAlone(t *testing.T) {
	card := func(loopback bool, addrs ...string) (a sock.Adapter) {
		a.Loopback = loopback
		for _, s := range addrs {
			a.Addrs = append(a.Addrs, netip.MustParsePrefix(s))
		}
		return a
	}
	lo := card(true, "127.0.0.1/8", "::1/128")
	const none = "no network with IPv4 is up: only programs of this machine find the session and can join it"
	for name, c := range map[string]struct {
		list []sock.Adapter
		err  error
		bind netip.Addr
		want string
	}{
		"nothing":        {[]sock.Adapter{lo}, nil, netip.Addr{}, none},
		"IPv6 only":      {[]sock.Adapter{lo, card(false, "fe80::1/64", "2001:db8::7/64")}, nil, netip.Addr{}, none},
		"not to be told": {nil, errors.New("no table"), netip.Addr{}, "cannot be listed, is whether others can reach it: no table"},
		"a network":      {[]sock.Adapter{lo, card(false, "192.0.2.7/24")}, nil, netip.Addr{}, ""},
		"a choice":       {[]sock.Adapter{lo}, nil, netip.MustParseAddr("127.0.0.1"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *world) {
				var log journal
				g := initializedWith(t, Options{Config: Config{Log: log.log(), Bind: c.bind}, Network: t.network,
					adapters: func() ([]sock.Adapter, error) { return c.list, c.err }}, "")
				require.Equal(t, wire.OK, g.Open(&SessionDesc{Application: testGame}, OpenCreate))
				synctest.Wait()
				if c.want == "" {
					assert.NotContains(t, log.String(), "level=WARN")
					return
				}
				assert.Contains(t, log.String(), c.want)
			})
		})
	}
}

// TestHeldPortReleased: a machine that is released a moment after it became host logs nothing of the port.
func TestHeldPortReleased(t *testing.T) {
	bubble(t, func(t *world) {
		var log journal
		j := nextHost(t, &log)
		s := j.sess
		eventually(t, func() bool { return s.ListingError() != nil }, "that the port is taken")
		j.end() // with which Release begins
		synctest.Wait()
		assert.NotContains(t, log.String(), "nobody who looks for the session finds it here")
	})
}
