package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge"
)

const bridgeJoinLong = `Join a session over the internet, by the code that somebody gives you who is in it. Do it before you start the game; then
look for sessions in the game, or type 127.0.0.1 where it asks for an address. A game that runs already works in most cases.

Small letters and spaces in the code do not matter. Other users of this machine can see command lines: --code-file keeps the code out of
them.
` + bridgeHelp

const bridgeJoinExamples = `  dplay bridge join ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR
  dplay bridge join ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR --name Bob --force-relay
  dplay bridge join --code-file code.txt`

func newBridgeJoin(std cli.Streams) *cobra.Command {
	var o struct {
		bridging.NoRelays
		Code flags.Code `flag:"code-file" usage:"the CODE is the line in this <FILE>, so that the command line does not show it"`
		bridging.Name
		bridging.ForceRelay
		Ask flags.Bool `flag:"ask" usage:"let nobody in without a yes, once this machine lets newcomers in"`
		sessionBridgeFlags
	}
	o.Until = flags.NewEvent(bridging.Names()...)
	return flags.Register(&cobra.Command{
		Use:     "join [flags] CODE",
		Short:   "Join a session over the internet",
		Long:    bridgeJoinLong,
		Example: bridgeJoinExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			args, err := o.Code.Args(args)
			switch err := errors.Join(o.Refused(), err); {
			case err != nil:
				return err
			case len(args) == 0:
				return errors.New("no CODE given: who is in the session sees it, and tells it to you")
			}
			with, err := flags.ParseCode(args)
			if err != nil {
				return err
			}
			line := bridging.Line{Name: o.Name.Name, ForceRelay: o.ForceRelay.Bool, Ask: o.Ask}
			opt, err := line.Options(std, false)
			if err != nil {
				return err
			}
			return std.Told(o.run(cmd.Context(), std, opt, false, func(ctx context.Context, opt bridge.Options) (*bridge.Session, error) {
				return bridge.Join(ctx, with, opt)
			}))
		},
	}, &o)
}
