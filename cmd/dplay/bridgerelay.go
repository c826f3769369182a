package main

import (
	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/relaying"
)

const bridgeRelayLong = `Run a relay: the machine at which the bridges of players find each other, and through which they talk
where their routers let nothing else through. It needs a public address, UDP and TCP port 3478, and better also UDP 3479 and TCP 5349. It is
a TURN server that relays between its own users alone, so nobody can aim it at others. "dplay help relay" says how to run one in
five minutes, "dplay help community" how to run many.

Without --auth-secret-file everybody may use it. With it, players need a name and a password that "dplay bridge credential" makes.

SIGTERM and Ctrl-C end it in good order: nobody new is let in, and it ends when all have left, or after --grace. Twice, and it
ends at once.

--events ndjson prints one JSON object an event, and --until EVENT ends the relay once that event was printed; "dplay help events"
describes them. --metrics serves /metrics for Prometheus, and
/healthz, to everybody who reaches its address: 127.0.0.1 is for this machine alone, other addresses give a warning.

Exit status: 0 it ended as told, 1 it could not listen, something failed, or it ended before the event of --until, 2 wrong usage.`

const bridgeRelayExamples = `  dplay bridge relay --public 203.0.113.5
  dplay bridge relay --public 203.0.113.5 --public 2001:db8::5 --metrics 127.0.0.1:9478
  dplay bridge relay --public 203.0.113.5 --auth-secret-file secret.txt --tls-cert tls.crt --tls-key tls.key`

func newBridgeRelay(std cli.Streams) *cobra.Command {
	f := relaying.NewFlags()
	return flags.Register(&cobra.Command{
		Use:     "relay [flags] --public ADDRESS",
		Short:   "Run a relay for players",
		Long:    bridgeRelayLong,
		Example: bridgeRelayExamples,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.Options()
			if err != nil {
				return err
			}
			return std.Told(relaying.Run(cmd.Context(), std, o))
		},
	}, f)
}
