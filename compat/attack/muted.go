package main

import (
	"net"
	"sync"

	"dplay4/dpsp/sock/network"
)

// muted returns the wrapper of a machine that reads nothing over TCP once shut is closed, as if the program hung.
func muted(shut <-chan struct{}) wrapper {
	return func(c *net.TCPConn, accepted bool) network.Stream {
		if !accepted {
			return c
		}
		return &mutedStream{TCPConn: c, shut: shut, closed: make(chan struct{})}
	}
}

// A mutedStream is a connection to us.
type mutedStream struct {
	*net.TCPConn
	shut   <-chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (s *mutedStream) Read(b []byte) (int, error) {
	select {
	case <-s.shut:
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
