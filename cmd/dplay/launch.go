package main

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/wire"
)

// launchFlags are the flags of "dplay launch".
type launchFlags struct {
	app      flags.App
	host     bool
	join     string
	name     string
	session  string
	password string
	player   string
	max      uint32
	flags    flags.Session
	timeout  time.Duration
	bind     flags.Address
	events   flags.Choice
	program  []string
}

// wholeNetwork is what --join takes for everybody on the local network.
const wholeNetwork = "local"

var launchLong = `Start a game that goes into a session by itself, as lobbies such as the Zone or GameSpy started it: it hosts one (--host), or joins
one that "dplay launch" finds (--join ADDRESS; --join local searches the local network). Behind -- stands the game's program with its
arguments; on Linux one that ends in .exe is started by wine.

The game has to know how to be started by a lobby, which some do by an argument of their own, and it has to load this project's
dplayx.dll: "dplay help dll" says how. What it says of itself is told: that it read what it was given, that it is in the session,
that it has ended; then this ends as well. A program that keeps it from hosting is named. Ctrl-C ends this alone.

` + flags.AppHelp() + `

JSON:
  With --events ndjson one object a line: time, event (launched, settings_read, connected, connect_failed, new_host, message,
  terminated), and with launched program, process, hosting, address, session (its GUID) and name; with connect_failed reason, where
  it is known.

Exit status: 0 the game was in the session, and ended; 1 there is no such session, the game could not be started, or it ended
without having been in it; 2 wrong usage.`

const launchExamples = `  dplay launch --app lotr2 --host --name Castle --player Ann -- game.exe
  dplay launch --app lotr2 --join 192.0.2.7 --player Bob -- wine game.exe /lobby`

func newLaunch(std cli.Streams) *cobra.Command {
	f := &launchFlags{events: flags.NewChoice("text", "ndjson")}
	cmd := &cobra.Command{
		Use:                   "launch [flags] --app GUID|NAME --host|--join ADDRESS -- PROGRAM [ARGUMENT...]",
		Short:                 "Start a game into a session, as a lobby does",
		Long:                  launchLong,
		Example:               launchExamples,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("flags") {
				f.flags.SessionFlags = f.app.SessionFlags()
			}
			if err := f.check(args); err != nil {
				return err
			}
			return std.Told(f.run(cmd.Context(), std))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.SetInterspersed(false) // what follows the program is the program's
	set.Var(&f.app, "app", "the game: a GUID, or a name that is known; see above")
	set.BoolVar(&f.host, "host", false, "have it host a session")
	set.StringVar(&f.join, "join", "", "have it join the session at `ADDRESS`, a name or IPv4 address, or local")
	set.StringVar(&f.name, "name", "", "what the session that it hosts is called, `NAME` (default: dplay)")
	set.StringVar(&f.session, "session", "", "the session to join, by its `NAME|GUID`, where there are several")
	flags.Password(cmd, &f.password, "the session's `PASSWORD`")
	set.StringVar(&f.player, "player", "player", "be a player called `NAME`")
	set.Uint32Var(&f.max, "max", 0, "take `N` players at most in a session that it hosts (default: no limit)")
	set.Lookup("max").DefValue = "0" // said above
	set.Var(&f.flags, "flags", "flags of a session that it hosts, such as migratehost,keepalive (default: the game's, where known)")
	set.DurationVar(&f.timeout, "timeout", 5*time.Second, "look so long for the session to join")
	set.Var(&f.bind, "bind", "look for it by the network card with this address only; with --host, where the game hosts")
	f.events.AddTo(cmd, "events", "print lines for people, or a JSON object a line")
	flags.CompleteApp(cmd)
	flags.NoFiles(cmd, "join", "name", "session", "player", "max", "timeout", "bind")
	return cmd
}

// check finds out what pflag cannot, and what is to be started.
func (f *launchFlags) check(args []string) error {
	switch {
	case !f.app.Given():
		return errors.New("no --app given: which game is it?")
	case f.host == (f.join != ""):
		return errors.New("either --host or --join ADDRESS: is the game to host a session or to join one?")
	case f.host && f.session != "":
		return errors.New("--session is for --join; what --host opens has its --name")
	case f.join != "" && (f.name != "" || f.max != 0):
		return errors.New("--name and --max are for --host; --session says which one to join")
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: must be more than nothing", f.timeout)
	case len(args) == 0:
		return errors.New("which program? It stands behind --, such as -- game.exe")
	}
	if f.flags.SessionFlags&wire.SessionSecureServer != 0 {
		return errors.New("--flags secureserver: secure sessions are not supported")
	}
	if f.name == "" {
		f.name = "dplay"
	}
	f.program = args
	if runtime.GOOS != "windows" && strings.EqualFold(args[0][max(0, len(args[0])-4):], ".exe") {
		f.program = append([]string{"wine"}, args...)
	}
	if _, err := exec.LookPath(f.program[0]); err != nil && !errors.Is(err, exec.ErrDot) {
		if f.program[0] != args[0] {
			return errors.New("wine is not in the PATH: name the program that starts the game behind --")
		}
		return fmt.Errorf("%s cannot be started: there is no such program", args[0])
	}
	return nil
}
