package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
)

// playFlags are the flags that "dplay host" and "dplay join" share.
type playFlags struct {
	app        flags.App
	password   string
	player     string
	echo       bool
	length     time.Duration
	until      flags.Event
	bind       flags.Address
	advertise  flags.Address
	listening  flags.Listening
	readings   flags.Readings
	record     string
	force      bool
	events     flags.Choice
	commands   flags.Choice
	text       flags.Text
	longName   string
	compatible bool
	legacy     bool
	period     time.Duration
	probes     int
}

// playHelp is the help that both commands share.
const playHelp = `Lines that you type are sent as chat, /help lists what else can be typed, Ctrl-C leaves: the others are told. "dplay help playing" has
more: the player and his text, pings, ports, what --record keeps.

For programs:
  --events ndjson prints one JSON object an event: sessions, players, groups, messages with their octets, and what was dropped and
  why. --commands ndjson takes one command a line on standard input, such as
    {"command":"say","text":"hello","id":1}
  and answers each by an event with its id. --until peer_joined leaves once somebody has joined: any event can stand there.
  "dplay help events" describes all three.
`

func (f *playFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.player, "player", f.player, "be a player called `NAME`; an empty one: be no player")
	set.StringVar(&f.longName, "long-name", "", "the player's long name, `NAME` (default: as --player)")
	set.BoolVar(&f.echo, "echo", false, "return every game message to its sender in the way it came; two that do so never stop")
	set.DurationVar(&f.length, "for", 0, "leave after this `TIME`, such as 60s (default: never)")
	set.Lookup("for").DefValue = "0" // said above
	f.until.AddTo(cmd, "leave once this event was printed, such as session_opened; see dplay help events",
		slices.Concat(events.Names(), bridging.Names())...)
	set.Var(&f.bind, "bind", "use the network card with this address only")
	set.Var(&f.advertise, "advertise", "tell others this address: for several network cards, or a router that passes ports on to us")
	f.listening.Register(cmd, "")
	set.DurationVar(&f.period, "period", dpsp.DefaultPeriod, "in a session with keepalive, ping others every `DURATION`")
	set.IntVar(&f.probes, "probes", dpsp.DefaultProbes, "and take for lost who leaves `N` pings in a row unanswered")
	set.Var(&f.readings, "readings", "with directplayprotocol, read what the specification leaves open in these ways; see dplay help reliable")
	set.BoolVar(&f.legacy, "legacy", false, "behave like a machine with Windows or Wine: no messages of this program's own")
	set.BoolVar(&f.compatible, "compatible", false, "believe whatever members say about others, as Windows does")
	set.StringVar(&f.record, "record", "", "write the traffic to this `FILE`, pcapng")
	set.BoolVar(&f.force, "force", false, "let --record replace a file that has something in it")
	f.text.Register(cmd)
	f.events.AddTo(cmd, "events", "print lines for people, or a JSON object a line")
	f.commands = flags.NewChoice("text", "ndjson")
	f.commands.AddTo(cmd, "commands", "take standard input as chat, or as commands, a JSON object a line; then events are ndjson, too")
	flags.Complete(cmd, "readings", cobra.ShellCompDirectiveNoFileComp, flags.ReadingNames()...)
	flags.CompleteApp(cmd)
	flags.NoFiles(cmd, "player", "long-name", "for", "bind", "advertise", "period", "probes")
	if err := cmd.RegisterFlagCompletionFunc("record",
		cobra.FixedCompletions([]string{"pcapng"}, cobra.ShellCompDirectiveFilterFileExt)); err != nil {
		panic(err) // only if the flag has one already
	}
}

// acceptStrict takes the flag that was once needed for what is the default now, and says so: scripts have it.
func acceptStrict(cmd *cobra.Command) {
	cmd.Flags().Bool("strict", true, "")
	if err := cmd.Flags().MarkDeprecated("strict", "it is the default; the other way is --compatible"); err != nil {
		panic(err) // only if the flag does not exist
	}
	cmd.MarkFlagsMutuallyExclusive("strict", "compatible")
}

// ndjson reports whether events are printed as JSON.
func (f *playFlags) ndjson() bool { return f.events.Value == "ndjson" || f.commands.Value == "ndjson" }

// minPeriod is how often pings may go out at most: --period is for trying things out, not for flooding.
const minPeriod = 10 * time.Millisecond

func (f *playFlags) check(set *pflag.FlagSet) error {
	switch {
	case f.commands.Value == "ndjson" && set.Changed("events") && f.events.Value == "text":
		return errors.New("--commands ndjson does not go with --events text: the answers are events")
	case f.period < minPeriod:
		return fmt.Errorf("--period %s: must be %s at least", f.period, minPeriod)
	case f.probes < 1:
		return fmt.Errorf("--probes %d: must be 1 at least", f.probes)
	case f.length < 0:
		return fmt.Errorf("--for %s: must not be negative", f.length)
	case f.force && f.record == "":
		return errors.New("--force replaces the file of --record: it does nothing without it")
	case f.longName != "" && f.player == "":
		return errors.New("--long-name names a player: it does not go with an empty --player")
	case f.echo && f.player == "":
		return errors.New("--echo answers as a player: it does not go with an empty --player")
	}
	return nil
}

// options are those of the sockets.
func (f *playFlags) options(r *record) sock.Options {
	tcp, udp := f.listening.Of(f.app.GUID)
	return sock.Options{
		Bind: f.bind.Addr, Advertise: f.advertise.Addr, StreamPorts: tcp, DatagramPorts: udp, Record: r.recorder(),
		Config: dpsp.Config{
			Compatible: f.compatible, Legacy: f.legacy, Period: f.period, Probes: f.probes, Text: f.text.Encodings(),
			Readings: f.readings.Readings,
		},
	}
}
