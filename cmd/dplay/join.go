package main

import (
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/play"
)

var joinLong = `Join a DirectPlay 4 session: the one on the local network, or at HOST, a name or IPv4 address, that --session names.
It can be left out where there is only one that takes newcomers. A CODE, which "dplay host" prints with --share, leads to a session
over the internet.

` + playHelp + `
` + flags.AppHelp() + `

Exit status: 0 the session was left, 1 there is none, it could not be joined, was lost, or left before the event of --until, 2 wrong usage.`

const joinExamples = `  dplay join --app lotr2
  dplay join 192.0.2.7 --session Test --player Ann --password sesame
  dplay join ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR --player Bob
  dplay join 192.0.2.7 --password-file password.txt
  dplay join 192.0.2.7 --tcp 31415 --udp 31415
  dplay join 192.0.2.7 --say hello --send-hex 'de ad be ef' --unreliable --for 5s --events ndjson
  dplay join 192.0.2.7 --send-hex c0ffee --until message --for 1m
  dplay join 192.0.2.7 --player Bot --commands ndjson`

func newJoin(std cli.Streams) *cobra.Command {
	join := play.NewJoin()
	return flags.Register(&cobra.Command{
		Use:     "join [flags] [HOST|CODE]",
		Short:   "Join a session",
		Long:    joinLong,
		Example: joinExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if flags.IsCode(strings.Join(args, " ")) {
				return nil // it may have been pasted with spaces
			}
			return atMostHost(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return join.Run(cmd.Context(), std, cmd.Flags(), args) },
	}, join)
}
