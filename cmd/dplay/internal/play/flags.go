// Package play hosts and joins sessions for "dplay host" and "dplay join".
package play

import (
	"cmp"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/recordfile"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Common are the flags that "dplay host" and "dplay join" share.
type Common struct {
	Player     string          `flag:"player" usage:"be a player called <NAME>; an empty one: be no player"`
	LongName   string          `flag:"long-name" usage:"the player's long name, <NAME> (default: as --player)"`
	Echo       bool            `flag:"echo" usage:"return every game message to its sender in the way it came; two that do so never stop"`
	Length     time.Duration   `flag:"for" usage:"leave after this <TIME>, such as 60s (default: never)"`
	Until      flags.Event     `flag:"until" usage:"leave once this event was printed, such as session_opened; see dplay help events"`
	Bind       flags.Address   `flag:"bind" usage:"use the network card with this address only"`
	Advertise  flags.Address   `flag:"advertise" usage:"tell others this address: for several network cards, or a router that passes ports on to us"`
	Listening  flags.Listening `flags:""`
	Period     time.Duration   `flag:"period" usage:"in a session with keepalive, ping others every <DURATION>"`
	Probes     int             `flag:"probes" usage:"and take for lost who leaves <N> pings in a row unanswered"`
	Readings   flags.Readings  `flag:"readings" usage:"with directplayprotocol, read what the specification leaves open in these ways; see dplay help reliable"`
	Legacy     bool            `flag:"legacy" usage:"behave like a machine with Windows or Wine: no messages of this program's own"`
	Compatible bool            `flag:"compatible" usage:"believe whatever members say about others, as Windows does"`
	Record     string          `flag:"record" offer:"pcapng" usage:"write the traffic to this <FILE>, pcapng"`
	Force      bool            `flag:"force" usage:"let --record replace a file that has something in it"`
	Text       flags.Text      `flag:"text" choice:"auto,utf16,8bit" usage:"write names, passwords and chat so; auto: as the game is known to, else as the others do"`
	Events     flags.Choice    `flag:"events" choice:"text,ndjson" usage:"print lines for people, or a JSON object a line"`
	Commands   flags.Choice    `flag:"commands" choice:"text,ndjson" usage:"take standard input as chat, or as commands, a JSON object a line; then events are ndjson, too"`
	app        flags.App       // copies of --app and --password, which each command declares
	password   string
}

// common returns the defaults.
func common(player string) Common {
	return Common{Player: player, Period: dpsp.DefaultPeriod, Probes: dpsp.DefaultProbes,
		Until: flags.NewEvent(slices.Concat(events.Names(), bridging.Names())...)}
}

// ndjson reports whether events are printed as JSON.
func (f *Common) ndjson() bool { return f.Events.Value == "ndjson" || f.Commands.Value == "ndjson" }

// minPeriod is the lowest value of --period, which is for experiments and must not flood the network.
const minPeriod = 10 * time.Millisecond

func (f *Common) check(set *pflag.FlagSet) error {
	return cmp.Or(
		flags.Refuse(f.Commands.Value == "ndjson" && set.Changed("events") && f.Events.Value == "text",
			"--commands ndjson does not go with --events text: the answers are events"),
		flags.Refuse(f.Period < minPeriod, "--period %s: must be %s at least", f.Period, minPeriod),
		flags.Refuse(f.Probes < 1, "--probes %d: must be 1 at least", f.Probes),
		flags.Refuse(f.Length < 0, "--for %s: must not be negative", f.Length),
		flags.Refuse(f.Force && f.Record == "", "--force replaces the file of --record: it does nothing without it"),
		flags.Refuse(f.LongName != "" && f.Player == "", "--long-name names a player: it does not go with an empty --player"),
		flags.Refuse(f.Echo && f.Player == "", "--echo answers as a player: it does not go with an empty --player"))
}

// listening returns where this machine listens.
func (f *Common) listening() (tcp, udp wire.Ports) { return f.Listening.Of(f.app.GUID) }

// options returns the options of the sockets.
func (f *Common) options(r *recordfile.File) sock.Options {
	tcp, udp := f.listening()
	return sock.Options{
		Bind: f.Bind.Addr, Advertise: f.Advertise.Addr, StreamPorts: tcp, DatagramPorts: udp, Record: r.Recorder(),
		Config: dpsp.Config{
			Compatible: f.Compatible, Legacy: f.Legacy, Period: f.Period, Probes: f.Probes, Text: f.Text.Encodings(),
			Readings: f.Readings.Readings,
		},
	}
}
