package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// hostFlags are the flags of "dplay host".
type hostFlags struct {
	playFlags
	name     string
	max      uint32
	flags    flags.Session
	share    bool
	ask      bool
	internet bridgeFlags
}

var hostLong = `Host a DirectPlay 4 session that games and "dplay join" can join. It answers who looks for sessions at UDP and TCP
port 47624, which only one program of a machine can have. With --share it is a session over the internet, for those who have its code.

` + playHelp + `
` + flags.AppHelp() + `

Exit status: 0 the session was left, 1 it could not be opened, something failed, or it was left before the event of --until, 2 wrong usage.`

const hostExamples = `  dplay host --app {bdcfe03e-f0ec-415b-8211-6f86d8197fe1} --name Test
  dplay host --app lotr2 --name Realm --max 4 --password sesame --flags migratehost,keepalive
  dplay host --app lotr2 --name Castle --share --relay 203.0.113.5
  dplay host --app lotr2 --name Castle --until peer_joined --for 10m
  dplay host --app lotr2 --name Echo --echo --for 60s --events ndjson --record echo.pcapng`

func newHost(std cli.Streams) *cobra.Command {
	f := &hostFlags{playFlags: playFlags{player: "host", events: flags.NewChoice("text", "ndjson"), text: flags.NewText()}}
	cmd := &cobra.Command{
		Use:                   "host [flags] --app GUID|NAME --name NAME",
		Short:                 "Host a session",
		Long:                  hostLong,
		Example:               hostExamples,
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("flags") {
				f.flags.SessionFlags = f.app.SessionFlags()
			}
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			over, err := f.bridge(std, cmd.Flags())
			if err = errors.Join(err, f.bridgeOver(over)); err != nil {
				return err
			}
			p := newPlaying(&f.playFlags, std)
			p.bridged = over
			return std.Told(f.internet.ofFile(p.run(cmd.Context(), f.open, f.settle)))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.Var(&f.app, "app", "the game: a GUID, or a name that is known; see above")
	set.StringVar(&f.name, "name", "", "what the session is called, `NAME`")
	set.Uint32Var(&f.max, "max", 0, "take `N` players at most (default: no limit)")
	set.Lookup("max").DefValue = "0" // said above
	flags.Password(cmd, &f.password, "let in only who knows `PASSWORD`")
	set.Var(&f.flags, "flags", "flags of the session, such as migratehost,keepalive, or none (default: the game's, where known)")
	set.BoolVar(&f.share, "share", false, "over the internet: tell the code that it prints to those who are to join; see dplay help internet")
	f.internet.registerRelay(set)
	f.internet.registerForce(set)
	set.BoolVar(&f.ask, "ask", false, "let nobody in over the internet without your yes: /admit, or dplay bridge admit in another terminal")
	f.register(cmd)
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var known []string
		for _, n := range flags.SessionNames() {
			if n != "" {
				known = append(known, n)
			}
		}
		return known, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("flags", names); err != nil {
		panic(err) // only if the flag has one already
	}
	flags.NoFiles(cmd, "name", "max", "relay")
	return cmd
}

func (f *hostFlags) check(set *pflag.FlagSet) error {
	if f.flags.SessionFlags&wire.SessionNewPlayersDisabled != 0 {
		for _, name := range []string{"player", "long-name", "echo"} {
			if set.Changed(name) && set.Lookup(name).Value.String() != "" {
				return fmt.Errorf("--%s does not go with --flags newplayersdisabled: such a session takes no players, the host's included", name)
			}
		}
		f.player = ""
	}
	switch {
	case !f.app.Given():
		return errors.New("no --app given: which game is it?")
	case f.name == "":
		return errors.New("no --name given: what is the session called?")
	case f.echo && f.flags.SessionFlags&wire.SessionNoMessageID != 0:
		return errors.New("--echo does not go with nomessageid: nobody knows whom a message is from")
	}
	return f.playFlags.check(set)
}

// open opens the session.
func (f *hostFlags) open(ctx context.Context, p *playing) error {
	list, err := sock.Adapters()
	if why := sock.Unreachable(f.bind.Addr, list, err); why != "" {
		p.std.Tell(why)
	}
	if err := p.session.Host(ctx, dpsp.Host{
		Application: f.app.GUID, Name: cli.Typed(f.name), Password: cli.Typed(f.password), MaxPlayers: f.max, Flags: f.flags.SessionFlags,
	}); err != nil {
		return err
	}
	return p.meet(ctx)
}

// settle makes our player: in a client/server session that is the server.
func (f *hostFlags) settle(ctx context.Context, p *playing) error {
	var flags wire.PlayerFlags
	if f.flags.SessionFlags&wire.SessionClientServer != 0 {
		flags = wire.PlayerServerPlayer
	}
	return p.bePlayer(ctx, flags)
}
