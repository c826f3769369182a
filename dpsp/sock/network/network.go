// Package network has the sockets that a session needs, as interfaces: those of the system, or those of a test (package socktest).
package network

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"
)

// A Network opens the sockets of a session. Its errors are those of package net, with the numbers of package syscall. Its values are
// comparable, because hosts of one network share the sockets that searches arrive at.
type Network interface {
	// ListenStream opens a TCP listener; port 0 takes a free one. The connections that it accepts are Streams.
	ListenStream(at netip.AddrPort) (net.Listener, error)
	// DialStream connects to a TCP listener from an address, or from the one that leads there if it is not valid.
	DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (Stream, error)
	// ListenDatagrams opens a UDP socket; port 0 takes a free one.
	ListenDatagrams(at netip.AddrPort) (Datagrams, error)
}

// A Stream is a TCP connection, such as a net.TCPConn.
type Stream interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}

// acceptPause is how long nothing is accepted after an error, which as a rule says that the process has no descriptors left.
const acceptPause = 50 * time.Millisecond

// Accept calls take with each connection that a listener accepts, until the listener is closed. While accepting fails it also returns when
// quit is closed; nil never is. The connections are Streams.
func Accept(l net.Listener, quit <-chan struct{}, take func(Stream)) {
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
			take(c.(Stream))
		case errors.Is(err, net.ErrClosed):
			return
		default:
			select {
			case <-quit:
				return
			case <-time.After(acceptPause):
			}
		}
	}
}

// A Looker is a Stream that is none of the system's, and that tells of itself what the system tells of a net.TCPConn.
type Looker interface {
	// Look reports whether a read would find octets, and else whether it would find the end. It does not wait.
	Look() (octets, ended bool)
	// Acknowledged reports whether the peer's system has all that was written, and the end if there is one.
	Acknowledged() bool
}

// Datagrams is a UDP socket, such as a net.UDPConn.
type Datagrams interface {
	io.Closer
	LocalAddr() net.Addr
	WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error)
	ReadMsgUDPAddrPort(b, oob []byte) (n, oobn, flags int, from netip.AddrPort, err error)
}

// System is the network of this machine, as package net has it.
type System struct{}

// ListenStream opens a TCP listener.
func (System) ListenStream(at netip.AddrPort) (net.Listener, error) {
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	return l, nil
}

// DialStream connects to a TCP listener.
func (System) DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (Stream, error) {
	var d net.Dialer
	if !cmp.Or(from, netip.IPv4Unspecified()).IsUnspecified() {
		d.LocalAddr = &net.TCPAddr{IP: from.AsSlice()}
	}
	c, err := d.DialContext(ctx, "tcp4", to.String())
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// ListenDatagrams opens a UDP socket.
func (System) ListenDatagrams(at netip.AddrPort) (Datagrams, error) {
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	return c, nil
}
