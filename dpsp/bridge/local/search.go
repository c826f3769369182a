package local

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// own reports whether an address is one of this machine: what is broadcast comes from those of its adapters.
func (l *Local) own(a netip.Addr) (own bool) {
	if a.IsLoopback() {
		return true
	}
	l.opt.within(func() {
		all, _ := sock.Adapters()
		own = slices.ContainsFunc(all, func(c sock.Adapter) bool {
			return slices.ContainsFunc(c.Addrs, func(p netip.Prefix) bool { return p.Addr() == a })
		})
	})
	return own
}

// hear hands on what our game asks by UDP.
func (s *listing) hear(c sock.DatagramSocket) {
	l := s.l
	b := make([]byte, 1+filter.MaxRequest+1)
	b[0] = datagramList
	l.read(c, b[1:], func(from netip.AddrPort, size int) {
		request := b[1 : 1+size]
		if !l.own(from.Addr()) || !s.ask(request) {
			return
		}
		l.record(dpsp.UDP, here(from.Port()), here(wire.EnumPort), request)
		for _, n := range l.neighbours() {
			n.way.SendDatagram(b[:1+size]) //nolint:errcheck // it asks again
		}
	})
}

// serve takes a request by TCP: one message on a connection. All hosts are asked at a time: one that does not answer is no matter
// to the others.
func (s *listing) serve(c *net.TCPConn) {
	c.SetDeadline(time.Now().Add(s.l.opt.times.announced)) //nolint:errcheck // it ends with the connection
	b := readRequest(c)
	c.Close()
	if !s.ask(b) {
		return
	}
	s.l.record(dpsp.TCP, addrPort(c.RemoteAddr()), here(wire.EnumPort), b)
	for _, n := range s.l.hosts() {
		s.l.group.Go(func() { n.ask(b) })
	}
}

// ask hands a request by TCP to the machine.
func (n *neighbour) ask(b []byte) {
	leave, err := n.enter()
	if err != nil {
		return
	}
	defer leave()
	s, err := n.openStream(toList)
	if err != nil {
		return
	}
	slow := time.AfterFunc(n.l.opt.times.announced, s.Reset)
	defer slow.Stop()
	stop := context.AfterFunc(n.ctx, s.Reset)
	defer stop()
	if _, err = s.Write(b); err == nil {
		err = s.CloseWrite()
	}
	if err == nil {
		_, err = io.ReadFull(s, make([]byte, 1)) // nothing is said on it but its end
	}
	if err != io.EOF {
		s.Reset()
	}
}

// request hands a machine's request by TCP to the program that has 47624.
func (n *neighbour) request(s link.Stream) {
	b := readRequest(s)
	err := n.asks(b)
	if err != nil {
		n.dropped(err)
	}
	if err != nil || !n.l.list.hosting() {
		s.Reset()
		return
	}
	defer s.CloseWrite() //nolint:errcheck // it is over
	filter.NewTranslator(n.l.translation).Datagram(b)
	c, err := n.dial(wire.EnumPort)
	if err != nil {
		n.deliver(b, true)
		return
	}
	defer c.Close()
	n.l.record(dpsp.TCP, addrPort(c.LocalAddr()), here(wire.EnumPort), b)
	c.Write(b) //nolint:errcheck // it asks again
}

// readRequest returns the message that comes, nil if it is too long for a request.
func readRequest(r io.Reader) []byte {
	s := bufio.NewScanner(r)
	s.Buffer(nil, filter.MaxRequest)
	s.Split(wire.SplitStream)
	s.Scan()
	return s.Bytes()
}

// searchGap is how long a game asks nothing that does not look for sessions any more.
const searchGap = 10 * time.Second

// ask takes a request of our game, and translates it. It reports whether it is one.
func (s *listing) ask(b []byte) bool {
	l := s.l
	if len(b) >= wire.SPHeaderSize {
		if port := binary.BigEndian.Uint16(b[6:]); l.found(port) {
			s.seconded(port)
		}
	}
	filter.NewTranslator(l.translation).Datagram(b)
	if filter.NewRequests(filter.Rule{From: l.translation().Slot, Plan: l.planNow}).Check(0, b) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.asked) > searchGap {
		l.report(Searching{})
	}
	s.asked = now
	return true
}
