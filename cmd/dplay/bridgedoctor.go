package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridgecheck"
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge/code"
)

const bridgeDoctorLong = `Say what a session over the internet meets with here: which kind of router is between,
whether the relay answers, by UDP, TCP and TLS, and lets this machine in, and which programs hold ports that the bridge and the game
need. It is about the relays of --relay; without that, about those of the bridge of yours that runs on this machine, or else of the file
bridge.toml ("dplay help internet"). If a bridge runs, it also tells the way to each of the other machines, and between each two of them.

With a CODE it is about the relays of that session, and joins it for a moment without a game, unless a bridge of it runs here. The
others see a machine called doctor come and go, and its address, unless --force-relay or bridge.toml hides that; in a session that was
shared with --ask somebody has to let it in, within a minute.

JSON:
  One object a line, with its "type". router: kind (open, restricted, port-restricted, symmetric, one-port, or "" if UDP does not get
  through; restricted may also be a router that lets everybody in), seen (our address outside). relay: relay, host (one of its
  servers, where DNS names several), address, and for udp, tcp and tls each the seconds that an answer took, absent if
  there was none. port: transport, port, program. machine: as in the events. pair: a and b, two of the other machines, and way
  (direct, relayed, none, or unknown if they do not tell), round_trip and loss, the worse of what the two say. problem: text, and
  what to do. warning: alike, but in nobody's way at the moment, such as one of two relays that is gone. unknown: text, what could not
  be looked at.

Exit status: 0 nothing is in the way, 1 it could not be found out, 2 wrong usage, 3 something is in the way.`

const bridgeDoctorExamples = `  dplay bridge doctor --relay 203.0.113.5
  dplay bridge doctor ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR`

// bridgeDoctorFlags are the flags of "dplay bridge doctor".
type bridgeDoctorFlags struct {
	bridging.Relays
	bridging.ForceRelay
	Code   flags.Code   `flag:"code-file" usage:"the CODE is the line in this <FILE>, so that the command line does not show it"`
	Name   string       `flag:"name" usage:"what the machines of the session of CODE call this one, <NAME> (default: doctor)"`
	Format flags.Choice `flag:"format" choice:"text,ndjson" usage:"write lines for people, or a JSON object a line"`
}

func newBridgeDoctor(std cli.Streams) *cobra.Command {
	f := &bridgeDoctorFlags{}
	cmd := &cobra.Command{
		Use:     "doctor [flags] [CODE]",
		Short:   "Say what is in the way of playing over the internet",
		Long:    bridgeDoctorLong,
		Example: bridgeDoctorExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := f.Code.Args(args)
			if err != nil {
				return err
			}
			o, err := f.doctor(cmd.Context(), std, args)
			if err != nil {
				return err
			}
			o.NDJSON = f.Format.Value == "ndjson"
			wrong, err := bridgecheck.Run(cmd.Context(), o)
			if err == nil && wrong {
				return errFindings
			}
			return std.Told(err)
		},
	}
	flags.Register(cmd, f)
	cmd.Flags().SortFlags = true
	return cmd
}

// doctor returns the options of the check. It joins a session with the settings of bridge.toml, except the name.
func (f *bridgeDoctorFlags) doctor(ctx context.Context, std cli.Streams, args []string) (o bridgecheck.Options, err error) {
	o.Std = std
	line := bridging.Line{Relays: f.Relay, Name: f.Name, ForceRelay: f.ForceRelay.Bool}
	alone := len(args) == 0
	if err := cmp.Or(
		flags.Refuse(alone && f.Name != "", "--name is what the machines of a session call this one: it does nothing without a CODE"),
		flags.Refuse(alone && f.ForceRelay.Given, "--force-relay is for who joins a session: it does nothing without a CODE"),
		flags.Refuse(!alone && len(f.Relay) > 0, "the code says which relays: --relay does not go with it"),
	); err != nil {
		return o, err
	}
	if alone {
		o.Relays, err = doctored(ctx, std, &line)
		o.From = line.From
		return o, err
	}
	with, err := flags.ParseCode(args)
	if err != nil {
		return o, err
	}
	line.Name = cmp.Or(f.Name, "doctor")
	opt, err := line.Options(std, false)
	o.With, o.Relays, o.Name, o.ForceRelay = &with, with.Relays, opt.Name, opt.ForceRelay
	return o, err
}

// doctored returns the relays to check if no code is given: those of the flags, else of the bridge that runs on this machine,
// else of bridge.toml.
func doctored(ctx context.Context, std cli.Streams, line *bridging.Line) ([]code.Relay, error) {
	if len(line.Relays) == 0 {
		if running, err := bridging.Ask(ctx, "list", ""); err == nil {
			with, err := code.Parse(running.Code)
			return with.Relays, err
		}
	}
	opt, err := line.Options(std, true)
	return opt.Relays, err
}
