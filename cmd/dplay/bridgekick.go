package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
)

const bridgeKickLong = `Send a machine out of the session that a bridge on this machine is in: by its name or its number, as the bridge's table has
them. The machine that answers newcomers, at first the one that shared the session, sends it away for all; any other one only cuts
its own way to it. Who has the code can come back: share a new session then, or with --ask.

Exit status: 0 it was sent away, 1 there is no such machine, or no bridge runs here, 2 wrong usage.`

func newBridgeKick(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:                   "kick NAME|NUMBER",
		Short:                 "Send a machine out of the session",
		Long:                  bridgeKickLong,
		Example:               "  dplay bridge kick Bob\n  dplay bridge kick 3",
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("whom? NAME or NUMBER, as the bridge's table has them")
			}
			m, err := bridging.Kick(cmd.Context(), strings.Join(args, " "))
			if err == nil {
				_, err = fmt.Fprintln(std.Out, m.Name+" was sent away")
			}
			return std.Told(err)
		},
	}
}
