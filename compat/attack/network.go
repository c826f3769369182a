package main

import (
	"context"
	"net"
	"net/netip"

	"dplay4/dpsp/sock/network"
)

// A wrapper returns a TCP connection as the attacker's machine has it.
type wrapper func(c *net.TCPConn, accepted bool) network.Stream

// asIs is the wrapper of a machine that does as all do.
func asIs(c *net.TCPConn, _ bool) network.Stream { return c }

// A wrapped network is that of the system, but for what the wrapper does with TCP connections.
type wrapped struct {
	network.System
	wrap wrapper
}

// ListenStream opens a TCP listener.
func (n *wrapped) ListenStream(at netip.AddrPort) (net.Listener, error) {
	l, err := n.System.ListenStream(at)
	if err != nil {
		return nil, err
	}
	return wrappedListener{l, n.wrap}, nil
}

// DialStream connects to a TCP listener.
func (n *wrapped) DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (network.Stream, error) {
	c, err := n.System.DialStream(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return n.wrap(c.(*net.TCPConn), false), nil
}

type wrappedListener struct {
	net.Listener
	wrap wrapper
}

func (l wrappedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c.(*net.TCPConn), true), nil
}
