package flags

import (
	"cmp"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/wire"
)

// A Ports is a range of ports, or one; zero if none was given.
type Ports struct{ wire.Ports }

// String returns the range.
func (p *Ports) String() string {
	if p.Ports == (wire.Ports{}) {
		return ""
	}
	return p.Ports.String()
}

// Set takes a port or FROM-TO.
func (p *Ports) Set(s string) error {
	got, err := cli.ParsePorts(s)
	if err == nil {
		p.Ports = got
	}
	return err
}

// Type returns what help shows for the value.
func (p *Ports) Type() string { return "RANGE" }

// Listening is where a machine listens: the flags --tcp and --udp.
type Listening struct {
	TCP Ports `flag:"tcp" usage:"listen on the first free TCP port of this, a port or FROM-TO (default: the game's, or 2300-2349)"`
	UDP Ports `flag:"udp" usage:"likewise UDP; it may be the same port (default: the game's, or 2350-2399)"`
}

// Of returns where a machine listens that plays a game, which may be zero: what was given, else what the game is known to use.
func (f *Listening) Of(app wire.GUID) (tcp, udp wire.Ports) {
	g, _ := gamelist.Games().ByGUID(app)
	return cmp.Or(f.TCP.Ports, g.StreamPorts, wire.StreamPorts), cmp.Or(f.UDP.Ports, g.DatagramPorts, wire.DatagramPorts)
}
