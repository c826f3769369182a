package main

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/relaying"
	"dplay4/dpsp/bridge/relay"
)

const bridgeRelayLong = `Run a relay: the machine at which the bridges of players find each other, and through which they talk
where their routers let nothing else through. It needs a public address, UDP and TCP port 3478, and better also UDP 3479 and TCP 5349. It is
a TURN server that relays between its own users alone, so nobody can aim it at others. "dplay help relay" says how to run one in
five minutes, "dplay help community" how to run many.

Without --auth-secret-file everybody may use it. With it, players need a name and a password that "dplay bridge credential" makes.

SIGTERM and Ctrl-C end it in good order: nobody new is let in, and it ends when all have left, or after --grace. Twice, and it
ends at once.

--events ndjson prints one JSON object an event, and --until EVENT ends the relay once that event was printed; "dplay help events"
describes them. --metrics serves /metrics for Prometheus, and
/healthz, to everybody who reaches its address: 127.0.0.1 is for this machine alone, other addresses give a warning.

Exit status: 0 it ended as told, 1 it could not listen, something failed, or it ended before the event of --until, 2 wrong usage.`

const bridgeRelayExamples = `  dplay bridge relay --public 203.0.113.5
  dplay bridge relay --public 203.0.113.5 --public 2001:db8::5 --metrics 127.0.0.1:9478
  dplay bridge relay --public 203.0.113.5 --auth-secret-file secret.txt --tls-cert tls.crt --tls-key tls.key`

// relayFlags are the flags of "dplay bridge relay".
type relayFlags struct {
	relaying.Options
	public, listen []string
	rate, all      int // octets a second, in kilobytes
	length         flags.Span
	until          flags.Event
	events         flags.Choice
}

func newBridgeRelay(std cli.Streams) *cobra.Command {
	f := &relayFlags{events: flags.NewChoice("text", "ndjson")}
	f.Config.Limits = relay.DefaultLimits()
	cmd := &cobra.Command{
		Use:                   "relay [flags] --public ADDRESS",
		Short:                 "Run a relay for players",
		Long:                  bridgeRelayLong,
		Example:               bridgeRelayExamples,
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			f.Until, f.NDJSON = cli.NewUntil(f.until.Name), f.events.Value == "ndjson"
			return std.Told(relaying.Run(cmd.Context(), std, f.Options))
		},
	}
	f.register(cmd)
	return cmd
}

func (f *relayFlags) register(cmd *cobra.Command) {
	set, l := cmd.Flags(), &f.Config.Limits
	set.SortFlags = false
	set.StringArrayVar(&f.public, "public", nil, "the `ADDRESS` at which players reach this machine; twice for IPv4 and IPv6")
	set.StringArrayVar(&f.listen, "listen", nil,
		"listen at this `ADDRESS` alone (default: that of --public if this machine has it, or all)")
	set.Uint16Var(&f.Config.Port, "port", relay.DefaultPort,
		"the port of UDP and TCP, `PORT`; the next one tells players the kind of their NAT")
	set.Uint16Var(&f.Config.TLSPort, "tls-port", relay.DefaultTLSPort, "the port of TLS, `PORT`, or 0 for none")
	set.StringVar(&f.SecretFile, "auth-secret-file", "", "let in only who has a credential of the secret in this `FILE`")
	set.StringVar(&f.CertFile, "tls-cert", "", "the certificate for TLS, a PEM `FILE` (default: one that is made at the start)")
	set.StringVar(&f.KeyFile, "tls-key", "", "its key, a PEM `FILE`; both are read anew when they change")
	set.StringVar(&f.Metrics, "metrics", "", "serve metrics and health over HTTP at `ADDRESS:PORT`, such as 127.0.0.1:9478")
	set.IntVar(&l.Allocations, "max-allocations", l.Allocations, "relay for `N` machines at most; each session has one more")
	set.IntVar(&l.PerAddress, "max-per-address", l.PerAddress, "of them `N` with one address, or one network of IPv6")
	set.IntVar(&f.rate, "max-rate", l.Rate>>10, "take `KB` a second from a machine, and give as many, at most")
	set.IntVar(&f.all, "max-address-rate", l.AddressRate>>10, "take `KB` a second from all machines with one address, at most")
	set.DurationVar(&l.Lifetime, "lifetime", l.Lifetime, "forget a machine that is silent for this `TIME`, at most 1h")
	set.DurationVar(&f.Grace, "grace", 10*time.Second, "how long those who are there may go on when it ends, `TIME`")
	set.Var(&f.length, "for", "end after this time (default: never)")
	f.until.AddTo(cmd, "end once this event was printed, such as relay_opened; see dplay help events", relaying.Names()...)
	f.events.AddTo(cmd, "events", "print lines for people, or a JSON object a line")
	flags.NoFiles(cmd, "public", "listen", "port", "tls-port", "metrics", "max-allocations", "max-per-address", "max-rate",
		"max-address-rate", "lifetime", "grace", "for")
}

// check reads what the flags say.
func (f *relayFlags) check() (err error) {
	c := &f.Config
	if c.Public, err = addresses("public", f.public); err != nil {
		return err
	}
	if c.Listen, err = addresses("listen", f.listen); err != nil {
		return err
	}
	switch l := c.Limits; {
	case len(c.Public) == 0:
		return errors.New("no --public given: at which address do players reach this machine?" + relaying.Guess())
	case c.Port == 0 || c.Port == 1<<16-1:
		return fmt.Errorf("--port %d: from 1 to 65534, for the next one is needed too", c.Port)
	case c.TLSPort == c.Port:
		return fmt.Errorf("--tls-port %d is the port of TCP already", c.TLSPort)
	case (f.CertFile == "") != (f.KeyFile == ""):
		return errors.New("--tls-cert and --tls-key go together")
	case f.CertFile != "" && c.TLSPort == 0:
		return errors.New("--tls-cert is for TLS, and --tls-port is 0")
	case l.Allocations < 1 || l.Allocations > relay.MaxAllocations:
		return fmt.Errorf("--max-allocations %d: from 1 to %d", l.Allocations, relay.MaxAllocations)
	case l.PerAddress < 1:
		return fmt.Errorf("--max-per-address %d: 1 at least", l.PerAddress)
	case f.rate < 1 || f.all < 1 || f.rate > mostKB || f.all > mostKB:
		return fmt.Errorf("--max-rate and --max-address-rate: from 1 to %d", mostKB)
	case l.Lifetime < time.Minute || l.Lifetime > time.Hour:
		return fmt.Errorf("--lifetime %s: from 1m to 1h", l.Lifetime)
	case f.Grace < 0 || f.length.Duration < 0:
		return errors.New("--grace and --for must not be negative")
	}
	f.Length = f.length.Duration
	c.Limits.Rate, c.Limits.AddressRate = f.rate<<10, f.all<<10
	c.AlternatePort = c.Port + 1
	if f.Metrics != "" {
		if _, err := netip.ParseAddrPort(f.Metrics); err != nil {
			return fmt.Errorf("--metrics %s: want an address and a port, such as 127.0.0.1:9478", flags.Quoted(f.Metrics))
		}
	}
	return nil
}

// mostKB is more than any network has, in kilobytes a second.
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
