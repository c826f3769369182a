package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/commands"
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
var playHelp = `Chat is printed as "Name: text", everything else behind a star. Lines on standard input are sent as chat; at the
end of it the session goes on, unless it is a terminal (Ctrl-D leaves). Ctrl-C leaves: the others are told.
On a terminal the line that you type stays as it is when others speak; /help lists what else can be typed.

JSON:
  --events ndjson prints one object an event instead: sessions, players, groups, messages with their octets, and
  what was dropped and why. "dplay help events" describes them.

Commands:
  --commands ndjson lets another program play: it writes one JSON object a line to standard input, such as
    {"command":"say","text":"hello","id":1}
  and reads events, among them an answer to each line: ok, or an error with a code and a text; both have the id. Answers
  come in the order of the lines. A line that makes no sense is answered and left out. The end of the input leaves,
  unless --for says how long to stay. The commands and their keys; those in brackets can be left out, of a|b one is meant:

` + commands.Help() + `
  "dplay help events" describes them; the source code has a bot and a bridge in Python.

` + textHelp + `
Liveness:
  In a session with the keepalive flag the host pings everybody, and everybody the host, once every --period. Who
  leaves --probes pings in a row unanswered is lost. The defaults are those of the specification, by which it takes five
  minutes to notice that a machine vanished.

Migration:
  A session with the flags migratehost and keepalive outlives its host: another machine becomes host, and others can
  join there. Machines that all run this program choose the one that has been there longest, agree on who is in the
  session, and find together again when a network that was cut works again. They tell each other so in messages that games with
  Windows or Wine ignore; --legacy does without. If one machine does, all go by the rule of DirectPlay 4: the lowest id
  becomes host.

Ports:
  Everybody listens on the first free TCP port of --tcp and the first free UDP port of --udp. Others are told which, so they need
  not agree on them; but some games have one port to set, and reach others at that number only: give it to both. If all are
  taken, the error says by which programs, where the system tells.

Recording:
  --record writes what is sent and received to a pcapng file, for "dplay decode" and Wireshark. Messages, times and
  addresses in it are real, TCP handshakes and sequence numbers are not. TCP connections that we open are shown
  as coming from our listening port. A file that has something in it is not replaced, unless with --force.
`

func (f *playFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.player, "player", f.player, "be a player called `NAME`; an empty one: be no player")
	set.StringVar(&f.longName, "long-name", "", "the player's long name, `NAME` (default: as --player)")
	set.BoolVar(&f.echo, "echo", false, "return every game message to its sender in the way it came; two that do so never stop")
	set.DurationVar(&f.length, "for", 0, "leave after this `TIME`, such as 60s (default: never)")
	set.Lookup("for").DefValue = "0" // said above
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
	flags.NoFiles(cmd, "password", "player", "long-name", "for", "bind", "advertise", "period", "probes")
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

const textHelp = `Text:
  Most games write names, passwords and chat in UTF-16, some in 8 bits (Windows-1252). --text says what is sent; auto
  goes by the list of games below, then by what the host's session name and other members show, and else writes UTF-16.
  What 8 bits cannot say is in UTF-16 all the same. What comes is understood in either, and a password is right in either.
`
