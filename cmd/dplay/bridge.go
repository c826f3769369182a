package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
)

const bridgeLong = `Play over the internet, without a VPN, forwarded ports or administrator rights. Each player runs a bridge beside the game; to
the games it looks as if all of them ran on one machine. "dplay help internet" says what to expect.

Exit status: 0 the session was left, 1 it could not be had, or something failed, 2 wrong usage.`

func newBridge(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bridge COMMAND",
		Short: "Play over the internet",
		Long:  bridgeLong,
		RunE:  whichOne("share, join, code, doctor, kick, cut, admit, refuse, relay or credential"),
	}
	cmd.AddCommand(newBridgeShare(std), newBridgeJoin(std), newBridgeCode(std), newBridgeDoctor(std))
	for _, o := range bridgeOrders {
		cmd.AddCommand(newBridgeOrder(std, o))
	}
	cmd.AddCommand(newBridgeRelay(std), newBridgeCredential(std))
	return cmd
}

const bridgeCodeLong = `Print the code of the session that a bridge on this machine is in: who has it can join by "dplay bridge join". All who are in the
session have the same code.

Exit status: 0 it was printed, 1 no bridge runs here, 2 wrong usage.`

func newBridgeCode(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "code",
		Short:   "Print the code of the session",
		Long:    bridgeCodeLong,
		Example: "  dplay bridge code",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			reply, err := bridging.Ask(cmd.Context(), "list", "")
			if err == nil {
				_, err = fmt.Fprintln(std.Out, reply.Code)
			}
			return std.Told(err)
		},
	}
}

// A bridgeOrder is a command that the bridge of this machine carries out on another machine of the session.
type bridgeOrder struct {
	name, args, short, long, example string
	done                             func(name string) string
	whom                             string // the error if no machine is named; "": none has to be named
}

const bridgeKickLong = `Send a machine out of the session that a bridge on this machine is in, for all: by its name or its number, as the bridge's table
has them. Only the machine that lets newcomers in can, at first the one that shared the session; any other one says which that is.
Who has the code can come back: share a new session then, or with --ask.

Exit status: 0 it was sent away, 1 it was not: there is no such machine, another one lets newcomers in, or no bridge runs here,
2 wrong usage.`

const bridgeCutLong = `Part a machine of the session from this one alone, for good, if the machine that lets newcomers in does not send it away: by its
name or its number, as the bridge's table has them. The others still have it, and most games need every two machines connected: the game
may miss it, or end.

Exit status: 0 it was cut off, 1 it was not: there is no such machine, this one lets newcomers in and can send it away, or no
bridge runs here, 2 wrong usage.`

const bridgeAdmitLong = `Let a newcomer in that waits for a yes, where a session was shared with --ask: by its name, or by the id that the event machine_asks
has; without one, whoever came first. The machine that lets newcomers in is asked, at first the one that shared the session.

Exit status: 0 it may come in, 1 nobody of that name asks, or no bridge runs here, 2 wrong usage.`

const bridgeRefuseLong = `Do not let a newcomer in that waits for a yes, where a session was shared with --ask: by its name, or by the id that the event
machine_asks has; without one, whoever came first.

Exit status: 0 it was told no, 1 nobody of that name asks, or no bridge runs here, 2 wrong usage.`

// bridgeOrders are all orders.
var bridgeOrders = []bridgeOrder{
	{"kick", "NAME|NUMBER", "Send a machine out of the session", bridgeKickLong, "  dplay bridge kick Bob\n  dplay bridge kick 3",
		bridging.SentAway, "whom? NAME or NUMBER, as the bridge's table has them"},
	{"cut", "NAME|NUMBER", "Part a machine from this one alone", bridgeCutLong, "  dplay bridge cut Bob",
		bridging.CutOff, "whom? NAME or NUMBER, as the bridge's table has them"},
	{"admit", "[NAME|ID]", "Let a newcomer in", bridgeAdmitLong, "  dplay bridge admit\n  dplay bridge admit Bob",
		bridging.MayComeIn, ""},
	{"refuse", "[NAME|ID]", "Do not let a newcomer in", bridgeRefuseLong, "  dplay bridge refuse Bob",
		bridging.MayNotComeIn, ""},
}

func newBridgeOrder(std cli.Streams, o bridgeOrder) *cobra.Command {
	return &cobra.Command{
		Use:     o.name + " " + o.args,
		Short:   o.short,
		Long:    o.long,
		Example: o.example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && o.whom != "" {
				return errors.New(o.whom)
			}
			reply, err := bridging.Ask(cmd.Context(), o.name, strings.Join(args, " "))
			if err == nil {
				_, err = fmt.Fprintln(std.Out, o.done(reply.Machine.Called()))
			}
			return std.Told(err)
		},
	}
}
