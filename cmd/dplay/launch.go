package main

import (
	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/launch"
)

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
	o := &launch.Options{}
	cmd := &cobra.Command{
		Use:               "launch [flags] --app GUID|NAME --host|--join ADDRESS -- PROGRAM [ARGUMENT...]",
		Short:             "Start a game into a session, as a lobby does",
		Long:              launchLong,
		Example:           launchExamples,
		ValidArgsFunction: anyFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("flags") {
				o.Flags.SessionFlags = o.App.SessionFlags()
			}
			if err := o.Check(args); err != nil {
				return err
			}
			return std.Told(o.Run(cmd.Context(), std))
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the program is the program's
	flags.Register(cmd, o)
	return cmd
}
