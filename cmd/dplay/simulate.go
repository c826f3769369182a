package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/internal/sim"
	"dplay4/wire"
)

// simulateFlags are the flags of "dplay simulate".
type simulateFlags struct {
	seed            uint64
	members, legacy int
	faults          flags.Faults
	loss, minutes   float64
	objects, older  int
	rule            flags.Choice
	flags           flags.Session
	trace           bool
	drawn, frames   bool
	format          flags.Choice
	svg             string
	force           bool
	runs, jobs      int
	noProgress      bool
	changed         func(name string) bool
	std             cli.Streams
}

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
	f := &simulateFlags{rule: flags.NewChoice("modern", "dplay4"), format: flags.NewChoice("text", "ndjson"), std: std}
	cmd := &cobra.Command{
		Use:                   "simulate [flags]",
		Short:                 "Simulate sessions on a faulty network",
		Long:                  simulateLong,
		Example:               simulateExamples,
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.changed = cmd.Flags().Changed
			if err := f.check(); err != nil {
				return err
			}
			if f.runs > 0 {
				return f.table(cmd.Context())
			}
			return f.one()
		},
	}
	f.register(cmd)
	return cmd
}

func (f *simulateFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.Uint64Var(&f.seed, "seed", 1, "what everything is drawn from, `N`")
	set.IntVar(&f.members, "members", 0, "so many machines, `N` from 2 to 64")
	set.IntVar(&f.legacy, "legacy", 0, "so many of them, `N`, know DirectPlay 4 alone")
	set.IntVar(&f.older, "older", 0, "so many of the others, `N`, have an older release of this program; 0 for none; with --runs, at most so many")
	set.Var(&f.faults, "faults", "these faults; see above")
	set.Float64Var(&f.loss, "loss", 0, "`PERCENT` of all packets are lost, 0 to 50")
	set.IntVar(&f.objects, "objects", 0, "each machine makes `N` replicated objects at most, 0 for none")
	set.Float64Var(&f.minutes, "minutes", 0, "how long the run is, `N`")
	f.rule.AddTo(cmd, "rule", "how the next host is found")
	set.Var(&f.flags, "flags", "flags of the session, such as migratehost,keepalive")
	set.BoolVar(&f.trace, "trace", false, "print every message that is sent, received, or dropped")
	f.format.AddTo(cmd, "format", "write lines for people, or a JSON object a line")
	set.StringVar(&f.svg, "svg", "", "draw the run into `FILE`")
	set.BoolVar(&f.force, "force", false, "replace the file of --svg if there is one")
	set.BoolVar(&f.frames, "frames", false, "with DIRECTPLAYPROTOCOL, beside the flags that the seed draws")
	set.IntVar(&f.runs, "runs", 0, "do `N` runs and print a table")
	set.BoolVar(&f.drawn, "drawn", false, "with --runs, keep the rule and loss that each seed draws, and print one line")
	set.IntVar(&f.jobs, "jobs", 0, "do `N` runs at a time (default: one a processor)")
	set.BoolVar(&f.noProgress, "no-progress", false, "no progress bar for many runs on a terminal")
	set.Lookup("rule").DefValue, set.Lookup("faults").DefValue = "", "" // the seed draws them, like all that are 0
	flags.Complete(cmd, "faults", cobra.ShellCompDirectiveNoFileComp, append([]string{"none", "all"}, sim.FaultNames()...)...)
	flags.Complete(cmd, "svg", cobra.ShellCompDirectiveFilterFileExt, "svg")
	flags.NoFiles(cmd, "seed", "members", "legacy", "older", "loss", "objects", "minutes", "flags", "runs", "jobs")
}

// maxRuns bounds the runs of a table, which are counted in order: what is done too early waits.
const maxRuns = 1_000_000

func (f *simulateFlags) check() error {
	switch {
	case f.changed("runs") && f.runs < 1:
		return fmt.Errorf("--runs %d: at least one", f.runs)
	case f.runs > maxRuns:
		return fmt.Errorf("--runs %d: a million at most", f.runs)
	case f.changed("jobs") && f.jobs < 1:
		return fmt.Errorf("--jobs %d: at least one", f.jobs)
	case f.runs > 0 && (f.svg != "" || f.trace):
		return errors.New("--svg and --trace are for one run: they do not go with --runs")
	case f.force && f.svg == "":
		return errors.New("--force replaces the file of --svg: it does nothing without it")
	case f.drawn && f.runs == 0:
		return errors.New("--drawn is for the table of --runs: give --runs as well")
	case f.runs > 0 && f.changed("loss") && !f.drawn:
		return errors.New("--runs goes through loss rates itself: --loss does not go with it, unless --drawn is given")
	case f.loss < 0 || f.loss > 50 || math.IsNaN(f.loss):
		return fmt.Errorf("--loss %v: percent from 0 to 50", f.loss)
	case f.changed("minutes") && !(f.minutes > 0 && f.minutes <= 7*24*60):
		return fmt.Errorf("--minutes %v: more than nothing, and a week at most", f.minutes)
	}
	if f.jobs == 0 {
		f.jobs = runtime.GOMAXPROCS(0)
	}
	o := f.options(f.seed)
	if err := o.Check(); err != nil {
		return err
	}
	if can := o.Members - o.Legacy; f.runs == 0 && f.changed("older") && f.older > can {
		return fmt.Errorf("--older %d: of %d machines %d are legacy, so at most %d can have an older release; give --members or --legacy as well",
			f.older, o.Members, o.Legacy, can)
	}
	return nil
}

// options returns the options of a seed, with what the flags override.
func (f *simulateFlags) options(seed uint64) sim.Options {
	o := sim.Draw(seed)
	if f.changed("members") {
		o.Members = f.members
		o.Legacy = min(o.Legacy, max(o.Members, 0))
	}
	if f.changed("legacy") {
		o.Legacy = f.legacy
	}
	if f.changed("faults") {
		o.Faults = f.faults.Faults
	}
	if f.changed("older") {
		o.Older = f.older
		if o.Faults |= sim.Outdated; o.Older == 0 {
			o.Faults &^= sim.Outdated
		}
	}
	if f.changed("loss") {
		o.Loss = f.loss / 100
		if o.Faults |= sim.Lose; o.Loss == 0 {
			o.Faults &^= sim.Lose
		}
	}
	if f.changed("objects") {
		o.Objects = f.objects
	}
	if f.changed("minutes") {
		o.Time = time.Duration(f.minutes * float64(time.Minute))
	}
	if f.changed("rule") {
		o.Rule = sim.Rule(f.rule.Value)
	}
	if f.changed("flags") {
		o.Flags = f.flags.SessionFlags
	}
	if f.frames {
		o.Flags |= wire.SessionDirectPlayProtocol
	}
	o.Trace = f.trace
	o.Complete()
	return o
}

// one does one run and prints its timeline.
func (f *simulateFlags) one() error {
	r, err := sim.Run(f.options(f.seed))
	if err != nil {
		return err
	}
	if f.svg != "" {
		var b strings.Builder
		err := r.WriteSVG(&b)
		if err == nil {
			err = outfile.Write(f.svg, []byte(b.String()), outfile.Options{Mode: outfile.Public, Force: f.force})
		}
		if err != nil {
			return f.std.Told(err)
		}
	}
	out := cli.NewOutput(f.std.Out)
	if f.format.Value == "ndjson" {
		writeRunJSON(out, r)
	} else {
		writeRunText(out, r)
	}
	if err := f.std.Told(out.End()); err != nil {
		return err
	}
	if len(r.Violations) > 0 {
		fmt.Fprintf(f.std.Err, "dplay: seed %d: %d violation(s), the first one: %s\n", f.seed, len(r.Violations), violationText(r, 0))
		return cli.ErrFailed
	}
	return nil
}

func violationText(r *sim.Result, i int) string {
	v := &r.Violations[i]
	return fmt.Sprintf("%.3fs %s %s: %s", v.At.Seconds(), r.Name(v.Lane), v.Rule, v.Text)
}

// rules returns the rules of the table.
func (f *simulateFlags) rules() []sim.Rule {
	all := []sim.Rule{sim.DPlay4, sim.Modern}
	if f.changed("rule") {
		all = slices.DeleteFunc(all, func(r sim.Rule) bool { return string(r) != f.rule.Value })
	}
	return all
}
