package sock

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

func one(port uint16) wire.Ports { return wire.Ports{First: port, Last: port} }

// within checks that a port is one of a range.
func within(t *testing.T, r wire.Ports, port uint16) {
	t.Helper()
	assert.GreaterOrEqual(t, port, r.First)
	assert.LessOrEqual(t, port, r.Last)
}

// TestPorts opens sessions at one port for both, at ranges, and at the default ones. Another program may have a default port at all
// addresses, as a game that is played meanwhile has.
func TestPorts(t *testing.T) {
	t.Parallel()
	at := testkit.Addr(t)
	for _, c := range []struct {
		stream, datagram wire.Ports
		tcp, udp         wire.Ports // one of them
	}{
		{one(31415), one(31415), one(31415), one(31415)},
		{wire.Ports{First: 31415, Last: 31417}, wire.Ports{First: 31400, Last: 31499}, one(31416), one(31400)},
		{wire.Ports{First: 65534, Last: 65535}, wire.Ports{}, one(65534), wire.Ports{First: 2350, Last: 2400}},
		{wire.Ports{First: 65534, Last: 65535}, wire.Ports{}, one(65535), wire.Ports{First: 2350, Last: 2400}},
		{wire.Ports{}, one(31501), wire.Ports{First: 2300, Last: 2400}, one(31501)},
	} {
		s, err := Open(Options{Bind: at, StreamPorts: c.stream, DatagramPorts: c.datagram})
		require.NoError(t, err)
		defer s.Close()
		within(t, c.tcp, s.StreamAddr().Port())
		within(t, c.udp, s.DatagramAddr().Port())
	}
	us := "other program"
	if runtime.GOOS == "linux" || runtime.GOOS == "windows" {
		us = fmt.Sprintf("(process %d)", os.Getpid())
	}
	for want, o := range map[string]Options{
		"all TCP ports of 65534-65535 are taken by ": {StreamPorts: wire.Ports{First: 65534, Last: 65535}},
		"TCP port 31415 is taken by ":                {StreamPorts: one(31415)},
		"UDP port 31400 is taken by ":                {DatagramPorts: one(31400)},
	} {
		o.Bind = at
		_, err := Open(o)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, us)
		assert.True(t, taken(err), err)
		assert.NotContains(t, err.Error(), "bind")
	}
	for _, bad := range []wire.Ports{{First: 2, Last: 1}, {Last: 5}} {
		_, err := Open(Options{Bind: at, StreamPorts: bad})
		require.ErrorContains(t, err, "TCP ports "+bad.String()+" are no range")
		_, err = Open(Options{Bind: at, DatagramPorts: bad})
		require.ErrorContains(t, err, "UDP ports "+bad.String()+" are no range")
	}
	free, err := Open(Options{Bind: at, StreamPorts: one(31500)})
	require.NoError(t, err, "who did not get the one port left the other one free")
	require.NoError(t, free.Close())
}

// What Windows says of a port that somebody has is understood everywhere: the next one is tried.
func TestTaken(t *testing.T) {
	assert.True(t, taken(&net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.Errno(10048))}))
	assert.True(t, taken(&net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.Errno(10013))}))
	assert.True(t, taken(&net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}))
	assert.False(t, taken(syscall.EACCES))
	assert.False(t, taken(errors.New("other")))
	assert.False(t, taken(nil))
}

// TestFirstFree goes on to the next port where Windows says that one is in use, or that it is kept for the system or another
// program, as ranges are that Hyper-V took; what else goes wrong ends the search.
func TestFirstFree(t *testing.T) {
	const wsaAccess, wsaAddrInUse, wsaNetDown = syscall.Errno(10013), syscall.Errno(10048), syscall.Errno(10050)
	list := wire.Ports{First: 2300, Last: 2303}
	search := func(answers ...error) (tried int, err error) {
		_, err = firstFree("TCP", netip.IPv4Unspecified(), list, Holders, func(netip.AddrPort) (struct{}, error) {
			tried++
			return struct{}{}, answers[tried-1]
		})
		return tried, err
	}
	tried, err := search(wsaAccess, &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", wsaAddrInUse)}, nil)
	require.NoError(t, err)
	assert.Equal(t, 3, tried)
	tried, err = search(wsaAccess, wsaNetDown)
	assert.ErrorIs(t, err, wsaNetDown)
	assert.Equal(t, 2, tried)
	_, err = search(wsaAccess, wsaAccess, wsaAccess, wsaAccess)
	assert.ErrorContains(t, err, "all TCP ports of 2300-2303 are taken by ")
}

// TestPlayAtOtherPorts: on the system's network, machines with one number for both ports play with each other and with a machine at
// the usual ports.
func TestPlayAtOtherPorts(t *testing.T) {
	t.Parallel()
	ctx := testkit.Context(t)
	at := testkit.Addrs(t, 3)
	loco := func(i int) Options {
		return Options{Bind: at[i], StreamPorts: one(31415), DatagramPorts: one(31415), Config: dpsp.Config{}}
	}
	h, err := hosted(ctx, loco(0), dpsp.Host{Application: testGame, Name: "Train"})
	require.NoError(t, err)
	defer h.Close()
	ann, err := h.CreatePlayer(ctx, "Ann", nil)
	require.NoError(t, err)
	for _, opt := range []Options{loco(1), {Bind: at[2]}} {
		f, err := seek(ctx, opt, at[0], "", func(*Found) bool { return true })
		require.NoError(t, err)
		assert.EqualValues(t, 31415, f.Host.Port())
		j, err := joined(ctx, opt, f, "")
		require.NoError(t, err)
		defer j.Close()
		bob, err := j.CreatePlayer(ctx, "Bob", nil)
		require.NoError(t, err)
		for next[dpsp.PlayerCreated](t, h).ID != bob {
		}
		for _, guaranteed := range []bool{true, false} {
			require.NoError(t, j.Send(ctx, bob, ann, []byte("up"), guaranteed))
			assert.Equal(t, "up", string(next[dpsp.Message](t, h).Payload))
			require.NoError(t, h.Send(ctx, ann, bob, []byte("down"), guaranteed))
			assert.Equal(t, "down", string(next[dpsp.Message](t, j).Payload))
		}
	}
}
