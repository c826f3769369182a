package main

import (
	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/play"
)

// playHelp is the help that both commands share.
const playHelp = `Lines that you type are sent as chat, /help lists what else can be typed, Ctrl-C leaves: the others are told. "dplay help playing" has
more: the player and his text, pings, ports, what --record keeps.

For programs:
  --events ndjson prints one JSON object an event: sessions, players, groups, messages with their octets, and what was dropped and
  why. --commands ndjson takes one command a line on standard input, such as
    {"command":"say","text":"hello","id":1}
  and answers each by an event with its id. --until peer_joined leaves once somebody has joined: any event can stand there.
  "dplay help events" describes all three.
`

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
	host := play.NewHost()
	return flags.Register(&cobra.Command{
		Use:     "host [flags] --app GUID|NAME --name NAME",
		Short:   "Host a session",
		Long:    hostLong,
		Example: hostExamples,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return host.Run(cmd.Context(), std, cmd.Flags()) },
	}, host)
}
