package local

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

	"dplay4/dpsp/bridge/link"
)

// listen opens a TCP listener that stands for the game in a slot.
func (l *Local) listen(port uint16) (io.Closer, error) {
	c, err := listenTCP(netip.AddrPortFrom(bindTo, port))
	if err != nil {
		return nil, err
	}
	l.group.Go(func() {
		l.accept(c, netip.Addr.IsLoopback, func(conn *net.TCPConn) { l.outgoing(conn, port) })
	})
	return c, nil
}

// accept takes connections until the listener is closed, and refuses those that are not from where they may be.
func (l *Local) accept(c *net.TCPListener, from func(netip.Addr) bool, each func(*net.TCPConn)) {
	defer c.Close()
	for {
		conn, err := c.AcceptTCP()
		switch {
		case errors.Is(err, net.ErrClosed), err != nil && !l.wait(100*time.Millisecond):
			return
		case err != nil: // out of descriptors, mostly
		case !from(addrPort(conn.RemoteAddr()).Addr()):
			reset(conn)
		default:
			l.group.Go(func() { each(conn) })
		}
	}
}

// addrPort is a socket's address.
func addrPort(a net.Addr) netip.AddrPort {
	t, _ := a.(*net.TCPAddr)
	p := t.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}

// reset ends a connection at once.
func reset(c *net.TCPConn) {
	c.SetLinger(0) //nolint:errcheck // it is gone in any case
	c.Close()
}

// outgoing passes on a connection that our game has made to the port of a slot.
func (l *Local) outgoing(c *net.TCPConn, port uint16) {
	n := l.behind(port, false)
	if n == nil {
		reset(c)
		return
	}
	leave, err := n.enter()
	if err != nil {
		reset(c)
		n.cut(err)
		return
	}
	defer leave()
	defer l.list.playing()()
	opened, err := n.openStream(toGame)
	if err != nil {
		reset(c)
		return
	}
	(&pipe{n: n, conn: c, stream: opened, ours: addrPort(c.RemoteAddr()), theirs: here(n.ports.TCP)}).run()
}

// openStream begins a stream of a kind.
func (n *neighbour) openStream(kind byte) (link.Stream, error) {
	ctx, end := context.WithTimeout(n.ctx, n.l.opt.times.announced)
	defer end()
	s, err := n.way.OpenStream(ctx)
	if err != nil {
		return nil, err
	}
	if _, err = s.Write([]byte{kind}); err != nil {
		s.Reset()
		return nil, err
	}
	return s, nil
}

// incoming connects a stream to our game.
func (n *neighbour) incoming(s link.Stream) {
	at := n.l.translation()
	if !n.l.tenant.takes(at.Game) {
		s.Reset()
		return
	}
	c, err := n.dial(at.Game.TCP)
	if err != nil {
		s.Reset()
		return
	}
	(&pipe{n: n, conn: c, stream: s, ours: here(at.Slot.TCP), theirs: addrPort(c.LocalAddr())}).run()
}

// dial connects to a port of this machine, for as long as the other one is there.
func (n *neighbour) dial(port uint16) (*net.TCPConn, error) {
	ctx, end := context.WithTimeout(n.ctx, n.l.opt.times.connect)
	defer end()
	var c net.Conn
	var err error
	n.l.opt.within(func() { c, err = new(net.Dialer).DialContext(ctx, "tcp4", here(port).String()) })
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}
