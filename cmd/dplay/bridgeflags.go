package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
)

// bridgeFlags are the flags of what opens or joins a bridged session.
type bridgeFlags struct {
	relays     []string
	name       string
	forceRelay bool
	forced     func() bool // whether the command line says
	from       string      // the file that the relays are of, if the command line has none
}

// relayHelp is the help of --relay.
const relayHelp = "the relay through which the machines find each other, `ADDRESS`, or NAME:PORT, or USER:PASSWORD@NAME; up to three. " +
	"bridge.toml keeps a password out of the command line"

func (f *bridgeFlags) registerRelay(set *pflag.FlagSet) {
	set.StringArrayVar(&f.relays, "relay", nil, relayHelp)
}

// refuseRelay has who joins be told that the code names the relays.
func (f *bridgeFlags) refuseRelay(set *pflag.FlagSet) {
	set.StringArrayVar(&f.relays, "relay", nil, "")
	if err := set.MarkHidden("relay"); err != nil {
		panic(err) // only if the flag does not exist
	}
}

// refused is what who joins is told that names a relay.
func (f *bridgeFlags) refused() error {
	if len(f.relays) > 0 {
		return errors.New("the code names the relays: --relay is for who shares the session")
	}
	return nil
}

func (f *bridgeFlags) registerForce(set *pflag.FlagSet) {
	set.BoolVar(&f.forceRelay, "force-relay", false, "send everything through the relay: the others do not see our address")
	f.forced = func() bool { return set.Changed("force-relay") }
}

func (f *bridgeFlags) registerName(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "name", "", "what the others call this machine, `NAME` (default: its own)")
	flags.NoFiles(cmd, "name")
}

// options are those of the bridge. Of who shares a session it has the relays, too, for which alone the user's file has to be right.
func (f *bridgeFlags) options(std cli.Streams, share bool) (bridge.Options, error) {
	config, err := bridging.ReadConfig()
	switch {
	case err == nil:
	case share && len(f.relays) == 0:
		return bridge.Options{}, std.Told(err)
	case f.forced == nil || !f.forced(): // or an address is shown that the file hides
		return bridge.Options{}, std.Told(fmt.Errorf("%w\nto go on without the file say --force-relay, or --force-relay=false", err))
	default:
		std.Tell(cli.Plain(err) + "; the file was left out")
		config = &bridging.Config{}
	}
	if name := cmp.Or(f.name, config.Name); bridge.CleanName(name) != name {
		std.Tell(fmt.Sprintf("the others see the name %q: one has 32 letters at most, and only such as can be shown", bridge.CleanName(name)))
	}
	host, _ := os.Hostname() // without one it is a number
	o := bridge.Options{Name: cmp.Or(f.name, config.Name, host), Ask: config.Ask, ForceRelay: config.ForceRelay}
	if f.forced != nil && f.forced() {
		o.ForceRelay = f.forceRelay
	}
	if !share {
		return o, nil
	}
	relays := config.Relays
	if f.from = config.Path; len(f.relays) > 0 {
		relays, f.from = nil, ""
	}
	for _, s := range f.relays {
		r, err := code.ParseRelay(s)
		if err != nil {
			return o, fmt.Errorf("--relay: %w", err)
		}
		relays = append(relays, r)
	}
	for _, r := range relays {
		if !slices.Contains(o.Relays, r) { // twice the same is of no use
			o.Relays = append(o.Relays, r)
		}
	}
	switch n := len(o.Relays); {
	case n > code.MaxRelays:
		return o, fmt.Errorf("%d relays, and a code can name %d", n, code.MaxRelays)
	case n == 0 && config.Path != "":
		return o, fmt.Errorf(`no relay is known: name one with --relay, or in %s, as relay = "203.0.113.5"; %s`,
			config.Path, aboutRelays)
	case n == 0:
		return o, errors.New("no relay is known: name one with --relay; " + aboutRelays)
	}
	for _, l := range expiring(o.Relays, time.Now()) {
		std.Tell(l)
	}
	return o, nil
}

// ofFile adds to the trouble with a relay which file that is of.
func (f *bridgeFlags) ofFile(err error) error {
	if f.from == "" || !errors.Is(err, link.ErrNoRelay) {
		return err
	}
	return fmt.Errorf("%w\nthat is what %s has as relay", err, f.from)
}

// aboutRelays says where to read about relays.
const aboutRelays = `"dplay help relay" says what it is and how to have one`
