package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
)

// A breaking network is that of the system. All connections between it and one address can be reset, as a router does that forgets
// them: both ends see that.
type breaking struct {
	network.System
	with    netip.Addr
	mu      sync.Mutex
	streams map[*breakingStream]bool
}

// ListenStream opens a TCP listener.
func (n *breaking) ListenStream(at netip.AddrPort) (net.Listener, error) {
	l, err := n.System.ListenStream(at)
	if err != nil {
		return nil, err
	}
	return &breakingListener{l, n}, nil
}

// DialStream connects to a TCP listener.
func (n *breaking) DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (network.Stream, error) {
	c, err := n.System.DialStream(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return n.add(c.(*net.TCPConn)), nil
}

type breakingListener struct {
	net.Listener
	of *breaking
}

func (l *breakingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.of.add(c.(*net.TCPConn)), nil
}

// add takes note of a connection.
func (n *breaking) add(c *net.TCPConn) *breakingStream {
	s := &breakingStream{TCPConn: c, of: n}
	if c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap() == n.with {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.streams[s] = true
	}
	return s
}

// reset resets all connections with the address, and returns how many there were.
func (n *breaking) reset() int {
	n.mu.Lock()
	all := n.streams
	n.streams = map[*breakingStream]bool{}
	n.mu.Unlock()
	for s := range all {
		s.broken.Store(true)
		s.SetLinger(0)
		s.TCPConn.Close()
	}
	return len(all)
}

// A breakingStream is a connection that can be reset.
type breakingStream struct {
	*net.TCPConn
	of     *breaking
	broken atomic.Bool
}

func (s *breakingStream) Read(b []byte) (int, error) {
	n, err := s.TCPConn.Read(b)
	return n, s.seen(err)
}

func (s *breakingStream) Write(b []byte) (int, error) {
	n, err := s.TCPConn.Write(b)
	return n, s.seen(err)
}

// seen returns the error that the system would give for a connection that was reset.
func (s *breakingStream) seen(err error) error {
	if s.broken.Load() && errors.Is(err, net.ErrClosed) {
		return syscall.ECONNRESET
	}
	return err
}

func (s *breakingStream) Close() error {
	s.of.mu.Lock()
	delete(s.of.streams, s)
	s.of.mu.Unlock()
	return s.TCPConn.Close()
}

// enterFriend makes the attacker a member that means no harm: its network does that.
func (x *striker) enterFriend() (err error) {
	x.breaking = &breaking{with: x.Control.Stream.Addr(), streams: map[*breakingStream]bool{}}
	o := x.options(200)
	o.Network = x.breaking
	x.session, x.machine, err = x.join(o, friend, nil, func(e dpsp.Event) {
		x.mu.Lock()
		x.watcher.see(e)
		x.mu.Unlock()
	})
	return err
}

// Connections are reset so often. A connection that breaks more often than a machine makes it anew is one that does not carry.
const (
	resetOf    = 3
	resetEvery = 400 * time.Millisecond
)

// reset has the friend talk to the control, and resets their connections.
func (x *striker) reset() error {
	for n := 1; x.pause(resetEvery); n++ {
		if err := x.session.Send(x.ctx, x.Player, x.Control.Player, []byte("hello"), true); err != nil {
			return err
		}
		if n <= resetOf {
			x.attempts.Add(int64(x.breaking.reset()))
		}
	}
	return nil
}
