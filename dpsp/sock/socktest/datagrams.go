package socktest

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"dplay4/dpsp/sock/network"
)

// Datagrams is a UDP socket. All is guarded by the network's lock.
type datagrams struct {
	net    *Network
	at     netip.AddrPort
	queue  []datagram
	octets int // of the queue, with what each costs
	closed bool
	readBy time.Time
	came   *sync.Cond
}

// A datagram is one that came and was not read.
type datagram struct {
	from netip.AddrPort
	data []byte
}

const (
	// room is how many octets a socket has for datagrams that came, each of which costs besides its own.
	room = 208 << 10
	cost = 768
	// largest is the most octets of a datagram.
	largest = 1<<16 - 1 - 8 - 20
)

// ListenDatagrams opens a UDP socket.
func (n *Network) ListenDatagrams(at netip.AddrPort) (network.Datagrams, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	on, err := place(n, n.sockets, at)
	if err != nil {
		return nil, failed("listen", "udp", at, os.NewSyscallError("bind", err))
	}
	d := &datagrams{net: n, at: on, came: sync.NewCond(&n.mu)}
	n.sockets[on] = d
	return d, nil
}

// LocalAddr returns where the socket is bound.
func (d *datagrams) LocalAddr() net.Addr { return net.UDPAddrFromAddrPort(d.at) }

// Posts says that one sends without waiting.
func (d *datagrams) Posts() {}

// WriteToUDPAddrPort sends a datagram. Where nobody is it gets lost.
func (d *datagrams) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	d.net.mu.Lock()
	defer d.net.mu.Unlock()
	addr := to.Addr().Unmap()
	switch {
	case d.closed:
		return 0, failed("write", "udp", to, net.ErrClosed)
	case !addr.Is4():
		return 0, failed("write", "udp", to, syscall.EAFNOSUPPORT)
	case to.Port() == 0:
		return 0, failed("write", "udp", to, os.NewSyscallError("sendto", syscall.EINVAL))
	case len(b) > largest:
		return 0, failed("write", "udp", to, os.NewSyscallError("sendto", syscall.EMSGSIZE))
	}
	g := datagram{netip.AddrPortFrom(source(d.at.Addr(), addr), d.at.Port()), bytes.Clone(b)}
	if addr == everybody {
		for on, s := range d.net.sockets {
			if on.Port() == to.Port() {
				s.put(g)
			}
		}
	} else if s, ok := at(d.net.sockets, to); ok && !d.net.cut(g.from.Addr(), addr) {
		s.put(g)
	}
	return len(b), nil
}

// put queues a datagram that came, if there is room for it.
func (d *datagrams) put(g datagram) {
	if d.octets > 0 && d.octets+cost+len(g.data) > room {
		return
	}
	d.octets += cost + len(g.data)
	d.queue = append(d.queue, g)
	d.came.Broadcast()
}

// ReadMsgUDPAddrPort waits for a datagram. It tells nothing else of it: oobn and flags are 0.
func (d *datagrams) ReadMsgUDPAddrPort(b, _ []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	d.net.mu.Lock()
	defer d.net.mu.Unlock()
	for {
		switch {
		case d.closed:
			return 0, 0, 0, from, failed("read", "udp", d.at, net.ErrClosed)
		case late(d.readBy):
			return 0, 0, 0, from, failed("read", "udp", d.at, os.ErrDeadlineExceeded)
		case len(d.queue) > 0:
			g := d.queue[0]
			d.queue = d.queue[1:]
			d.octets -= cost + len(g.data)
			return copy(b, g.data), 0, 0, g.from, nil
		}
		d.net.wait(d.came, d.readBy)
	}
}

// SetReadDeadline limits reads.
func (d *datagrams) SetReadDeadline(by time.Time) error {
	d.net.mu.Lock()
	defer d.net.mu.Unlock()
	d.readBy = by
	d.came.Broadcast()
	return nil
}

// Close ends the socket, and what waits for it.
func (d *datagrams) Close() error {
	d.net.mu.Lock()
	defer d.net.mu.Unlock()
	if d.closed {
		return failed("close", "udp", d.at, net.ErrClosed)
	}
	d.closed = true
	delete(d.net.sockets, d.at)
	d.came.Broadcast()
	return nil
}
