// Package simulated does the runs of "dplay simulate" and prints what came of them.
package simulated

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/internal/sim"
	"dplay4/wire"
)

// Options are the flags of "dplay simulate".
type Options struct {
	Seed       uint64        `flag:"seed" default:"1" usage:"what everything is drawn from, <N>"`
	Members    int           `flag:"members" usage:"so many machines, <N> from 2 to 64"`
	Legacy     int           `flag:"legacy" usage:"so many of them, <N>, know DirectPlay 4 alone"`
	Older      int           `flag:"older" usage:"so many of the others, <N>, have an older release of this program; 0 for none; with --runs, at most so many"`
	Faults     flags.Faults  `flag:"faults" shown:"" usage:"these faults; see above"` // the seed draws them, like all that are 0
	Loss       float64       `flag:"loss" usage:"<PERCENT> of all packets are lost, 0 to 50"`
	Objects    int           `flag:"objects" usage:"each machine makes <N> replicated objects at most, 0 for none"`
	Minutes    float64       `flag:"minutes" usage:"how long the run is, <N>"`
	Rule       flags.Choice  `flag:"rule" choice:"modern,dplay4" shown:"" usage:"how the next host is found"`
	Flags      flags.Session `flag:"flags" usage:"flags of the session, such as migratehost,keepalive"`
	Trace      bool          `flag:"trace" usage:"print every message that is sent, received, or dropped"`
	Format     flags.Choice  `flag:"format" choice:"text,ndjson" usage:"write lines for people, or a JSON object a line"`
	SVG        string        `flag:"svg" offer:"svg" usage:"draw the run into <FILE>"`
	Force      bool          `flag:"force" usage:"replace the file of --svg if there is one"`
	Frames     bool          `flag:"frames" usage:"with DIRECTPLAYPROTOCOL, beside the flags that the seed draws"`
	Runs       int           `flag:"runs" usage:"do <N> runs and print a table"`
	Drawn      bool          `flag:"drawn" usage:"with --runs, keep the rule and loss that each seed draws, and print one line"`
	Jobs       int           `flag:"jobs" usage:"do <N> runs at a time (default: one a processor)"`
	NoProgress bool          `flag:"no-progress" usage:"no progress bar for many runs on a terminal"`
	changed    func(name string) bool
	std        cli.Streams
}

// maxRuns bounds the runs of a table. Their results are counted in order, and wait for earlier ones.
const maxRuns = 1_000_000

// Check refuses flags that do not go together and values out of range. changed reports whether a flag was given.
func (f *Options) Check(changed func(name string) bool) error {
	f.changed = changed
	if err := cmp.Or(
		flags.Refuse(f.changed("runs") && f.Runs < 1, "--runs %d: at least one", f.Runs),
		flags.Refuse(f.Runs > maxRuns, "--runs %d: a million at most", f.Runs),
		flags.Refuse(f.changed("jobs") && f.Jobs < 1, "--jobs %d: at least one", f.Jobs),
		flags.Refuse(f.Runs > 0 && (f.SVG != "" || f.Trace), "--svg and --trace are for one run: they do not go with --runs"),
		flags.Refuse(f.Force && f.SVG == "", "--force replaces the file of --svg: it does nothing without it"),
		flags.Refuse(f.Drawn && f.Runs == 0, "--drawn is for the table of --runs: give --runs as well"),
		flags.Refuse(f.Runs > 0 && f.changed("loss") && !f.Drawn,
			"--runs goes through loss rates itself: --loss does not go with it, unless --drawn is given"),
		flags.Refuse(!(f.Loss >= 0 && f.Loss <= 50), "--loss %v: percent from 0 to 50", f.Loss), // also of NaN
		flags.Refuse(f.changed("minutes") && !(f.Minutes > 0 && f.Minutes <= 7*24*60), "--minutes %v: more than nothing, and a week at most", f.Minutes),
	); err != nil {
		return err
	}
	f.Jobs = cmp.Or(f.Jobs, runtime.GOMAXPROCS(0))
	o := f.options(f.Seed)
	if err := o.Check(); err != nil {
		return err
	}
	can := o.Members - o.Legacy
	return flags.Refuse(f.Runs == 0 && f.changed("older") && f.Older > can,
		"--older %d: of %d machines %d are legacy, so at most %d can have an older release; give --members or --legacy as well",
		f.Older, o.Members, o.Legacy, can)
}

// overrides are what flags that were given change of the options that a seed draws, in this order.
var overrides = []struct {
	flag  string
	apply func(o *sim.Options, f *Options)
}{
	{"members", func(o *sim.Options, f *Options) { o.Members, o.Legacy = f.Members, min(o.Legacy, max(f.Members, 0)) }},
	{"legacy", func(o *sim.Options, f *Options) { o.Legacy = f.Legacy }},
	{"faults", func(o *sim.Options, f *Options) { o.Faults = f.Faults.Faults }},
	{"older", func(o *sim.Options, f *Options) { o.Older = f.Older; with(&o.Faults, sim.Outdated, f.Older != 0) }},
	{"loss", func(o *sim.Options, f *Options) { o.Loss = f.Loss / 100; with(&o.Faults, sim.Lose, f.Loss != 0) }},
	{"objects", func(o *sim.Options, f *Options) { o.Objects = f.Objects }},
	{"minutes", func(o *sim.Options, f *Options) { o.Time = time.Duration(f.Minutes * float64(time.Minute)) }},
	{"rule", func(o *sim.Options, f *Options) { o.Rule = sim.Rule(f.Rule.Value) }},
	{"flags", func(o *sim.Options, f *Options) { o.Flags = f.Flags.SessionFlags }},
	{"frames", func(o *sim.Options, f *Options) {
		if f.Frames {
			o.Flags |= wire.SessionDirectPlayProtocol
		}
	}},
}

// with adds a fault, or takes it away.
func with(faults *sim.Faults, fault sim.Faults, on bool) {
	*faults &^= fault
	if on {
		*faults |= fault
	}
}

// options returns the options that a seed draws, overridden by the flags.
func (f *Options) options(seed uint64) sim.Options {
	o := sim.Draw(seed)
	for _, override := range overrides {
		if f.changed(override.flag) {
			override.apply(&o, f)
		}
	}
	o.Trace = f.Trace
	o.Complete()
	return o
}

// Run does one run and prints its timeline, or does many runs and prints their table.
func (f *Options) Run(ctx context.Context, std cli.Streams) error {
	f.std = std
	if f.Runs > 0 {
		return f.table(ctx)
	}
	return f.one()
}

// one does one run and prints its timeline.
func (f *Options) one() error {
	r, err := sim.Run(f.options(f.Seed))
	if err != nil {
		return err
	}
	if f.SVG != "" {
		var b bytes.Buffer
		_ = r.WriteSVG(&b) // a buffer takes everything
		if err := outfile.Write(f.SVG, b.Bytes(), outfile.Options{Mode: outfile.Public, Force: f.Force}); err != nil {
			return f.std.Told(err)
		}
	}
	out := cli.NewOutput(f.std.Out)
	if f.Format.Value == "ndjson" {
		writeRunJSON(out, r)
	} else {
		writeRunText(out, r)
	}
	if err := f.std.Told(out.End()); err != nil {
		return err
	}
	if len(r.Violations) > 0 {
		fmt.Fprintf(f.std.Err, "dplay: seed %d: %d violation(s), the first one: %s\n", f.Seed, len(r.Violations), violationText(r, 0))
		return cli.ErrFailed
	}
	return nil
}

func violationText(r *sim.Result, i int) string {
	v := &r.Violations[i]
	return fmt.Sprintf("%.3fs %s %s: %s", v.At.Seconds(), r.Name(v.Lane), v.Rule, v.Text)
}

// rules returns the rules of the table.
func (f *Options) rules() []sim.Rule {
	all := []sim.Rule{sim.DPlay4, sim.Modern}
	if f.changed("rule") {
		all = slices.DeleteFunc(all, func(r sim.Rule) bool { return string(r) != f.Rule.Value })
	}
	return all
}
