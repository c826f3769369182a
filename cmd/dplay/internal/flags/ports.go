package flags

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/dpsp/games"
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
	if s == "" {
		return errors.New("is empty: want a port or FROM-TO, such as 2300-2349")
	}
	from, to, isRange := strings.Cut(s, "-")
	first, err := port(from)
	if err != nil {
		return err
	}
	last := first
	if isRange {
		if last, err = port(to); err != nil {
			return err
		}
	}
	if last < first {
		return fmt.Errorf("goes backwards: want %d-%d", last, first)
	}
	p.Ports = wire.Ports{First: first, Last: last}
	return nil
}

// Type returns what help shows for the value.
func (p *Ports) Type() string { return "RANGE" }

// port reads the number of a port.
func port(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n == 0:
		return 0, fmt.Errorf("%s is no port: they go from 1 to 65535", s)
	case err != nil:
		return 0, fmt.Errorf("%q is no number: want a port or FROM-TO, such as 2300-2349", s)
	}
	return uint16(n), nil
}

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
	g, _ := games.ByGUID(app)
	return cmp.Or(f.TCP.Ports, g.StreamPorts, wire.StreamPorts), cmp.Or(f.UDP.Ports, g.DatagramPorts, wire.DatagramPorts)
}
