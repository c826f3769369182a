package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
)

const bridgeLong = `Play over the internet, without a VPN, forwarded ports or administrator rights. Each player runs a bridge beside the game; to
the games it looks as if all of them ran on one machine. "dplay help internet" says what to expect.

Exit status: 0 the session was left, 1 it could not be had, or something failed, 2 wrong usage.`

func newBridge(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "bridge COMMAND",
		Short:                 "Play over the internet",
		Long:                  bridgeLong,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there is no %q: %s", args[0], bridgeCommands)
			}
			return errors.New("which one? " + bridgeCommands)
		},
	}
	cmd.AddCommand(newBridgeShare(std), newBridgeJoin(std), newBridgeCode(std), newBridgeDoctor(std))
	for _, o := range bridgeOrders {
		cmd.AddCommand(newBridgeOrder(std, o))
	}
	cmd.AddCommand(newBridgeRelay(std), newBridgeCredential(std))
	return cmd
}

// bridgeCommands are the commands below "dplay bridge".
const bridgeCommands = "share, join, code, doctor, kick, cut, admit, refuse, relay or credential"
