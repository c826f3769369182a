package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/recordfile"
	"dplay4/dpsp/bridge"
)

// sessionBridgeFlags are the flags that "dplay bridge share" and "dplay bridge join" end with.
type sessionBridgeFlags struct {
	Length   flags.Span   `flag:"for" usage:"leave after this time, such as 2h or 7d (default: never)"`
	Until    flags.Event  `flag:"until" usage:"leave once this event was printed, such as bridge_opened; see dplay help events"`
	Record   string       `flag:"record" offer:"pcapng" usage:"write the game's traffic to this <FILE>, pcapng"`
	Force    bool         `flag:"force" usage:"let --record replace a file that has something in it"`
	Events   flags.Choice `flag:"events" choice:"text,ndjson" usage:"print lines for people, or a JSON object a line"`
	Commands flags.Choice `flag:"commands" choice:"text,ndjson" usage:"take standard input as commands, a JSON object a line; then events are ndjson, too"`
}

const bridgeHelp = `
On a terminal it is a table of the machines: whose game hosts, the way to each (direct, or relayed), the round trip, and how much is
lost. Otherwise it is a line for what happens, and it takes the words who, code, kick NAME, cut NAME, yes and no for those who ask (or
yes NAME), quit, and host and join: while the game of another machine hosts, games here can join and not host, unless you say host.
Ctrl-C leaves: the others are told. In another terminal "dplay bridge code" prints the code, "dplay bridge kick NAME" sends somebody
away, and "dplay bridge admit" and "dplay bridge refuse" answer those who ask.

For programs: --events ndjson prints one JSON object an event, --commands ndjson takes commands, and --until EVENT leaves once that event
was printed; "dplay help events" describes all three. --record writes what passes between the game and the others, as "dplay decode" and
"dplay doctor" read it.

Exit status: 0 the session was left, 1 it could not be had, was lost, or left before the event of --until, 2 wrong usage.`

func (f *sessionBridgeFlags) check(set *pflag.FlagSet) error {
	return cmp.Or(
		flags.Refuse(f.Length.Duration < 0, "--for %s: must not be negative", f.Length.String()),
		flags.Refuse(f.Force && f.Record == "", "--force replaces the file of --record: it does nothing without it"),
		flags.Refuse(f.Commands.Value == "ndjson" && set.Changed("events") && f.Events.Value == "text",
			"--commands ndjson does not go with --events text: the answers are events"))
}

// run opens a session or joins one, and shows it.
func (f *sessionBridgeFlags) run(ctx context.Context, std cli.Streams, opt bridge.Options, shared bool,
	open func(context.Context, bridge.Options) (*bridge.Session, error)) (err error) {
	if f.Record != "" {
		rec, err := recordfile.Create(f.Record, f.Force, std.Tell, func(err error) { std.Tell("--record: " + err.Error() + "; the file ends here") })
		if err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		opt.Record = rec
		begin := open
		open = func(ctx context.Context, opt bridge.Options) (*bridge.Session, error) {
			s, err := begin(ctx, opt)
			if err == nil {
				rec.Opened()
			}
			return s, err
		}
		if f.Events.Value != "ndjson" && f.Commands.Value != "ndjson" {
			fmt.Fprintln(std.Out, recordfile.Note(f.Record))
		}
		defer func() {
			if e := rec.Close(err == nil); e != nil && err == nil {
				err = fmt.Errorf("--record: %w", e)
			}
		}()
	}
	show := &bridging.Options{Std: std, NDJSON: f.Events.Value == "ndjson" || f.Commands.Value == "ndjson",
		Commands: f.Commands.Value == "ndjson", Length: f.Length.Duration, Until: cli.NewUntil(f.Until.Name),
		Shared: shared}
	return show.Show(ctx, opt, open)
}

const bridgeShareLong = `Open a session over the internet, and print its code for those who are to join. Then start the game and host, or let
somebody else host: it does not matter who. The session stays when you leave, as long as somebody is in it.

The machines meet at a relay, and then talk to each other directly where their routers allow it. No relay is built in: --relay
names one, or a file bridge.toml in the folder dplay4 of the configuration folder (AppData\Roaming on Windows, ~/.config on
Linux, Library/Application Support on a Mac), each line of which stands for the flag of that name:
    relay = ["203.0.113.5", "relay.example.org"]
    name = "Ann"
    ask = true
    force-relay = true
` + bridgeHelp

const bridgeShareExamples = `  dplay bridge share --relay 203.0.113.5
  dplay bridge share --relay 203.0.113.5 --relay relay.example.org --name Ann --ask
  dplay bridge share --relay 203.0.113.5 --force-relay --record game.pcapng
  dplay bridge share --relay 203.0.113.5 --until bridge_opened
  dplay bridge share --relay 203.0.113.5 --commands ndjson`

func newBridgeShare(std cli.Streams) *cobra.Command {
	var o struct {
		bridging.Relays
		bridging.Name
		bridging.ForceRelay
		Ask flags.Bool `flag:"ask" usage:"let nobody in without a yes: yours, and once you have left, of who lets newcomers in then"`
		sessionBridgeFlags
	}
	o.Until = flags.NewEvent(bridging.Names()...)
	return flags.Register(&cobra.Command{
		Use:     "share [flags] [--relay ADDRESS]",
		Short:   "Open a session over the internet",
		Long:    bridgeShareLong,
		Example: bridgeShareExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("what is %s? A relay is named by --relay %[1]s", flags.Quoted(args[0]))
			}
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			line := bridging.Line{Relays: o.Relay, Name: o.Name.Name, ForceRelay: o.ForceRelay.Bool, Ask: o.Ask}
			opt, err := line.Options(std, true)
			if err != nil {
				return err
			}
			return std.Told(line.OfFile(o.run(cmd.Context(), std, opt, true, bridge.Share)))
		},
	}, &o)
}
