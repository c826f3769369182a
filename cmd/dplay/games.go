package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp/games"
	"dplay4/wire"
)

const gamesLong = `List the games that --app takes by name, or say all that is known of one: its GUID, the flags of its sessions, how it writes
text, its ports, and where that was seen. Without --flags "dplay host" gives a session the flags of its game.

Your own games:
  The file games.toml holds them; "dplay games" says where it is. Each begins with [[game]], and has a name and a guid. The
  rest may be left out:
    [[game]]
    name = "Monsters II"
    guid = "{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}"
    short = "monsters2"               another name, to be typed
    text = "8bit"                     or "utf16"
    flags = "migratehost,keepalive"   of its sessions
    tcp = "2300-2349"                 ports, where it has its own
    udp = "2350-2399"
    source = "my own capture"         where you know it from
  A game of yours goes before one of the list with the same name or GUID. A file with something wrong in it is not used, and the
  error says where; what needs none of its games goes on. "dplay games import FILE" takes games from the registry of Windows or Wine.

JSON:
  One object a game, with "type": "game": name, short, application, flags, asking (the flags of its searches), text, tcp, udp,
  note, source, own (whether it is from your file).

Exit status: 0 it was printed, 1 the output could not be written, 2 no such game, or wrong usage.`

const gamesExamples = `  dplay games
  dplay games shc
  dplay games --format ndjson | jq -r .application
  dplay games import applications.reg`

func newGames(std cli.Streams) *cobra.Command {
	format := flags.NewChoice("text", "ndjson")
	cmd := &cobra.Command{
		Use:                   "games [flags] [NAME|GUID]",
		Short:                 "List the games that are known by name",
		Long:                  gamesLong,
		Example:               gamesExamples,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return flags.CompleteGames(cmd, args, word)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			list := gamelist.Games()
			if len(args) > 0 {
				g, err := findGame(strings.Join(args, " ")) // a title may have spaces
				if err != nil {
					return err
				}
				list = games.List{g}
			}
			out := cli.NewOutput(std.Out)
			switch {
			case format.Value == "ndjson":
				out.Add(gameObjects(list))
			case len(args) > 0:
				out.Add(gameDetails(&list[0], widthFor(std.Out)))
			default:
				out.Add(gameTable(list, widthFor(std.Out)))
			}
			return std.Told(out.End())
		},
	}
	format.AddTo(cmd, "format", "write a table for people, or a JSON object a line")
	cmd.AddCommand(newGamesImport(std))
	return cmd
}

// namesGames are the commands that name games.
var namesGames = []string{"annotate", "decode", "doctor", "draw", "games", "host", "join", "record", "sessions"}

// warnOfGames says once what is wrong with the user's games, if the command could name one. It goes on without them.
func warnOfGames(std cli.Streams, cmd *cobra.Command) {
	if !slices.Contains(namesGames, cmd.Name()) {
		return
	}
	if err := gamelist.Err(); err != nil {
		std.Tell("your own games are left out: " + err.Error())
	}
}

// findGame returns the game with a name or a GUID.
func findGame(s string) (games.Game, error) {
	if guid, err := wire.ParseGUID(s); err == nil {
		g, ok := gamelist.Games().ByGUID(guid)
		if !ok {
			return g, fmt.Errorf("no game with this GUID is known; --app %s works all the same", guid)
		}
		return g, nil
	}
	g, err := flags.FindGame(s)
	if err != nil {
		return g, fmt.Errorf("%s: %w", flags.Quoted(s), err)
	}
	return g, nil
}

// isOwn reports whether a game is from the user's file: they stand before the others.
func isOwn(g *games.Game) bool {
	known, ok := games.All().ByGUID(g.GUID)
	return !g.GUID.IsZero() && (!ok || known != *g)
}

// gameTable returns the table of all games.
func gameTable(list games.List, width int) []byte {
	rows := [][5]string{{"NAME", "GAME", "FLAGS", "TEXT", "PORTS"}}
	for i := range list {
		g := &list[i]
		row := [5]string{g.Short, g.Title}
		if g.Text != wire.UTF16 {
			row[3] = g.Text.String()
		}
		if g.Flags != 0 {
			row[2] = fmt.Sprintf("0x%x", uint32(g.Flags))
		}
		if g.StreamPorts != (wire.Ports{}) {
			row[4] = g.StreamPorts.String()
		}
		rows = append(rows, row)
	}
	var widths [5]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b []byte
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+2)
		}
		b = append(append(b, strings.TrimRight(line, " ")...), '\n')
	}
	b = append(b, '\n')
	path, err := gamelist.Path()
	own := `"dplay games NAME" says more of one. `
	switch {
	case err != nil:
		own += "Yours cannot be kept: " + err.Error() + "."
	case gamelist.Err() == nil && len(list) > len(games.All()):
		own += "Yours stand first, from " + path + "."
	default:
		own += `Yours would stand first, from ` + path + `: see "dplay games --help".`
	}
	return appendWrapped(b, "", "", own, width)
}

// gameDetails returns all that is known of a game.
func gameDetails(g *games.Game, width int) []byte {
	b := append([]byte(g.Title), '\n')
	say := func(what, text string) {
		if text != "" {
			b = appendWrapped(b, fmt.Sprintf("  %-10s", what), "            ", text, width)
		}
	}
	name := g.Short
	if name == "" {
		name = "'" + g.Title + "'"
	}
	say("--app", name)
	say("GUID", g.GUID.String())
	if g.Flags != 0 {
		say("sessions", fmt.Sprintf("0x%x: %s", uint32(g.Flags), spaced(cli.SessionFlagsText(g.Flags))))
	} else {
		say("sessions", "flags not known")
	}
	if g.Asking != 0 {
		say("searches", fmt.Sprintf("0x%x: %s", uint32(g.Asking), strings.ToLower(strings.ReplaceAll(g.Asking.String(), "|", ", "))))
	}
	if g.Text == wire.UTF16 {
		say("text", "utf-16, as far as is known")
	} else {
		say("text", g.Text.String())
	}
	tcp, udp, usual := g.StreamPorts, g.DatagramPorts, ""
	if tcp == (wire.Ports{}) && udp == (wire.Ports{}) {
		usual = ", as most games"
	}
	if tcp == (wire.Ports{}) {
		tcp = wire.StreamPorts
	}
	if udp == (wire.Ports{}) {
		udp = wire.DatagramPorts
	}
	say("ports", fmt.Sprintf("TCP %s, UDP %s%s; who hosts: TCP and UDP 47624 as well", tcp, udp, usual))
	say("note", g.Note)
	say("source", g.Source)
	return b
}

// spaced puts a space behind commas, for lines to be broken there.
func spaced(s string) string { return strings.ReplaceAll(s, ",", ", ") }

// A gameObject is a game in JSON.
type gameObject struct {
	Type        string           `json:"type"`
	Name        string           `json:"name"`
	Short       string           `json:"short,omitempty"`
	Application string           `json:"application"`
	Flags       *events.FlagWord `json:"flags,omitempty"`
	Asking      *events.FlagWord `json:"asking,omitempty"`
	Text        string           `json:"text"`
	TCP         string           `json:"tcp,omitempty"`
	UDP         string           `json:"udp,omitempty"`
	Note        string           `json:"note,omitempty"`
	Source      string           `json:"source"`
	Own         bool             `json:"own"`
}

// gameObjects returns games in JSON, a line each.
func gameObjects(list games.List) (b []byte) {
	for i := range list {
		g := &list[i]
		o := gameObject{Type: "game", Name: g.Title, Short: g.Short, Application: g.GUID.String(), Text: g.Text.String(), Note: g.Note,
			Source: g.Source, Own: isOwn(g)}
		if g.Flags != 0 {
			o.Flags = &events.FlagWord{Value: uint32(g.Flags), Names: strings.Split(g.Flags.String(), "|")}
		}
		if g.Asking != 0 {
			o.Asking = &events.FlagWord{Value: uint32(g.Asking), Names: strings.Split(g.Asking.String(), "|")}
		}
		if g.StreamPorts != (wire.Ports{}) {
			o.TCP = g.StreamPorts.String()
		}
		if g.DatagramPorts != (wire.Ports{}) {
			o.UDP = g.DatagramPorts.String()
		}
		b = events.AppendJSON(b, o)
	}
	return b
}

const gamesImportLong = `Add games to your games.toml from an exported registry: each game that registered itself for DirectPlay's lobbies stands
below Software\Microsoft\DirectPlay\Applications with its GUID, on 64-bit Windows below Wow6432Node. Export it with
  reg export HKLM\SOFTWARE\WOW6432Node\Microsoft\DirectPlay\Applications applications.reg
or with regedit. A file of Wine's own does as well: system.reg in the prefix, such as ~/.wine/system.reg.

What is in games.toml stays as it is, comments too: new games stand at its end. What was added, what was known, and what cannot be
taken and why, is printed.

Exit status: 0 it was read, 1 it could not be read, has no game, or games.toml could not be written, 2 wrong usage.`

func newGamesImport(std cli.Streams) *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:                   "import [flags] FILE.reg",
		Short:                 "Add games from the registry of Windows or Wine",
		Long:                  gamesImportLong,
		Example:               "  dplay games import applications.reg\n  dplay games import --dry-run ~/.wine/system.reg",
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cobra.FixedCompletions([]string{"reg"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one FILE.reg")
			}
			return std.Told(importGames(std, args[0], dry))
		},
	}
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "write nothing: say what would be added")
	return cmd
}

// importGames adds the games of a file, and says what became of each.
func importGames(std cli.Streams, file string, dry bool) error {
	path, err := gamelist.Path()
	if err != nil {
		return err
	}
	apps, err := gamelist.ReadRegistry(file)
	switch {
	case err != nil:
		return err
	case len(apps) == 0:
		return fmt.Errorf(`%s: has no game: nothing stands below Software\Microsoft\DirectPlay\Applications`, captures.Printable(file))
	}
	outcomes, err := gamelist.Add(path, filepath.Base(file), apps, dry)
	if err != nil {
		return err
	}
	out := cli.NewOutput(std.Out)
	count := map[string]int{}
	for i := range outcomes {
		count[outcomes[i].What]++
		out.Add(appendOutcome(nil, &outcomes[i]))
	}
	verb := "added to"
	if dry {
		verb = "would be added to"
	}
	fmt.Fprintf(out, "%s: %d %s %s, %d known, %d refused\n", cli.Numbered(len(outcomes), "game"), count["added"], verb, path,
		count["known"], count["refused"])
	return out.End()
}

// appendOutcome appends the line about a game.
func appendOutcome(b []byte, o *gamelist.Outcome) []byte {
	b = fmt.Appendf(b, "%-8s %s", o.What, o.Name)
	switch {
	case o.Err != nil:
		b = fmt.Appendf(b, ": %s (line %d)", o.Err, o.Line)
	case o.What == "known" && o.Known != o.Name:
		b = fmt.Appendf(b, ", as %s %s", o.Known, o.GUID)
	default:
		b = fmt.Appendf(b, " %s", o.GUID)
	}
	return append(b, '\n')
}
