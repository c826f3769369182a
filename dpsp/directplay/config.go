package directplay

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A Config is what a player may set without the game. The zero Config is right for a game on a local network.
type Config struct {
	// Address is where sessions are searched for if the game gives no address, or an empty one: what Microsoft's provider asks
	// in a dialog. It is a host name or address; "" searches the local network.
	Address string
	// Bind, Advertise, StreamPorts and DatagramPorts are those of package sock.
	Bind, Advertise            netip.Addr
	StreamPorts, DatagramPorts wire.Ports
	// Period and Probes say when a silent machine is lost, as in dpsp.Config.
	Period time.Duration
	Probes int
	// Legacy has us do without the extension of package dpsp, which only our own machines are sent anyway.
	Legacy bool
	// EightBit writes names and passwords with 8 bits, for games that do so.
	EightBit bool
	// Log is told what happens, if it is not nil.
	Log *slog.Logger
	// Record is told the traffic, if it is not nil.
	Record sock.Recorder
}

// Options say what an Object has to work with.
type Options struct {
	Config Config
	// Sink keeps what waits for Receive; nil means a Queue, which [Object.Receive] reads.
	Sink Sink
	// Network has the sockets; nil means those of the system.
	Network sock.Network
	// Neighbours are the other objects of the process, if they are to know at once what this one does.
	Neighbours *Neighbours
	// Resolve finds the addresses of a host name; nil means that only addresses in digits are understood.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	adapters func() ([]sock.Adapter, error) // nil: those of the system
}

// portsFrom is how many ports from the one that a game's address names are tried, as many as the usual ranges have.
const portsFrom = 50

// portRange returns the ports for an address that names one, zero for none: dplobby.h says that TCP and UDP sockets are made with
// it. That the next one is taken if it is not free is guessed: two games of one machine may have the same address. The port of
// hosts is not for that.
func portRange(port uint16) wire.Ports {
	last := min(uint32(port)+portsFrom-1, 0xFFFF)
	if port <= wire.EnumPort && last >= wire.EnumPort {
		last = wire.EnumPort - 1
	}
	if port == 0 || last < uint32(port) {
		return wire.Ports{}
	}
	return wire.Ports{First: port, Last: uint16(last)}
}

// sockets returns the options of the sockets that the configuration asks for, and else the port in the game's address.
func (c *Config) sockets(port uint16) sock.Options {
	o := sock.Options{Bind: c.Bind, Advertise: c.Advertise, StreamPorts: c.StreamPorts, DatagramPorts: c.DatagramPorts,
		Record: c.Record, Config: dpsp.Config{Period: c.Period, Probes: c.Probes, Legacy: c.Legacy}}
	if ports := portRange(port); c.StreamPorts == (wire.Ports{}) && c.DatagramPorts == (wire.Ports{}) {
		o.StreamPorts, o.DatagramPorts = ports, ports
	}
	// As Windows does: texts are UTF-16, whatever their octets look like. Games that give 8-bit text to a wide interface get the
	// same octets back, and a name of ideographs is not taken for 8-bit text.
	o.Config.Text = map[wire.GUID]wire.Encoding{{}: wire.OnlyUTF16}
	if c.EightBit {
		o.Config.Text = map[wire.GUID]wire.Encoding{{}: wire.EightBit}
	}
	return o
}
