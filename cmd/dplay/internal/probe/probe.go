// Package probe finds out what this machine can about its network, and about a host from here. It changes nothing and
// joins nothing.
package probe

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// everybody is where a search for games goes.
var everybody = netip.AddrPortFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), wire.EnumPort)

// Options say what is looked for, and how.
type Options struct {
	App      wire.GUID     // the game; zero: any
	Bind     netip.Addr    // the network card that is used; invalid: all
	Password string        // of private sessions
	Text     flags.Text    // how it is written
	Timeout  time.Duration // how long to wait for answers, each way
	First    bool          // return after the first answer

	TCP, UDP wire.Ports // that the game looks for a free one among

	Session bool // the host is the bridge of this process, for a session over the internet
}

// A Probe looks around with options. Tests set its other fields, so that no clock decides what comes.
type Probe struct {
	Options
	adapters func() ([]sock.Adapter, error)
	bridge   func(context.Context) string
	within   func(context.Context, *doctor.Way, time.Duration) (context.Context, context.CancelFunc) // ends a question
	pause    func(context.Context, time.Duration) error                                              // waits for a bridge
	pings    bool                                                                                    // the host is pinged
	hasty    bool                                                                                    // a refusal ends a question
}

// New returns a probe.
func New(opt Options) *Probe {
	byTime := func(ctx context.Context, _ *doctor.Way, wait time.Duration) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, wait)
	}
	return &Probe{Options: opt, adapters: sock.Adapters, bridge: bridging.Here, within: byTime, pause: cli.Wait, pings: true}
}

// bound returns the address that sockets are bound to.
func (o *Probe) bound() netip.Addr { return cmp.Or(o.Bind, netip.IPv4Unspecified()) }

// Look examines this machine, and a host from here; "" asks everybody on the network instead.
func (o *Probe) Look(ctx context.Context, host string) (*doctor.Live, error) {
	at, err := cli.LookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	l := &doctor.Live{Host: at, App: o.App, Waited: o.Timeout, Game: gamelist.Title}
	o.lookAround(ctx, l)
	l.BroadcastBy = broadcastBy(o.Bind)
	l.Ports = o.tryPorts(ctx, l)
	if l.Host.IsValid() {
		if l.ThroughBridge() && l.Ports[0].Err == "" {
			o.pause(ctx, lull) //nolint:errcheck // that it was interrupted is seen below
		}
		o.askHost(ctx, l)
	} else {
		l.Ways = o.askAll(ctx)
		o.offeredDoors(ctx, l)
	}
	if ctx.Err() != nil {
		return nil, errors.New("interrupted")
	}
	return l, nil
}

// lull is longer than a bridge leaves port 47624 to the games of this machine after one of them had a connection.
const lull = 1500 * time.Millisecond

// lookAround finds out which adapters there are, and whether there is a bridge.
func (o *Probe) lookAround(ctx context.Context, l *doctor.Live) {
	list, err := o.adapters()
	if err != nil {
		l.Unlisted = reason(err)
	}
	l.Adapters = adaptersFor(o.Bind, list)
	l.Bridge = captures.Printable(o.bridge(ctx))
}

// askAll asks everybody on the network.
func (o *Probe) askAll(ctx context.Context) []doctor.Way {
	w := doctor.Way{Transport: captures.UDP, To: everybody}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	ask := sock.Ask{Application: o.App, Flags: cli.EnumFlags(true), Password: cli.Typed(o.Password)}
	failed := func(err error) []doctor.Way {
		w.Err, w.Fault = reason(err), fault(err)
		return []doctor.Way{w}
	}
	seeker, err := sock.Open(sock.Options{
		Bind: o.Bind, StreamPorts: o.TCP, DatagramPorts: o.UDP, Config: dpsp.Config{Text: o.Text.Encodings()},
	})
	if err != nil {
		return failed(err)
	}
	defer seeker.Close()
	for s, err := range seeker.Enumerate(ctx, ask) {
		if err != nil {
			return failed(err)
		}
		same := func(o doctor.LiveOffer) bool { return o.Host == s.Host && o.Instance == s.Desc.Instance }
		if len(w.Offers) < cli.MaxFound && !slices.ContainsFunc(w.Offers, same) {
			w.Offers = append(w.Offers, doctor.LiveOffer{Host: s.Host, From: s.From, App: s.Desc.Application, Instance: s.Desc.Instance, Name: s.Name,
				Flags: s.Desc.Flags, Players: s.Desc.CurrentPlayers, Max: s.Desc.MaxPlayers,
				Transport: captures.TCP})
		}
		if o.First {
			break
		}
	}
	return []doctor.Way{w}
}

// tryPorts takes the ports that a host and a joiner need, for a moment each.
func (o *Probe) tryPorts(ctx context.Context, l *doctor.Live) []doctor.Port {
	bind := o.bound()
	list := []doctor.Port{tryPort(captures.UDP, bind, wire.EnumPort), tryPort(captures.TCP, bind, wire.EnumPort)}
	hosts := ""
	if cmp.Or(list[0].Err, list[1].Err) != "" && (l.Bridge == "" || list[0].Holder != l.Bridge) {
		hosts = o.hostedHere(ctx, l.Adapters)
	}
	list = slices.Concat(list, tryRange(captures.TCP, bind, o.TCP), tryRange(captures.UDP, bind, o.UDP))
	for i := range list {
		p := &list[i]
		if i < 2 && p.Err != "" {
			p.Hosts = hosts
		}
		p.Bridge = l.Bridge != "" && p.Err != "" && cmp.Or(p.Holder, l.Bridge) == l.Bridge
	}
	return list
}

// tryRange takes the ports of a range until one is free.
func tryRange(t captures.Transport, bind netip.Addr, ports wire.Ports) (list []doctor.Port) {
	for n := int(ports.First); n <= int(ports.Last); n++ {
		p := tryPort(t, bind, uint16(n))
		if list = append(list, p); p.Err == "" {
			break
		}
	}
	return list
}

// tryPort takes a port and leaves it.
func tryPort(t captures.Transport, bind netip.Addr, n uint16) doctor.Port {
	c, err := open(t, netip.AddrPortFrom(bind, n))
	if err == nil {
		c.Close()
		return doctor.Port{Transport: t, Number: n}
	}
	held := sock.Holders(strings.ToUpper(t.String()), bind, wire.Ports{First: n, Last: n})
	return doctor.Port{Transport: t, Number: n, Err: reason(err), Holder: captures.Printable(strings.Join(held, ", "))}
}

// open opens a socket at a port.
func open(t captures.Transport, at netip.AddrPort) (io.Closer, error) {
	if t == captures.UDP {
		return sock.OpenDatagrams(at)
	}
	return net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
}

// hostedHere returns the name of a session that whoever has this machine's port 47624 hosts, "" if nobody answers. A host
// may have the port at one of the machine's addresses only.
func (o *Probe) hostedHere(ctx context.Context, own []doctor.Adapter) string {
	if o.Bind.IsValid() {
		return o.hostedBy(ctx, o.Bind, min(o.Timeout, holderTime))
	}
	at := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	for _, a := range own {
		for _, p := range a.Addrs {
			if p.Addr().Is4() && !slices.Contains(at, p.Addr()) {
				at = append(at, p.Addr())
			}
		}
	}
	for _, a := range at[:min(len(at), maxOwnAsked)] {
		if name := o.hostedBy(ctx, a, cli.Others); name != "" {
			return name
		}
	}
	return ""
}

// holderTime is how long the program that holds port 47624 at the address of Bind has for its answer.
const holderTime = 2 * time.Second

// maxOwnAsked is how many addresses of this machine are asked, each for a moment.
const maxOwnAsked = 8

// adaptersFor returns those of a list that have addresses, or the one with an address in its network.
func adaptersFor(bind netip.Addr, list []sock.Adapter) (all []doctor.Adapter) {
	for _, a := range list {
		here := !bind.IsValid() || slices.ContainsFunc(a.Addrs, func(p netip.Prefix) bool { return p.Contains(bind) })
		if here && len(a.Addrs) > 0 {
			all = append(all, doctor.Adapter{Name: a.Name, Addrs: a.Addrs, Loopback: a.Loopback})
		}
	}
	return all
}

// broadcastBy asks the system for the source address of broadcasts. Connecting a UDP socket sends nothing.
func broadcastBy(bind netip.Addr) netip.Addr {
	if bind.IsValid() {
		return bind
	}
	c, err := sock.DialDatagrams(netip.Addr{}, everybody)
	if err != nil {
		return netip.Addr{}
	}
	defer c.Close()
	at, _ := c.LocalAddr().(*net.UDPAddr)
	return at.AddrPort().Addr().Unmap()
}

// reason returns what the system says of an error, without what the program did, which the report tells.
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

// faults are the errors of systems that say something about who is asked. The numbers above 10000 are Windows' own, which no other
// system has.
var faults = map[syscall.Errno]doctor.Fault{
	syscall.ECONNREFUSED: doctor.Refused, 10061: doctor.Refused, 10054: doctor.Refused, // WSAECONNREFUSED, WSAECONNRESET
	syscall.ENETUNREACH: doctor.Unreachable, syscall.EHOSTUNREACH: doctor.Unreachable, syscall.ENETDOWN: doctor.Unreachable,
	syscall.EHOSTDOWN: doctor.Unreachable, 10051: doctor.Unreachable, 10065: doctor.Unreachable, // WSAENETUNREACH, WSAEHOSTUNREACH
	syscall.EPERM: doctor.Forbidden, 10013: doctor.Forbidden, // WSAEACCES
}

// fault returns what an error means for a question.
func fault(err error) doctor.Fault {
	var code syscall.Errno
	errors.As(err, &code)
	return faults[code]
}
