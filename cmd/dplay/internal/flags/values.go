package flags

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/wire"
)

// A Bool is true or false, and remembers whether it was given.
type Bool struct{ Value, Given bool }

// String returns the value.
func (b *Bool) String() string { return strconv.FormatBool(b.Value) }

// Set takes a value.
func (b *Bool) Set(s string) (err error) {
	b.Value, err = strconv.ParseBool(s)
	b.Given = true
	return err
}

// Type returns the type of flags that need no value.
func (b *Bool) Type() string { return "bool" }

// IsBoolFlag has package pflag take it for one.
func (b *Bool) IsBoolFlag() bool { return true }

// A Span is a duration that may have days, such as 7d or 1d12h; zero if none was given.
type Span struct {
	time.Duration
	typed string
}

// String returns the span as it was typed.
func (s *Span) String() string { return s.typed }

// Set takes a duration.
func (s *Span) Set(text string) error {
	hours := text
	if days, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return errSpan
		}
		hours = fmt.Sprintf("%dh%s", 24*n, rest)
	}
	length, err := time.ParseDuration(hours)
	if err != nil {
		return errSpan
	}
	s.Duration, s.typed = length, text
	return nil
}

var errSpan = errors.New("it takes a time with its unit, such as 90s, 24h or 7d")

// Type returns what help shows for the value.
func (s *Span) Type() string { return "TIME" }

// An Address is an IPv4 address; invalid if none was given.
type Address struct{ netip.Addr }

// String returns the address.
func (a *Address) String() string {
	text, _ := a.MarshalText() // an Addr always has one: none if it is invalid
	return string(text)
}

// Set takes an address.
func (a *Address) Set(s string) error {
	ip, _ := netip.ParseAddr(s) // the zero Addr beside an error
	if !ip.Is4() {
		return errors.New("must be an IPv4 address, such as 192.0.2.1: DirectPlay 4 knows no others")
	}
	a.Addr = ip
	return nil
}

// Type returns what help shows for the value.
func (a *Address) Type() string { return "ADDRESS" }

// A PortList is ports with commas between; repeated flags add up.
type PortList []uint16

// String returns nothing: help shows no default.
func (l *PortList) String() string { return "" }

// Set takes ports.
func (l *PortList) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		port, err := strconv.ParseUint(strings.TrimSpace(word), 10, 16)
		if errors.Is(err, strconv.ErrSyntax) {
			return errors.New("it takes whole numbers from 0 with commas between, such as 2300,47624")
		}
		if err != nil || port == 0 {
			return errors.New("ports go from 1 to 65535")
		}
		*l = append(*l, uint16(port))
	}
	return nil
}

// Type returns what help shows for the value.
func (l *PortList) Type() string { return "PORT" }

// A Ports is a range of ports, or one; zero if none was given.
type Ports struct{ wire.Ports }

// String returns the range.
func (p *Ports) String() string { return cli.Written(p.Ports) }

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
