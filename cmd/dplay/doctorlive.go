package main

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// The ports that games look for a free one among, as Windows does.
const (
	gameTCPFirst, gameTCPLast = 2300, 2349 // TCP
	gameUDPFirst, gameUDPLast = 2350, 2399
)

// everybody is where a search for games goes.
var everybody = netip.AddrPortFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), dpsp.EnumPort)

// examineLive finds out what it can about this machine, and about a host from here.
func (f *doctorFlags) examineLive(ctx context.Context, host string) error {
	hosts, err := lookUp(ctx, host)
	if err != nil {
		return err
	}
	l := &doctor.Live{App: f.app.guid, Waited: f.timeout, Game: gameTitle}
	if l.Adapters, err = adapters(f.bind.Addr); err != nil {
		return err
	}
	l.BroadcastBy = broadcastBy(f.bind.Addr)
	l.Ports = f.tryPorts(ctx, l.Adapters)
	if len(hosts) > 0 {
		l.Host = hosts[0]
		l.Ways = f.askHost(ctx, l.Host)
	} else {
		l.Ways = f.askAll(ctx)
	}
	if err := ctx.Err(); err != nil {
		return errors.New("interrupted")
	}
	r := doctor.ExamineLive(l)
	out := newOutput(f.std.out)
	f.print(out, r)
	if err := f.written(out); err != nil {
		return err
	}
	return f.outcome(false, !r.Healthy())
}

// askHost asks a host by UDP, then over TCP, each for answers at a port of its own, so that it is clear what is
// answered. If it has no session of the game that is wanted, it is asked for any.
func (f *doctorFlags) askHost(ctx context.Context, host netip.Addr) []doctor.Way {
	at := netip.AddrPortFrom(host, dpsp.EnumPort)
	list := []doctor.Way{{Transport: captures.UDP, To: at}, {Transport: captures.TCP, To: at}}
	port := uint16(gameTCPFirst)
	answered := false
	for i := range list {
		port = f.askWay(ctx, &list[i], f.app.guid, port)
		answered = answered || len(list[i].Offers) > 0
	}
	if !answered && !f.app.guid.IsZero() {
		w := doctor.Way{Transport: captures.UDP, To: at, Any: true}
		f.askWay(ctx, &w, wire.GUID{}, port)
		list = append(list, w)
	}
	return list
}

// askWay asks a host in one way, for answers at the first free port from one on, and gives the port after it.
func (f *doctorFlags) askWay(ctx context.Context, w *doctor.Way, app wire.GUID, port uint16) (next uint16) {
	q, err := newQuestion(f.bind.Addr, port)
	if err != nil {
		w.Err = reason(err)
		return port
	}
	defer q.close()
	q.app, q.password, q.flags = app, f.password, enumFlags(true)
	if w.Offers, err = q.ask(ctx, w.Transport, w.To, f.timeout); err != nil {
		w.Err, w.Fault = reason(err), fault(err)
	}
	return q.port() + 1
}

// askAll asks everybody on the network.
func (f *doctorFlags) askAll(ctx context.Context) []doctor.Way {
	w := doctor.Way{Transport: captures.UDP, To: everybody}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	ask := sock.Ask{Application: f.app.guid, Flags: enumFlags(true), Password: f.password}
	type session struct {
		host     netip.AddrPort
		instance wire.GUID
	}
	known := map[session]bool{}
	err := sock.Enumerate(ctx, sock.Options{Bind: f.bind.Addr}, ask, func(s sock.Found) {
		k := session{s.Host, s.Desc.Instance}
		if !known[k] && len(known) < maxFound {
			known[k] = true
			w.Offers = append(w.Offers, doctor.LiveOffer{Host: s.Host, App: s.Desc.Application, Instance: s.Desc.Instance, Name: s.Name,
				Flags: s.Desc.Flags, Players: s.Desc.CurrentPlayers, Max: s.Desc.MaxPlayers})
		}
	})
	if err != nil {
		w.Err, w.Fault = reason(err), fault(err)
	}
	return []doctor.Way{w}
}

// tryPorts takes the ports that a host and a joiner need, for a moment each.
func (f *doctorFlags) tryPorts(ctx context.Context, own []doctor.Adapter) []doctor.Port {
	var list []doctor.Port
	bind := f.bind.Addr
	if !bind.IsValid() {
		bind = netip.IPv4Unspecified()
	}
	udp, tcp := tryPort(captures.UDP, bind, dpsp.EnumPort), tryPort(captures.TCP, bind, dpsp.EnumPort)
	if udp.Err != "" || tcp.Err != "" {
		name := f.hostedHere(ctx, own)
		if udp.Err != "" {
			udp.Hosts = name
		}
		if tcp.Err != "" {
			tcp.Hosts = name
		}
	}
	list = append(list, udp, tcp)
	for n := gameTCPFirst; n <= gameTCPLast; n++ {
		list = append(list, tryPort(captures.TCP, bind, uint16(n)))
		if list[len(list)-1].Err == "" {
			break
		}
	}
	for n := gameUDPFirst; n <= gameUDPLast; n++ {
		list = append(list, tryPort(captures.UDP, bind, uint16(n)))
		if list[len(list)-1].Err == "" {
			break
		}
	}
	return list
}

// tryPort takes a port and leaves it.
func tryPort(t captures.Transport, bind netip.Addr, n uint16) doctor.Port {
	p := doctor.Port{Transport: t, Number: n}
	at := netip.AddrPortFrom(bind, n)
	var err error
	if t == captures.UDP {
		var c *net.UDPConn
		if c, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at)); err == nil {
			c.Close()
		}
	} else {
		var c *net.TCPListener
		if c, err = net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at)); err == nil {
			c.Close()
		}
	}
	if err != nil {
		p.Err = reason(err)
		p.Holder = portHolder(t.String(), n)
	}
	return p
}

// hostedHere gives the name of a session that whoever has this machine's port 47624 hosts, "" if nobody answers. A host
// may have the port at one of the machine's addresses only.
func (f *doctorFlags) hostedHere(ctx context.Context, own []doctor.Adapter) string {
	if f.bind.Addr.IsValid() {
		return f.hostedBy(ctx, f.bind.Addr)
	}
	at := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	for _, a := range own {
		for _, p := range a.Addrs {
			if p.Addr().Is4() && !slices.Contains(at, p.Addr()) && len(at) < maxOwnAsked {
				at = append(at, p.Addr())
			}
		}
	}
	for _, a := range at {
		if name := f.hostedBy(ctx, a); name != "" {
			return name
		}
	}
	return ""
}

// maxOwnAsked is how many addresses of this machine are asked, each for a moment.
const maxOwnAsked = 8

// hostedBy gives the name of a session that is hosted at an address of this machine, "" if nobody answers there.
func (f *doctorFlags) hostedBy(ctx context.Context, at netip.Addr) string {
	q, err := newQuestion(f.bind.Addr, gameTCPFirst)
	if err != nil {
		return ""
	}
	defer q.close()
	q.flags = enumFlags(true)
	offers, _ := q.ask(ctx, captures.UDP, netip.AddrPortFrom(at, dpsp.EnumPort), others)
	for _, o := range offers {
		return cmp.Or(o.Name, "a session without a name")
	}
	return ""
}

// adapters lists the network adapters that are up, or the one with an address.
func adapters(bind netip.Addr) ([]doctor.Adapter, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var list []doctor.Adapter
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		a := doctor.Adapter{Name: i.Name, Loopback: i.Flags&net.FlagLoopback != 0}
		addrs, err := i.Addrs()
		if err != nil {
			continue // it went away
		}
		here := !bind.IsValid()
		for _, x := range addrs {
			if p, err := netip.ParsePrefix(x.String()); err == nil {
				a.Addrs = append(a.Addrs, p)
				here = here || p.Contains(bind)
			}
		}
		if here && len(a.Addrs) > 0 {
			list = append(list, a)
		}
	}
	return list, nil
}

// broadcastBy asks the system for the source address of broadcasts. Connecting a UDP socket sends nothing.
func broadcastBy(bind netip.Addr) netip.Addr {
	if bind.IsValid() {
		return bind
	}
	c, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(everybody))
	if err != nil {
		return netip.Addr{}
	}
	defer c.Close()
	at, _ := c.LocalAddr().(*net.UDPAddr)
	return at.AddrPort().Addr().Unmap()
}

// reason gives what the system says of an error, without what the program did, which the report tells.
func reason(err error) string {
	var code syscall.Errno
	switch {
	case errors.As(err, &code):
		return code.Error()
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "no answer within the time"
	}
	return err.Error()
}

// fault says what an error means for a question. The numbers are Windows' own, which no other system has.
func fault(err error) doctor.Fault {
	const (
		wsaNetUnreachable, wsaReset, wsaRefused, wsaHostUnreachable syscall.Errno = 10051, 10054, 10061, 10065
	)
	var code syscall.Errno
	if !errors.As(err, &code) {
		return doctor.NoFault
	}
	switch code {
	case syscall.ECONNREFUSED, wsaRefused, wsaReset:
		return doctor.Refused
	case syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN, wsaNetUnreachable, wsaHostUnreachable:
		return doctor.Unreachable
	}
	return doctor.NoFault
}
