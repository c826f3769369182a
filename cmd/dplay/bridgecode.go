package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
)

const bridgeCodeLong = `Print the code of the session that a bridge on this machine is in: who has it can join by "dplay bridge join". All who are in the
session have the same code.

Exit status: 0 it was printed, 1 no bridge runs here, 2 wrong usage.`

func newBridgeCode(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:                   "code",
		Short:                 "Print the code of the session",
		Long:                  bridgeCodeLong,
		Example:               "  dplay bridge code",
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			code, _, err := bridging.Running(cmd.Context())
			if err == nil {
				_, err = fmt.Fprintln(std.Out, code)
			}
			return std.Told(err)
		},
	}
}
