package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Host are the flags of "dplay host".
type Host struct {
	App      flags.App     `flag:"app" usage:"the game: a GUID, or a name that is known; see above"`
	Name     string        `flag:"name" usage:"what the session is called, <NAME>"`
	Max      uint32        `flag:"max" usage:"take <N> players at most (default: no limit)"`
	Password string        `flag:"password" secret:"password-file" usage:"let in only who knows <PASSWORD>"`
	Flags    flags.Session `flag:"flags" usage:"flags of the session, such as migratehost,keepalive, or none (default: the game's, where known)"`
	Share    bool          `flag:"share" usage:"over the internet: tell the code that it prints to those who are to join; see dplay help internet"`
	bridging.Relays
	bridging.ForceRelay
	Ask flags.Bool `flag:"ask" usage:"let nobody in over the internet without your yes: /admit, or dplay bridge admit in another terminal"`
	Common
}

// NewHost returns the defaults.
func NewHost() *Host { return &Host{Common: common("host")} }

// Run hosts a session until it is left. Errors of the flags are returned; others are printed.
func (f *Host) Run(ctx context.Context, std cli.Streams, set *pflag.FlagSet) error {
	if !set.Changed("flags") {
		f.Flags.SessionFlags = f.App.SessionFlags()
	}
	if err := f.check(set); err != nil {
		return err
	}
	f.app, f.password = f.App, f.Password
	over, err := f.bridge(std, set)
	if err = errors.Join(err, f.bridgeOver(&over)); err != nil {
		return err
	}
	p := newPlaying(&f.Common, std)
	p.bridged = over
	return std.Told(over.line.OfFile(p.run(ctx, f.open, f.settle)))
}

func (f *Host) check(set *pflag.FlagSet) error {
	if f.Flags.SessionFlags&wire.SessionNewPlayersDisabled != 0 {
		for _, name := range []string{"player", "long-name", "echo"} {
			if set.Changed(name) && set.Lookup(name).Value.String() != "" {
				return fmt.Errorf("--%s does not go with --flags newplayersdisabled: such a session takes no players, the host's included", name)
			}
		}
		f.Player = ""
	}
	return cmp.Or(
		flags.Refuse(!f.App.Given(), "no --app given: which game is it?"),
		flags.Refuse(f.Name == "", "no --name given: what is the session called?"),
		flags.Refuse(f.Echo && f.Flags.SessionFlags&wire.SessionNoMessageID != 0,
			"--echo does not go with nomessageid: nobody knows whom a message is from"),
		f.Common.check(set))
}

// open opens the session.
func (f *Host) open(ctx context.Context, p *playing) error {
	list, err := sock.Adapters()
	if why := sock.Unreachable(f.Bind.Addr, list, err); why != "" {
		p.std.Tell(why)
	}
	if err := p.session.Host(ctx, dpsp.Host{
		Application: f.App.GUID, Name: cli.Typed(f.Name), Password: cli.Typed(f.Password), MaxPlayers: f.Max, Flags: f.Flags.SessionFlags,
	}); err != nil {
		return err
	}
	return p.await(ctx)
}

// settle creates our player, which is the server of a client/server session.
func (f *Host) settle(ctx context.Context, p *playing) error {
	var flags wire.PlayerFlags
	if f.Flags.SessionFlags&wire.SessionClientServer != 0 {
		flags = wire.PlayerServerPlayer
	}
	return p.bePlayer(ctx, flags)
}
