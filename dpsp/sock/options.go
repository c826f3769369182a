package sock

import (
	"crypto/rand"
	"net/netip"
	"time"

	"dplay4/dpsp"
)

// Options say how a session uses the network. The zero value is right for one network card and no router in
// between.
type Options struct {
	// Bind is the local address of all sockets; zero means all of them.
	Bind netip.Addr
	// Advertise is the address that others are told, for a machine behind a router that passes ports on; zero
	// means the one that they see our packets come from.
	Advertise netip.Addr
	// StreamPort and DatagramPort are our TCP and UDP ports; zero means the first free one of 2300 to 2349 and of
	// 2350 to 2399.
	StreamPort, DatagramPort uint16
	// Config is the engine's. Its sockets are filled in here, and a seed is drawn if it is zero.
	Config dpsp.Config
	// Record, if not nil, is told every message that is sent and received.
	Record Recorder

	limits limits // zero: defaults
}

// A Recorder is told the traffic of a session as it passes the engine, one message after the other. It must not
// call the session. Data is valid during the call.
type Recorder interface {
	Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte)
}

func (o Options) withDefaults() Options {
	if !o.Bind.IsValid() {
		o.Bind = netip.IPv4Unspecified()
	}
	if !o.Advertise.IsValid() {
		o.Advertise = netip.IPv4Unspecified()
	}
	if o.Config.Seed == [32]byte{} {
		rand.Read(o.Config.Seed[:])
	}
	if o.limits == (limits{}) {
		o.limits = defaults
	}
	return o
}

// recordInput tells the recorder what came in.
func (l *loop) recordInput(in *dpsp.Input) {
	switch in.Kind {
	case dpsp.Stream:
		l.record.Packet(time.Now(), dpsp.TCP, in.From, l.local(l.stream.Addr().(interface{ AddrPort() netip.AddrPort }).AddrPort()), in.Data)
	case dpsp.Datagram:
		l.record.Packet(time.Now(), dpsp.UDP, in.From, l.local(l.udp.LocalAddr().(interface{ AddrPort() netip.AddrPort }).AddrPort()), in.Data)
	}
}

// recordOutput tells the recorder what goes out.
func (l *loop) recordOutput(s *dpsp.Outgoing) {
	from := l.stream.Addr().(interface{ AddrPort() netip.AddrPort }).AddrPort()
	if s.Transport != dpsp.TCP {
		from = l.udp.LocalAddr().(interface{ AddrPort() netip.AddrPort }).AddrPort()
	}
	l.record.Packet(time.Now(), s.Transport, l.local(from), s.To, s.Data)
}

// local gives our own socket as others see it, as far as we know.
func (l *loop) local(at netip.AddrPort) netip.AddrPort {
	ip := at.Addr().Unmap()
	if !l.opt.Advertise.IsUnspecified() {
		ip = l.opt.Advertise
	}
	return netip.AddrPortFrom(ip, at.Port())
}
