package simulated

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/internal/processor"
	"dplay4/internal/sim"
)

// A cell is a line of the table, with the seeds that do not keep the rules.
type cell struct {
	row   sim.Row
	first string         // the first violation
	seeds int            // with violations
	kinds map[string]int // of them, by the rule that they violated first
}

// table does many runs on all processors and prints what came of them.
func (f *Options) table(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a run is small, and makes much that is soon gone
	cells := []cell{{}}                               // of runs as they are drawn
	if !f.Drawn {
		cells = nil
		for _, rule := range f.rules() {
			for _, loss := range sim.LossRates() {
				cells = append(cells, cell{row: sim.Row{Rule: rule, Loss: loss}})
			}
		}
	}
	bar := cli.CountBar(f.NoProgress, f.std.Err, "runs", f.Runs)
	steps, runs, began := 0, 0, processor.Time()
	if err := f.fill(ctx, cells, func(n int) {
		steps, runs = steps+n, runs+1
		bar.Set(int64(runs))
	}); err != nil {
		return err
	}
	spent := processor.Time() - began // not the time that passes: other programs have the cores, too
	bar.End()
	if ctx.Err() != nil {
		fmt.Fprintln(f.std.Err, "dplay: interrupted: the table has the runs that were done")
	}
	out := cli.NewOutput(f.std.Out)
	if f.Format.Value == "ndjson" {
		writeTableJSON(out, cells)
	} else {
		writeTableText(out, cells)
	}
	if err := f.std.Told(out.End()); err != nil {
		return err
	}
	if spent > 0 { // not in the table, which is the same every time
		fmt.Fprintf(f.std.Err, "%d steps, %.0f a second and core\n", steps, float64(steps)/spent.Seconds())
	}
	bad := 0
	for i := range cells {
		if c := &cells[i]; c.seeds > 0 {
			bad += c.seeds
			fmt.Fprintf(f.std.Err, "dplay: rule %s, loss %s: %d run(s) with violations (%s); %s\n", ruleText(&c.row), lossText(&c.row),
				c.seeds, c.kindsText(), c.first)
		}
	}
	if bad > 0 || ctx.Err() != nil {
		return cli.ErrFailed
	}
	return nil
}

// fill does the runs. Each is in one goroutine; they are counted in the order of their seeds, so that the same command
// always prints the same table. did is called for each with its number of steps.
func (f *Options) fill(ctx context.Context, cells []cell, did func(steps int)) error {
	type done struct {
		r   *sim.Result
		err error
	}
	results := make([]chan done, f.Runs)
	for i := range results {
		results[i] = make(chan done, 1)
	}
	slots := make(chan struct{}, f.Jobs)
	var group sync.WaitGroup
	defer group.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group.Go(func() {
		for i := range f.Runs {
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots }()
				if ctx.Err() != nil {
					results[i] <- done{}
					return
				}
				o := f.options(f.Seed + uint64(i/len(cells)))
				if c := &cells[i%len(cells)].row; !f.Drawn {
					o = o.Under(c.Rule, c.Loss)
				}
				r, err := sim.Run(o)
				if r != nil {
					r.Timeline, r.Spans, r.Cuts = nil, nil, nil
				}
				results[i] <- done{r, err}
			})
		}
	})
	for i := range results {
		switch d := <-results[i]; {
		case d.err != nil:
			return fmt.Errorf("seed %d: %w", f.Seed+uint64(i/len(cells)), d.err)
		case d.r != nil:
			cells[i%len(cells)].add(d.r)
			did(d.r.Steps)
		}
	}
	return nil
}

func (c *cell) add(r *sim.Result) {
	c.row.Add(r)
	if len(r.Violations) > 0 {
		if c.seeds++; c.seeds == 1 {
			c.kinds = map[string]int{}
			c.first = fmt.Sprintf("seed %d: %s", r.Options.Seed, violationText(r, 0))
		}
		c.kinds[r.Violations[0].Rule]++
	}
}

// writeTableText writes two tables for people: hosts and lists, then members and messages.
func writeTableText(out *cli.Output, cells []cell) {
	fmt.Fprintf(out, "%-7s %5s %7s %7s %7s %7s %7s %7s %7s %9s %9s %9s %12s %10s\n", "rule", "loss", "runs", "split", "at end",
		"hosts", "members", "breaks", "thrown", "new host", "", "", "operations", "runs with")
	fmt.Fprintf(out, "%-7s %5s %7s %7s %7s %7s %7s %7s %7s %9s %9s %9s %12s %10s\n", "", "", "", "", "", "gone", "lost", "", "out",
		"median", "95th", "worst", "lost", "violations")
	for i := range cells {
		r := &cells[i].row
		s := &r.Stats
		lost := "-"
		if s.Known > 0 {
			lost = fmt.Sprintf("%.3f%%", 100*float64(s.LostOperations)/float64(s.Known))
		}
		fmt.Fprintf(out, "%-7s %5s %7d %7d %7d %7d %7d %7d %7d %9s %9s %9s %12s %10d\n", ruleText(r), lossText(r), r.Runs, r.Split,
			r.SplitEnd, s.HostsLost, s.SessionsLost, s.Breaks, s.ThrownOut, secondsText(s.NewHost, .5), secondsText(s.NewHost, .95),
			secondsText(s.NewHost, 1), lost, r.Violated)
	}
	const line = "%-7s %5s %9s %7s %10s %7s %7s %7s %8s %8s %9s %8s %8s %9s %9s %9s %9s\n"
	fmt.Fprintf(out, "\n"+line, "rule", "loss", "runs with", "out in", "guaranteed", "lost", "of them", "of them", "doubled", "out of",
		"said in", "not", "outside", "no host", "", "", "")
	fmt.Fprintf(out, line, "", "", "thrown", "the end", "messages", "", "broke", "no cause", "", "order", "the end", "heard", "groups",
		"times", "together", "median", "worst")
	for i := range cells {
		r := &cells[i].row
		s := &r.Stats
		lost := 0
		for _, n := range s.NeverCame {
			lost += n
		}
		n := func(n int) string { return strconv.Itoa(n) }
		fmt.Fprintf(out, line, ruleText(r), lossText(r), n(r.Thrown), n(s.Stranded), n(s.Guaranteed), n(lost), n(s.NeverCame[sim.Broke]),
			n(s.NeverCame[sim.NoCause]), n(s.Doubled), n(s.Overtaken[sim.NoCause]+s.Stale), n(s.Said), n(s.Unheard+s.Unsaid),
			n(s.Outside+s.Unlinked), n(len(s.NoHost)), fmt.Sprintf("%.0fs", s.NoHost.Total().Seconds()), secondsText(s.NoHost, .5),
			secondsText(s.NoHost, 1))
	}
}

// ruleText and lossText name a line of the table. One of runs as their seeds draw them has all rules and loss rates.
func ruleText(r *sim.Row) string {
	if r.Rule == "" {
		return "drawn"
	}
	return string(r.Rule)
}

func lossText(r *sim.Row) string {
	if r.Rule == "" {
		return "drawn"
	}
	return fmt.Sprintf("%v%%", 100*r.Loss)
}

// writeTableJSON writes the table as JSON.
func writeTableJSON(out *cli.Output, cells []cell) {
	for i := range cells {
		r := &cells[i].row
		numbers := numbersOf(&r.Stats)
		numbers["runs"], numbers["runs_split"], numbers["runs_split_in_the_end"] = r.Runs, r.Split, r.SplitEnd
		numbers["runs_thrown_out"] = r.Thrown
		line := &Line{Type: "row", Rule: ruleText(r), Violations: &r.Violated, NewHost: timesOf(r.Stats.NewHost),
			NoHost: timesOf(r.Stats.NoHost), Numbers: numbers}
		if r.Rule != "" {
			line.Loss = &r.Loss
		}
		out.Add(events.AppendJSON(out.Buffer(), line))
	}
}

// kindsText writes how many runs violated which rule first.
func (c *cell) kindsText() string {
	names := slices.Sorted(maps.Keys(c.kinds))
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, c.kinds[n])
	}
	return strings.Join(names, ", ")
}
