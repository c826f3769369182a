package bridging

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
)

// Relays is the flag --relay of who shares a session.
type Relays struct {
	Relay []string `flag:"relay" usage:"the relay through which the machines find each other, <ADDRESS>, or NAME:PORT, or USER:PASSWORD@NAME; up to three. bridge.toml keeps a password out of the command line"`
}

// NoRelays is --relay where it is refused, because the code names the relays.
type NoRelays struct {
	Relay []string `flag:"relay" hidden:"true"`
}

// Refused returns the error if --relay was given.
func (f *NoRelays) Refused() error {
	if len(f.Relay) > 0 {
		return errors.New("the code names the relays: --relay is for who shares the session")
	}
	return nil
}

// ForceRelay is the flag --force-relay.
type ForceRelay struct {
	flags.Bool `flag:"force-relay" usage:"send everything through the relay: the others do not see our address"`
}

// Name is the flag --name.
type Name struct {
	Name string `flag:"name" usage:"what the others call this machine, <NAME> (default: its own)"`
}

// A Line is what the command line says of a bridged session.
type Line struct {
	Relays     []string
	Name       string
	ForceRelay flags.Bool
	Ask        flags.Bool
	From       string // the file that the relays are of, if the command line has none
}

// Options returns the options of the bridge, from the command line and bridge.toml. With share they have the relays.
func (f *Line) Options(std cli.Streams, share bool) (bridge.Options, error) {
	config, err := ReadConfig()
	switch {
	case err == nil:
	case share && len(f.Relays) == 0:
		return bridge.Options{}, std.Told(err)
	case !f.ForceRelay.Given: // or an address is shown that the file hides
		return bridge.Options{}, std.Told(fmt.Errorf("%w\nto go on without the file say --force-relay, or --force-relay=false", err))
	default:
		std.Tell(cli.Plain(err) + "; the file was left out")
		config = &Config{}
	}
	name := cmp.Or(f.Name, config.Name)
	if clean := bridge.CleanName(name); clean != name {
		std.Tell(fmt.Sprintf("the others see the name %q: one has 32 letters at most, and only such as can be shown", clean))
	}
	host, _ := os.Hostname() // without one it is a number
	o := bridge.Options{Name: cmp.Or(name, host), Ask: given(f.Ask, config.Ask), ForceRelay: given(f.ForceRelay, config.ForceRelay)}
	if !share {
		return o, nil
	}
	o.Relays, f.From = config.Relays, config.Path
	if len(f.Relays) > 0 {
		f.From = ""
		if o.Relays, err = parseRelays("--relay", f.Relays); err != nil {
			return o, err
		}
	}
	n := len(o.Relays)
	if err := cmp.Or(
		flags.Refuse(n > code.MaxRelays, "%d relays, and a code can name %d", n, code.MaxRelays),
		flags.Refuse(n == 0 && config.Path != "", `no relay is known: name one with --relay, or in %s, as relay = "203.0.113.5"; %s`,
			config.Path, aboutRelays),
		flags.Refuse(n == 0, "no relay is known: name one with --relay; %s", aboutRelays),
	); err != nil {
		return o, err
	}
	for _, l := range expiring(o.Relays, time.Now()) {
		std.Tell(l)
	}
	return o, nil
}

// given returns a flag's value; without the flag that of bridge.toml.
func given(flag flags.Bool, config bool) bool {
	if flag.Given {
		return flag.Value
	}
	return config
}

// OfFile adds to an error of a relay the file that names it.
func (f *Line) OfFile(err error) error {
	if f.From == "" || !errors.Is(err, link.ErrNoRelay) {
		return err
	}
	return fmt.Errorf("%w\nthat is what %s has as relay", err, f.From)
}

// aboutRelays says where to read about relays.
const aboutRelays = `"dplay help relay" says what it is and how to have one`

// WhenExpired describes a session whose credential has expired (facts, bridge 5).
const WhenExpired = "then nobody can join by the relay any more, and within ten minutes who needs it loses it"

// expiring returns a line for each relay about the time at which its credential expires.
func expiring(relays []code.Relay, now time.Time) (lines []string) {
	const longest = 365 * 24 * time.Hour
	for _, r := range relays {
		u, err := code.ParseUser(r.User)
		if left := u.Expires.Sub(now); err != nil || left < 0 || left > longest { // it will be told why it is refused, or it is for ever
			continue
		}
		r.User = ""
		lines = append(lines, fmt.Sprintf("the relay %s takes this name and password until %s: %s", r,
			u.Expires.Local().Format("15:04 on 2 January"), WhenExpired))
	}
	return lines
}
