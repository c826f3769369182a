// Package socktest is for tests alone. It has a network in memory, on which whole sessions play in a bubble of testing/synctest: what
// waits for it is durably blocked, so that time-outs cost nothing and are exact.
package socktest

import (
	"cmp"
	"context"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"

	"dplay4/dpsp/sock/network"
)

// A Network is a network.Network that behaves like the loopback network of Linux: every IPv4 address is there, and every port is
// free at first. Nothing gets lost, takes time or overtakes, but for a Cut and for datagrams that find a socket full. A datagram to
// 255.255.255.255 comes to all sockets with its port. Make it with New in the bubble that uses it.
type Network struct {
	mu        sync.Mutex // guards everything, sockets included
	listeners map[netip.AddrPort]*listener
	sockets   map[netip.AddrPort]*datagrams
	streams   map[*stream]bool // of which an end is open
	port      uint16           // that was chosen last
	cuts      map[[2]netip.Addr]bool
	mended    *sync.Cond
}

// New returns a network without sockets.
func New() *Network {
	n := &Network{
		listeners: map[netip.AddrPort]*listener{}, sockets: map[netip.AddrPort]*datagrams{}, streams: map[*stream]bool{},
		port: firstPort - 1, cuts: map[[2]netip.Addr]bool{},
	}
	n.mended = sync.NewCond(&n.mu)
	return n
}

// Ports that are chosen, as Linux has them.
const (
	firstPort = 32768
	lastPort  = 60999
)

// Cut keeps all that is sent between two addresses from arriving. Octets of connections wait until Mend, datagrams are lost.
func (n *Network) Cut(a, b netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts[[2]netip.Addr{a, b}], n.cuts[[2]netip.Addr{b, a}] = true, true
}

// Mend ends all Cuts.
func (n *Network) Mend() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.cuts)
	n.mended.Broadcast()
	for s := range n.streams {
		s.push()
	}
}

// Reset breaks the connections from an address to a listener: both ends are reset, as by a router that forgot them.
func (n *Network) Reset(from netip.Addr, to netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for s := range n.streams {
		if s.local.Addr() == from && s.remote == to && s.broken == nil {
			s.reset()
			s.peer.reset()
		}
	}
}

// cut reports whether nothing arrives.
func (n *Network) cut(a, b netip.Addr) bool { return n.cuts[[2]netip.Addr{a, b}] }

// place returns where a socket is bound that asks for an address, and whether that is taken.
func place[S any](n *Network, all map[netip.AddrPort]S, at netip.AddrPort) (netip.AddrPort, error) {
	addr := cmp.Or(at.Addr().Unmap(), netip.IPv4Unspecified())
	if !addr.Is4() {
		return at, syscall.EAFNOSUPPORT
	}
	taken := func(port uint16) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(x netip.AddrPort) bool {
			return x.Port() == port && (x.Addr() == addr || x.Addr().IsUnspecified() || addr.IsUnspecified())
		})
	}
	port := at.Port()
	switch {
	case port == 0:
		for port = n.next(); taken(port); {
			port = n.next()
		}
	case taken(port):
		return at, syscall.EADDRINUSE
	}
	return netip.AddrPortFrom(addr, port), nil
}

// next chooses a port.
func (n *Network) next() uint16 {
	if n.port++; n.port > lastPort {
		n.port = firstPort
	}
	return n.port
}

// at returns the socket that has a port of an address.
func at[S any](all map[netip.AddrPort]S, to netip.AddrPort) (S, bool) {
	s, ok := all[netip.AddrPortFrom(to.Addr().Unmap(), to.Port())]
	if !ok {
		s, ok = all[netip.AddrPortFrom(netip.IPv4Unspecified(), to.Port())]
	}
	return s, ok
}

// source returns the address that what goes to another one comes from.
func source(own, to netip.Addr) netip.Addr {
	switch {
	case !cmp.Or(own, netip.IPv4Unspecified()).IsUnspecified():
		return own.Unmap()
	case to.IsLoopback() || to == everybody:
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return to
}

// everybody is the address of all.
var everybody = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// A listener is a TCP listener.
type listener struct {
	net    *Network
	at     netip.AddrPort
	queue  []*stream // that came about and were not accepted
	closed bool
	change *sync.Cond // of the queue, or it was closed
}

// backlog is how many connections a listener has that were not accepted. Who connects then waits.
const backlog = 4096

// ListenStream opens a TCP listener.
func (n *Network) ListenStream(at netip.AddrPort) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	on, err := place(n, n.listeners, at)
	if err != nil {
		return nil, failed("listen", "tcp", at, os.NewSyscallError("bind", err))
	}
	l := &listener{net: n, at: on, change: sync.NewCond(&n.mu)}
	n.listeners[on] = l
	return l, nil
}

// failed returns an error as package net has it.
func failed(what, kind string, at netip.AddrPort, err error) error {
	e := &net.OpError{Op: what, Net: kind, Err: err}
	if at.IsValid() {
		e.Addr = net.TCPAddrFromAddrPort(at)
	}
	return e
}

// Accept waits for a connection.
func (l *listener) Accept() (net.Conn, error) {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	for len(l.queue) == 0 && !l.closed {
		l.change.Wait()
	}
	if l.closed {
		return nil, failed("accept", "tcp", l.at, net.ErrClosed)
	}
	s := l.queue[0]
	l.queue = l.queue[1:]
	l.change.Broadcast()
	return s, nil
}

// Close ends the listener, and resets connections that were not accepted.
func (l *listener) Close() error {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	if l.closed {
		return failed("close", "tcp", l.at, net.ErrClosed)
	}
	l.closed = true
	delete(l.net.listeners, l.at)
	for _, s := range l.queue {
		s.abort()
	}
	l.change.Broadcast()
	return nil
}

// Addr returns where it listens.
func (l *listener) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.at) }

// DialStream connects to a TCP listener. Across a Cut it waits until ctx ends.
func (n *Network) DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (network.Stream, error) {
	stop := context.AfterFunc(ctx, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.mended.Broadcast()
		for _, l := range n.listeners {
			l.change.Broadcast()
		}
	})
	defer stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	own := source(from, to.Addr())
	for {
		l, ok := at(n.listeners, to)
		switch cut := n.cut(own, to.Addr()); {
		case ctx.Err() != nil:
			err := ctx.Err()
			if err == context.DeadlineExceeded {
				err = os.ErrDeadlineExceeded
			}
			return nil, failed("dial", "tcp", to, err)
		case cut:
			n.mended.Wait()
		case !ok:
			return nil, failed("dial", "tcp", to, os.NewSyscallError("connect", syscall.ECONNREFUSED))
		case len(l.queue) >= backlog:
			l.change.Wait()
		default:
			ours, theirs := n.pair(netip.AddrPortFrom(own, n.next()), to)
			l.queue = append(l.queue, theirs)
			l.change.Broadcast()
			return ours, nil
		}
	}
}
