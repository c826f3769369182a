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
	// Legacy has us do without the extension of package dpsp, which other implementations ignore.
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
	// Neighbours are the other objects of the process, if they are to know at once what this one does.
	Neighbours *Neighbours
	// Resolve finds the addresses of a host name; nil means that only addresses in digits are understood.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// sockets returns the options of the sockets that the configuration asks for.
func (c *Config) sockets() sock.Options {
	o := sock.Options{Bind: c.Bind, Advertise: c.Advertise, StreamPorts: c.StreamPorts, DatagramPorts: c.DatagramPorts,
		Record: c.Record, Config: dpsp.Config{Period: c.Period, Probes: c.Probes, Legacy: c.Legacy}}
	if c.EightBit {
		o.Config.Text = map[wire.GUID]wire.Encoding{{}: wire.EightBit}
	}
	return o
}
