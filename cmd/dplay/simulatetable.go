package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/schollz/progressbar/v3"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/internal/processor"
	"dplay4/internal/sim"
)

// A cell is a line of the table, with the seeds that do not keep the rules.
type cell struct {
	row   sim.Row
	first string // the first violation
	seeds int    // with violations
}

// table does many runs on all processors and prints what came of them.
func (f *simulateFlags) table(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a run is small, and makes much that is soon gone
	var cells []cell
	for _, rule := range f.rules() {
		for _, loss := range sim.LossRates() {
			cells = append(cells, cell{row: sim.Row{Rule: rule, Loss: loss}})
		}
	}
	bar := f.bar()
	steps, began := 0, processor.Time()
	if err := f.fill(ctx, cells, func(n int) {
		steps += n
		if bar != nil {
			bar.Add(1) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
		}
	}); err != nil {
		return err
	}
	spent := processor.Time() - began // not the time that passes: other programs have the cores, too
	if bar != nil {
		bar.Finish() //nolint:errcheck // likewise
	}
	if ctx.Err() != nil {
		fmt.Fprintln(f.std.Err, "dplay: interrupted: the table has the runs that were done")
	}
	out := cli.NewOutput(f.std.Out)
	if f.format.Value == "ndjson" {
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
			fmt.Fprintf(f.std.Err, "dplay: rule %s, loss %v%%: %d run(s) with violations; %s\n", c.row.Rule,
				100*c.row.Loss, c.seeds, c.first)
		}
	}
	if bad > 0 || ctx.Err() != nil {
		return cli.ErrFailed
	}
	return nil
}

// bar returns a progress bar, nil where nobody would see it.
func (f *simulateFlags) bar() *progressbar.ProgressBar {
	t := cli.Terminal(f.std.Err)
	if t == nil || f.noProgress {
		return nil
	}
	return progressbar.NewOptions(f.runs, progressbar.OptionSetWriter(t), progressbar.OptionSetDescription("runs"),
		progressbar.OptionFullWidth(),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(progressEvery), progressbar.OptionClearOnFinish())
}

// fill does the runs. Each is in one goroutine; they are counted in the order of their seeds, so that the same command
// always prints the same table. did is called for each with its number of steps.
func (f *simulateFlags) fill(ctx context.Context, cells []cell, did func(steps int)) error {
	type done struct {
		r   *sim.Result
		err error
	}
	results := make([]chan done, f.runs)
	for i := range results {
		results[i] = make(chan done, 1)
	}
	slots := make(chan struct{}, f.jobs)
	var group sync.WaitGroup
	defer group.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group.Go(func() {
		for i := range f.runs {
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots }()
				if ctx.Err() != nil {
					results[i] <- done{}
					return
				}
				c := &cells[i%len(cells)].row
				r, err := sim.Run(f.options(f.seed+uint64(i/len(cells))).Under(c.Rule, c.Loss))
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
			return fmt.Errorf("seed %d: %w", f.seed+uint64(i/len(cells)), d.err)
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
			c.first = fmt.Sprintf("seed %d: %s", r.Options.Seed, violationText(r, 0))
		}
	}
}

// writeTableText writes the table for people.
func writeTableText(out *cli.Output, cells []cell) {
	fmt.Fprintf(out, "%-7s %5s %7s %7s %7s %7s %7s %7s %7s %9s %9s %9s %12s %10s\n", "rule", "loss", "runs", "split", "at end",
		"hosts", "members", "breaks", "thrown", "new host", "", "", "operations", "runs with")
	fmt.Fprintf(out, "%-7s %5s %7s %7s %7s %7s %7s %7s %7s %9s %9s %9s %12s %10s\n", "", "", "", "", "", "gone", "lost", "", "out",
		"median", "95th", "worst", "lost", "violations")
	for i := range cells {
		r := &cells[i].row
		lost := "-"
		if r.Operations > 0 {
			lost = fmt.Sprintf("%.3f%%", 100*float64(r.LostOps)/float64(r.Operations))
		}
		fmt.Fprintf(out, "%-7s %4v%% %7d %7d %7d %7d %7d %7d %7d %9s %9s %9s %12s %10d\n", r.Rule, 100*r.Loss, r.Runs, r.Split,
			r.SplitEnd, r.HostsLost, r.Lost, r.Breaks, r.ThrownOut, secondsText(r, .5), secondsText(r, .95), secondsText(r, 1),
			lost, r.Violated)
	}
}

// writeTableJSON writes the table as JSON.
func writeTableJSON(out *cli.Output, cells []cell) {
	for i := range cells {
		r := &cells[i].row
		out.Add(events.AppendJSON(out.Buffer(), &simulateJSON{Type: "row", Rule: string(r.Rule), Loss: &r.Loss, Violations: &r.Violated,
			NewHost: quantiles(r), Numbers: map[string]int{
				"runs": r.Runs, "runs_split": r.Split, "runs_split_in_the_end": r.SplitEnd, "hosts_gone": r.HostsLost,
				"sessions_lost": r.Lost, "breaks": r.Breaks, "thrown_out": r.ThrownOut,
				"operations": r.Operations, "operations_lost": r.LostOps,
			}}))
	}
}
