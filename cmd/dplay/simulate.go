package main

import (
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/simulated"
	"dplay4/internal/sim"
)

var simulateLong = `Run a whole session of this program's own engines in one thread, on a made-up network with a made-up clock. The seed
draws the network, the faults, and what the players do; a flag overrides what it drew. The same seed and flags give the
same run, to the octet. Nothing is sent on the real network.

The timeline says what happened, a line a moment: time, machine (* for all of them), what kind, and the rest. What must
never be is a "violation". --svg draws the run: a lane a machine, who is host over time, what was cut off.

Faults:
  none, all, ` + strings.Join(sim.FaultNames(), ", ") + `.
  With lobby 3 to 8 machines join at once, members are slow to acknowledge them, then members and the host go.
  With breaks connections break several at once, in both directions, repeatedly, or just when the session changes.
  With pairs two machines do not reach each other, and both reach the rest. With noudp or notcp one protocol is blocked.
  With threeway the network falls into three parts, which come together in any order.
  With timeout a machine is silent for as long as the ping timer waits, give or take a nanosecond or the time of a trip.
  With strike a machine dies while the parts of a session come together: a host, the next one, or the one that comes over.
  With crashloop a program crashes and starts again several times. With sharing programs at one address take each other's ports.
  With older some machines (--older) have an earlier release of this program, which counts as a legacy machine.
  With break single connections are reset while the network is well: nobody should lose the session by that.

Out of the session (0 is wanted):
  A member is thrown out if its program lives and answers, and it loses its session, or no other member has it in the end.
  Reasons that excuse this: a fault kept it from answering, or did until lately (silent); it or its host has the rules of
  DirectPlay 4 alone (old_rules); the session has no MIGRATEHOST and its host is gone (host_gone). The table of --runs
  counts the connections that the fault break broke ("breaks") and the members that were thrown out.

Guaranteed messages (0 is wanted):
  Each is counted once for each member that it is for. It is lost if it never arrives although both stay in the session.
  Reasons: its connection broke, and its sender did not keep it or reported that it may be lost (broke), or was closed
  (former), one of the two had lost the other one or came into a view with another part (parted), the receiver did not
  know its player (unknown), the player or group was deleted (deleted), or too much waited for a program that stood still
  (overflow). A message can arrive after a later one where it was on a former connection (former), waited for its player
  (unknown), is in fragments (fragments), or where the two took different ways: links of the reliable protocol
  (links), or by the host and directly (routed).

The end (0 is wanted):
  After the faults and the time to come right, each member sends a message, changes its name and data, makes a group, and
  puts a player and a group into groups. All members with the same host have to hear of it. Players who entered groups, and
  groups that were made visible in groups, have to be there at each of these members.

Many runs:
  --runs does so many, with seeds from --seed on, and prints a table by rule and loss rate instead. Each line has
  its share of the runs, with the same seeds: runs in which a session had several hosts at some time, or still has in
  the end; members that lost their session; the time to a new host as the members saw it (median, 95th
  percentile, worst); what of their players, groups and memberships other members do not have in the end. A second table
  has the rest of the above, and the time that members had no host, because it was gone or they had lost it. --drawn keeps
  the rule and loss that each seed draws. On standard error stands how many steps of engines a core simulated in a second
  of processor time.

JSON:
  --format ndjson prints an object a line, told apart by "type": run (with the options), moment, violation, statistics;
  or row, with --runs. With --drawn its rule is "drawn", and it has no loss. Times are in seconds: new_host is the time to a
  new host, no_host each time without one; both have count, total, median, p95 and worst. Numbers are
    members     breaks, thrown_out, out_silent, out_old_rules, out_host_gone; out_in_the_end of them do not know it;
                without_host_in_the_end; runs_thrown_out in a row
    messages    guaranteed, lost, doubled, out_of_order, and with reasons lost_broke, lost_former, lost_parted, lost_unknown,
                lost_deleted, lost_overflow, out_of_order_former and so on
    the end     said, unheard, unsaid (refused), memberships_lost, shortcuts_lost

Exit status: 0 nothing was violated, 1 something was, or a file could not be written, 2 wrong usage.`

const simulateExamples = `  dplay simulate --seed 7
  dplay simulate --seed 7 --members 8 --legacy 2 --rule dplay4 --faults crash,partition --minutes 40 --svg run.svg
  dplay simulate --seed 7 --format ndjson | jq -r 'select(.kind == "host").text'
  dplay simulate --seed 7 --trace --faults none --minutes 15
  dplay simulate --runs 80
  dplay simulate --runs 2000 --drawn --format ndjson | jq .numbers
  dplay simulate --runs 12 --rule modern --legacy 0 --objects 0 --flags migratehost,keepalive --faults break --members 6`

func newSimulate(std cli.Streams) *cobra.Command {
	o := &simulated.Options{}
	return flags.Register(&cobra.Command{
		Use:     "simulate [flags]",
		Short:   "Simulate sessions on a faulty network",
		Long:    simulateLong,
		Example: simulateExamples,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Check(cmd.Flags().Changed); err != nil {
				return err
			}
			return o.Run(cmd.Context(), std)
		},
	}, o)
}
