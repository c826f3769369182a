package main

import (
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

// A breaking machine can reset all its connections with one address, as a router does that forgets them: both ends see that.
type breaking struct {
	with    netip.Addr
	mu      sync.Mutex
	streams map[*breakingStream]bool
}

// add takes note of a connection. It is a wrapper.
func (n *breaking) add(c *net.TCPConn, _ bool) network.Stream {
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
func (x *striker) enterFriend() error {
	x.breaking = &breaking{with: x.Control.Stream.Addr(), streams: map[*breakingStream]bool{}}
	return x.enterBy(x.breaking.add, friend, func(e dpsp.Event) {
		x.mu.Lock()
		x.watcher.see(e)
		x.mu.Unlock()
	})
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
