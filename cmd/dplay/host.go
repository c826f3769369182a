package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// hostFlags are the flags of "dplay host".
type hostFlags struct {
	playFlags
	name       string
	max        uint32
	flags      sessionFlags
	compatible bool
}

var hostLong = `Host a DirectPlay 4 session that games and "dplay join" can join. It listens on the first free TCP port from 2300 and
UDP port from 2350, and answers who looks for sessions at UDP and TCP port 47624, which only one program of a machine
can have.

` + playHelp + `
` + gamesHelp() + `

Exit status: 0 the session was left, 1 it could not be opened or something failed, 2 wrong usage.`

const hostExamples = `  dplay host --app {bdcfe03e-f0ec-415b-8211-6f86d8197fe1} --name Test
  dplay host --app lotr2 --name Realm --max 4 --password sesame --flags migratehost,keepalive
  dplay host --app lotr2 --name Echo --echo --for 60s --events ndjson --record echo.pcapng`

func newHost(std streams) *cobra.Command {
	f := &hostFlags{playFlags: playFlags{player: "host", events: newChoice("text", "ndjson")}}
	cmd := &cobra.Command{
		Use:                   "host [flags] --app GUID|NAME --name NAME",
		Short:                 "Host a session",
		Long:                  hostLong,
		Example:               hostExamples,
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags().Changed("player")); err != nil {
				return err
			}
			p := newPlaying(&f.playFlags, std)
			return told(std, p.run(cmd.Context(), f.open, f.settle))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.app, "app", "the game: a GUID, or a name that is known; see above")
	flags.StringVar(&f.name, "name", "", "what the session is called, `NAME`")
	flags.Uint32Var(&f.max, "max", 0, "take `N` players at most (default: no limit)")
	flags.Lookup("max").DefValue = "0" // said above
	flags.StringVar(&f.password, "password", "", "let in only who knows `PASSWORD`")
	flags.Var(&f.flags, "flags", "flags of the session, such as migratehost,keepalive")
	flags.BoolVar(&f.compatible, "compatible", false, "believe whatever members say about others, as Windows does")
	f.register(cmd)
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var known []string
		for _, n := range sessionFlagNames() {
			if n != "" {
				known = append(known, n)
			}
		}
		return known, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("flags", names); err != nil {
		panic(err) // only if the flag has one already
	}
	noFiles(cmd, "name", "max")
	return cmd
}

func (f *hostFlags) check(playerGiven bool) error {
	f.strict = !f.compatible
	if f.flags.SessionFlags&wire.SessionNewPlayersDisabled != 0 && !playerGiven {
		f.player = "" // there can be none
	}
	switch {
	case f.app.guid.IsZero():
		return errors.New("no --app given: which game is it?")
	case f.name == "":
		return errors.New("no --name given: what is the session called?")
	case f.echo && f.flags.SessionFlags&wire.SessionNoMessageID != 0:
		return errors.New("--echo does not go with nomessageid: nobody knows whom a message is from")
	}
	return f.playFlags.check()
}

// open opens the session.
func (f *hostFlags) open(ctx context.Context, p *playing) (*sock.Session, error) {
	return sock.Host(ctx, f.options(p.rec), dpsp.Host{
		Application: f.app.guid, Name: f.name, Password: f.password, MaxPlayers: f.max, Flags: f.flags.SessionFlags,
	})
}

// settle makes our player: in a client/server session that is the server.
func (f *hostFlags) settle(ctx context.Context, p *playing) error {
	var flags wire.PlayerFlags
	if f.flags.SessionFlags&wire.SessionClientServer != 0 {
		flags = wire.PlayerServerPlayer
	}
	return p.bePlayer(ctx, flags)
}
