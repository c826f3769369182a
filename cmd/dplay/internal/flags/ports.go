package flags

import (
	"cmp"

	"github.com/spf13/cobra"

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

// Listening is where a machine listens.
type Listening struct{ TCP, UDP Ports }

// RegisterTCP makes --tcp a flag of a command that waits for answers to a search only.
func (f *Listening) RegisterTCP(cmd *cobra.Command) {
	cmd.Flags().Var(&f.TCP, "tcp", "take answers at the first free TCP port of this, a port or FROM-TO"+usual(wire.StreamPorts))
	NoFiles(cmd, "tcp")
}

// usual says what counts if nothing is given.
func usual(p wire.Ports) string { return " (default: the game's, or " + p.String() + ")" }

// Register makes it the flags --tcp and --udp of a command. before stands in front of what help says of them.
func (f *Listening) Register(cmd *cobra.Command, before string) {
	set := cmd.Flags()
	set.Var(&f.TCP, "tcp", before+"listen on the first free TCP port of this, a port or FROM-TO"+usual(wire.StreamPorts))
	set.Var(&f.UDP, "udp", before+"likewise UDP; it may be the same port"+usual(wire.DatagramPorts))
	NoFiles(cmd, "tcp", "udp")
}

// Of returns where a machine listens that plays a game, which may be zero: what was given, else what the game is known to use.
func (f *Listening) Of(app wire.GUID) (tcp, udp wire.Ports) {
	g, _ := gamelist.Games().ByGUID(app)
	return cmp.Or(f.TCP.Ports, g.StreamPorts, wire.StreamPorts), cmp.Or(f.UDP.Ports, g.DatagramPorts, wire.DatagramPorts)
}
