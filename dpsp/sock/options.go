package sock

import (
	"cmp"
	"crypto/rand"
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// Options say how a session uses the network. The zero value is right for one network card and no router in
// between.
type Options struct {
	// Bind is the local address of all sockets; zero means all of them. A host that is bound to one hears what is
	// broadcast on its network on Linux and Windows; elsewhere it has to be asked at its address.
	Bind netip.Addr
	// Advertise is the address that others are told, for a machine behind a router that passes ports on; zero
	// means the one that they see our packets come from.
	Advertise netip.Addr
	// StreamPorts and DatagramPorts are the ranges whose first free TCP and UDP port is ours; zero means wire.StreamPorts and
	// wire.DatagramPorts. A game may have others (games.Game), such as one number for both. If all are taken, the error of
	// Open says by whom, as far as the system tells.
	StreamPorts, DatagramPorts wire.Ports
	// Config is the engine's. Its sockets are filled in here, and a seed is drawn if it is zero.
	Config dpsp.Config
	// Record, if not nil, is told every message that is sent and received.
	Record Recorder
	// Network has the sockets of the session; nil means those of the system. It has to be comparable. Package socktest has one in
	// memory, for tests.
	Network Network

	limits limits // zero: defaults
}

// A Recorder is told the traffic of a session, one message after the other: what comes when the engine gets it, what
// goes when it is handed to the system, so that what never got a connection is not told. It must not call the session.
// The sockets are those in use; the address of ours is 0.0.0.0 for datagrams where none is bound. A directed
// enumeration is told as dpsp.Ask. Data is valid during the call.
type Recorder interface {
	Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte)
}

func (o Options) withDefaults() Options {
	o.Bind = cmp.Or(o.Bind, netip.IPv4Unspecified())
	o.Advertise = cmp.Or(o.Advertise, netip.IPv4Unspecified())
	switch o.Network.(type) {
	case nil, network.System: // which lacks the broadcasts and the processes that package sock adds
		o.Network = system{}
	}
	o.StreamPorts = cmp.Or(o.StreamPorts, wire.StreamPorts)
	o.DatagramPorts = cmp.Or(o.DatagramPorts, wire.DatagramPorts)
	if o.Config.Seed == [32]byte{} {
		rand.Read(o.Config.Seed[:])
	}
	o.limits = cmp.Or(o.limits, defaults)
	return o
}

// recorded tells the recorder, if there is one, of a message. from and to are the sockets that it goes between.
func (l *loop) recorded(t dpsp.Transport, from, to netip.AddrPort, data []byte) {
	if l.record == nil {
		return
	}
	l.recMu.Lock()
	defer l.recMu.Unlock()
	l.record.Packet(time.Now(), t, from, to, data)
}
