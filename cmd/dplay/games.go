package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/cmd/dplay/internal/gameprint"
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
	var o struct {
		Format flags.Choice `flag:"format" choice:"text,ndjson" usage:"write a table for people, or a JSON object a line"`
	}
	cmd := flags.Register(&cobra.Command{
		Use:     "games [flags] [NAME|GUID]",
		Short:   "List the games that are known by name",
		Long:    gamesLong,
		Example: gamesExamples,
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				names = flags.GameNames()
			}
			return names, cobra.ShellCompDirectiveNoFileComp
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
			case o.Format.Value == "ndjson":
				out.Add(gameprint.Objects(list))
			case len(args) > 0:
				out.Add(gameprint.Details(&list[0], cli.Width(std.Out)))
			default:
				out.Add(gameprint.Table(list, cli.Width(std.Out)))
			}
			return std.Told(out.End())
		},
	}, &o)
	cmd.AddCommand(newGamesImport(std))
	return cmd
}

// namesGames are the commands whose output can name games.
var namesGames = []string{"annotate", "decode", "doctor", "draw", "games", "host", "join", "record", "sessions"}

// warnOfGames prints what is wrong with games.toml, if the command can name games. The command runs without the file.
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

const gamesImportLong = `Add games to your games.toml from an exported registry: each game that registered itself for DirectPlay's lobbies stands
below Software\Microsoft\DirectPlay\Applications with its GUID, on 64-bit Windows below Wow6432Node. Export it with
  reg export HKLM\SOFTWARE\WOW6432Node\Microsoft\DirectPlay\Applications applications.reg
or with regedit. A file of Wine's own does as well: system.reg in the prefix, such as ~/.wine/system.reg.

What is in games.toml stays as it is, comments too: new games stand at its end. What was added, what was known, and what cannot be
taken and why, is printed.

Exit status: 0 it was read, 1 it could not be read, has no game, or games.toml could not be written, 2 wrong usage.`

func newGamesImport(std cli.Streams) *cobra.Command {
	var o struct {
		Dry bool `flag:"dry-run,n" usage:"write nothing: say what would be added"`
	}
	return flags.Register(&cobra.Command{
		Use:               "import [flags] FILE.reg",
		Short:             "Add games from the registry of Windows or Wine",
		Long:              gamesImportLong,
		Example:           "  dplay games import applications.reg\n  dplay games import --dry-run ~/.wine/system.reg",
		ValidArgsFunction: cobra.FixedCompletions([]string{"reg"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one FILE.reg")
			}
			return std.Told(gameprint.Import(std, args[0], o.Dry))
		},
	}, &o)
}
