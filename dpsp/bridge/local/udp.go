package local

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// receive opens a UDP socket that stands for the game in a slot.
func (l *Local) receive(port uint16) (io.Closer, error) {
	c, err := sock.OpenDatagrams(netip.AddrPortFrom(bindTo, port))
	if err != nil {
		return nil, err
	}
	l.group.Go(func() { l.send(c, port) })
	return c, nil
}

// send passes on what our game sends to the port of a slot.
func (l *Local) send(c sock.DatagramSocket, port uint16) {
	words := filter.NewTranslator(l.translation)
	b := make([]byte, link.MaxDatagram)
	b[0] = datagramGame
	l.read(c, b[1:], func(from netip.AddrPort, size int) {
		n := l.behind(port, true)
		if n == nil || !from.Addr().IsLoopback() {
			return
		}
		words.Datagram(b[1 : 1+size])
		l.record(dpsp.UDP, here(l.translation().Port(from.Port(), true)), here(n.ports.UDP), b[1:1+size])
		n.way.SendDatagram(b[:1+size]) //nolint:errcheck // datagrams may be lost
	})
}

// read reads datagrams until the socket is closed.
func (l *Local) read(c sock.DatagramSocket, b []byte, each func(from netip.AddrPort, size int)) {
	for {
		n, _, _, from, err := c.ReadMsgUDPAddrPort(b, nil)
		switch {
		case errors.Is(err, net.ErrClosed), err != nil && !l.wait(5*time.Millisecond):
			return
		case err != nil: // of a datagram of ours, on Windows
		default:
			each(netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), n)
		}
	}
}

// wait waits for a pause, and reports whether l is still open.
func (l *Local) wait(pause time.Duration) bool {
	_, err := link.Next(l.ctx, l.ctx, time.After(pause))
	return err == nil
}

// deliver hands a datagram of a slot to our game, or to the program that has 47624. It is translated.
func (n *neighbour) deliver(b []byte, request bool) {
	l := n.l
	l.mu.RLock()
	to, own := l.at.Game.UDP, l.at.Slot.UDP
	c, there := l.open[socket{l.at.Port(n.ports.UDP, true), true}].(sock.DatagramSocket)
	l.mu.RUnlock()
	switch {
	case !there, !request && l.tenant.is.Load() == stranger:
		return
	case request:
		to, own = wire.EnumPort, wire.EnumPort
	}
	l.record(dpsp.UDP, here(n.ports.UDP), here(own), b)
	c.WriteToUDPAddrPort(b, netip.AddrPortFrom(loopback, to)) //nolint:errcheck // datagrams may be lost
}
