package main

import (
	"net"
	"net/netip"
	"sync"

	"dplay4/dpsp/sock/network"
)

// A muted network is that of the system, until it is shut: then what comes over TCP is not read any more, as if the program hung.
type muted struct {
	network.System
	shut chan struct{} // closed: nothing is read
}

// ListenStream opens a TCP listener.
func (m *muted) ListenStream(at netip.AddrPort) (net.Listener, error) {
	l, err := m.System.ListenStream(at)
	if err != nil {
		return nil, err
	}
	return &mutedListener{l, m}, nil
}

type mutedListener struct {
	net.Listener
	of *muted
}

func (l *mutedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &mutedStream{TCPConn: c.(*net.TCPConn), of: l.of, closed: make(chan struct{})}, nil
}

// A mutedStream is a connection to us.
type mutedStream struct {
	*net.TCPConn
	of     *muted
	once   sync.Once
	closed chan struct{}
}

func (s *mutedStream) Read(b []byte) (int, error) {
	select {
	case <-s.of.shut:
		<-s.closed
		return 0, net.ErrClosed
	default:
		return s.TCPConn.Read(b)
	}
}

func (s *mutedStream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.TCPConn.Close()
}
