package relaying

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge/relay"
)

// Flags are the flags of "dplay bridge relay".
type Flags struct {
	Public      []string      `flag:"public" usage:"the <ADDRESS> at which players reach this machine; twice for IPv4 and IPv6"`
	Listen      []string      `flag:"listen" usage:"listen at this <ADDRESS> alone (default: that of --public if this machine has it, or all)"`
	Port        uint16        `flag:"port" usage:"the port of UDP and TCP, <PORT>; the next one tells players the kind of their NAT"`
	TLSPort     uint16        `flag:"tls-port" usage:"the port of TLS, <PORT>, or 0 for none"`
	Secret      string        `flag:"auth-secret-file" usage:"let in only who has a credential of the secret in this <FILE>"`
	Cert        string        `flag:"tls-cert" usage:"the certificate for TLS, a PEM <FILE> (default: one that is made at the start)"`
	Key         string        `flag:"tls-key" usage:"its key, a PEM <FILE>; both are read anew when they change"`
	Metrics     string        `flag:"metrics" usage:"serve metrics and health over HTTP at <ADDRESS:PORT>, such as 127.0.0.1:9478"`
	Allocations int           `flag:"max-allocations" usage:"relay for <N> machines at most; each session has one more"`
	PerAddress  int           `flag:"max-per-address" usage:"of them <N> with one address, or one network of IPv6"`
	Rate        int           `flag:"max-rate" usage:"take <KB> a second from a machine, and give as many, at most"`
	AddressRate int           `flag:"max-address-rate" usage:"take <KB> a second from all machines with one address, at most"`
	Lifetime    time.Duration `flag:"lifetime" usage:"forget a machine that is silent for this <TIME>, at most 1h"`
	Grace       time.Duration `flag:"grace" default:"10s" usage:"how long those who are there may go on when it ends, <TIME>"`
	For         flags.Span    `flag:"for" usage:"end after this time (default: never)"`
	Until       flags.Event   `flag:"until" usage:"end once this event was printed, such as relay_opened; see dplay help events"`
	Events      flags.Choice  `flag:"events" choice:"text,ndjson" usage:"print lines for people, or a JSON object a line"`
}

// NewFlags returns the defaults.
func NewFlags() *Flags {
	l := relay.DefaultLimits()
	return &Flags{Port: relay.DefaultPort, TLSPort: relay.DefaultTLSPort, Allocations: l.Allocations, PerAddress: l.PerAddress,
		Rate: l.Rate >> 10, AddressRate: l.AddressRate >> 10, Lifetime: l.Lifetime, Until: flags.NewEvent(Names()...)}
}

// Options converts the flags, and refuses values out of range.
func (f *Flags) Options() (o Options, err error) {
	o = Options{SecretFile: f.Secret, CertFile: f.Cert, KeyFile: f.Key, Metrics: f.Metrics, Grace: f.Grace, Length: f.For.Duration,
		NDJSON: f.Events.Value == "ndjson", Until: cli.NewUntil(f.Until.Name)}
	c := &o.Config
	c.Limits = relay.DefaultLimits()
	c.Limits.Allocations, c.Limits.PerAddress, c.Limits.Lifetime = f.Allocations, f.PerAddress, f.Lifetime
	c.Limits.Rate, c.Limits.AddressRate = f.Rate<<10, f.AddressRate<<10
	c.Port, c.AlternatePort, c.TLSPort = f.Port, f.Port+1, f.TLSPort
	if c.Public, err = addresses("public", f.Public); err != nil {
		return o, err
	}
	if c.Listen, err = addresses("listen", f.Listen); err != nil {
		return o, err
	}
	if len(c.Public) == 0 {
		return o, errors.New("no --public given: at which address do players reach this machine?" + Guess())
	}
	_, noAddress := netip.ParseAddrPort(f.Metrics)
	return o, cmp.Or(
		flags.Refuse(f.Port == 0 || f.Port == 1<<16-1, "--port %d: from 1 to 65534, for the next one is needed too", f.Port),
		flags.Refuse(f.TLSPort == f.Port, "--tls-port %d is the port of TCP already", f.TLSPort),
		flags.Refuse((f.Cert == "") != (f.Key == ""), "--tls-cert and --tls-key go together"),
		flags.Refuse(f.Cert != "" && f.TLSPort == 0, "--tls-cert is for TLS, and --tls-port is 0"),
		flags.Refuse(f.Allocations < 1 || f.Allocations > relay.MaxAllocations, "--max-allocations %d: from 1 to %d", f.Allocations, relay.MaxAllocations),
		flags.Refuse(f.PerAddress < 1, "--max-per-address %d: 1 at least", f.PerAddress),
		flags.Refuse(min(f.Rate, f.AddressRate) < 1 || max(f.Rate, f.AddressRate) > mostKB, "--max-rate and --max-address-rate: from 1 to %d", mostKB),
		flags.Refuse(f.Lifetime < time.Minute || f.Lifetime > time.Hour, "--lifetime %s: from 1m to 1h", f.Lifetime),
		flags.Refuse(min(f.Grace, f.For.Duration) < 0, "--grace and --for must not be negative"),
		flags.Refuse(f.Metrics != "" && noAddress != nil, "--metrics %s: want an address and a port, such as 127.0.0.1:9478", flags.Quoted(f.Metrics)),
	)
}

// mostKB bounds rates, in kilobytes a second. No network has more.
const mostKB = 1 << 20

// addresses reads the addresses of a flag.
func addresses(flag string, all []string) (list []netip.Addr, err error) {
	for _, s := range all {
		a, err := netip.ParseAddr(s)
		if _, e := netip.ParseAddrPort(s); e == nil {
			return nil, fmt.Errorf("--%s %s: want an address without a port; --port says which that is", flag, s)
		}
		if err != nil {
			return nil, fmt.Errorf("--%s %s: want an address, such as 203.0.113.5 or 2001:db8::5, not a name", flag, flags.Quoted(s))
		}
		list = append(list, a.Unmap())
	}
	return list, nil
}
