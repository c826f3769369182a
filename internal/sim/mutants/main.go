// Command mutants shows which faults in the engine the simulator notices. A mutant is the engine with one rule taken out; mutants.txt
// has them. Each simulates sessions until something is violated, or until its processor time is used up.
//
// Usage:
//
//	go run ./internal/sim/mutants [--minutes N] [--jobs N] [--want N] [--only NAME,...] [--base SEED] [--format text|markdown|json] [--json FILE]
//
// It ends with 1 if fewer mutants are caught than are wanted, and with 2 if the command line is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const usage = `Usage: mutants [flags]

Takes one rule after the other out of the engine, and shows which of these mutants the simulator notices: by itself, without the
other tests. The mutants are in internal/sim/mutants/mutants.txt. The tree is not changed.

A mutant simulates the sessions whose seeds ever failed, in turn with new ones, until one of them violates something that the
unmutated engine keeps there. It survives if its processor time is used up before.

Columns:
  caught by  the kind and the seed of the run, and the rule of the simulator that it violates. The run again:
             held           dplay simulate --seed SEED, without the faults threeway, timeout and sharing
             first, objects with the first fourteen faults alone (objects: with --objects 0, or 2 where there are none)
             frames         as first, with the flags of the seed and --flags ...,directplayprotocol
             lobby          with --rule modern --legacy 0 --loss 0 --flags migratehost,keepalive --faults clock,churn,lobby
  seconds    of processor time
  runs       that ended, and how many of them were unlike the unmutated engine's. If few are, the simulator hardly ever needs the
             rule; if many are, it does not look at what the rule keeps

Flags:
`

// listFile has the mutants, from the module's root.
const listFile = "internal/sim/mutants/mutants.txt"

// A config is what the command line says.
type config struct {
	minutes float64
	jobs    int
	want    int // -1: as the list says
	only    []string
	base    uint64
	format  string
	json    string
}

// errFewer says what the table says as well.
var errFewer = errors.New("fewer mutants were caught than are wanted")

// A usageError is about the command line.
type usageError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "mutants:", err)
	if errors.As(err, new(usageError)) {
		os.Exit(2)
	}
	os.Exit(1)
}

// command does what the command line says. "worker" is what this program starts its other processes with.
func command(ctx context.Context, args []string, in io.Reader, out, progress io.Writer) error {
	if len(args) > 0 && args[0] == workerWord {
		alone()
		return work(in, out)
	}
	c, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.run(ctx, out, progress)
}

// parse reads the flags. It returns flag.ErrHelp once it has printed the help.
func parse(args []string, out io.Writer) (config, error) {
	c := config{}
	f := flag.NewFlagSet("mutants", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Float64Var(&c.minutes, "minutes", 5, "processor time for each mutant, of all its processes together")
	f.IntVar(&c.jobs, "jobs", 2, "processes at a time")
	f.IntVar(&c.want, "want", -1, "how many mutants have to be caught; -1 is the number in the list, or 0 with --only")
	only := f.String("only", "", "the `names` of mutants, with commas; all if there is none")
	f.Uint64Var(&c.base, "base", 1, "the first new `seed`")
	f.StringVar(&c.format, "format", "text", "text, markdown or json")
	f.StringVar(&c.json, "json", "", "write the table as JSON into `FILE` as well")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
		f.SetOutput(out)
		f.PrintDefaults()
		return c, err
	} else if err != nil {
		return c, usageError{err}
	}
	switch {
	case f.NArg() > 0:
		return c, usageError{fmt.Errorf("it takes no argument, and got %q", f.Arg(0))}
	case !(c.minutes >= 0.01 && c.minutes <= 24*60):
		return c, usageError{fmt.Errorf("--minutes %v: 0.01 to %d", c.minutes, 24*60)}
	case c.jobs < 1 || c.jobs > 256:
		return c, usageError{fmt.Errorf("--jobs %d: 1 to 256", c.jobs)}
	case c.want < -1:
		return c, usageError{fmt.Errorf("--want %d: a number of mutants, or -1", c.want)}
	case !slices.Contains([]string{"text", "markdown", "json"}, c.format):
		return c, usageError{fmt.Errorf("--format %q: text, markdown or json", c.format)}
	}
	if *only != "" {
		c.only = strings.Split(*only, ",")
	}
	return c, nil
}

// choose returns the mutants that the command line names, and how many of them are to be caught.
func (c *config) choose(l *list) ([]mutant, int, error) {
	want := c.want
	if want < 0 {
		want = l.want
	}
	if len(c.only) == 0 {
		return l.mutants, want, nil
	}
	var some []mutant
	for _, name := range c.only {
		i := slices.IndexFunc(l.mutants, func(m mutant) bool { return m.name == name })
		if i < 0 {
			var names []string
			for _, m := range l.mutants {
				names = append(names, m.name)
			}
			return nil, 0, usageError{fmt.Errorf("--only: no mutant is called %q; there are %s", name, strings.Join(names, ", "))}
		}
		some = append(some, l.mutants[i])
	}
	return some, max(c.want, 0), nil
}

// run builds the mutants, then tries them one after the other.
func (c *config) run(ctx context.Context, out, progress io.Writer) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &builder{root: root, dir: dir}
	text, err := b.read(listFile)
	if err != nil {
		return err
	}
	l, err := parseList(string(text))
	if err != nil {
		return err
	}
	mutants, want, err := c.choose(l)
	if err != nil {
		return err
	}
	if want > len(mutants) {
		return usageError{fmt.Errorf("%d mutants are wanted, and there are %d", want, len(mutants))}
	}
	s, err := newSchedule(os.DirFS(filepath.Join(root, "internal", "sim", "testdata")), c.base)
	if err != nil {
		return err
	}
	programs, unmutated, err := b.buildAll(ctx, mutants, progress)
	if err != nil {
		return err
	}
	t := &trial{schedule: s, program: unmutated, jobs: c.jobs, limit: time.Duration(c.minutes * float64(time.Minute)), progress: progress}
	if err := t.unmutated(ctx); err != nil {
		return err
	}
	sum := summary{Minutes: c.minutes, Base: c.base, Want: want}
	for i := range mutants {
		r, err := t.try(ctx, &mutants[i], programs[i])
		if err != nil {
			return fmt.Errorf("mutant %s: %w", mutants[i].name, err)
		}
		row := rowOf(&r, s)
		sum.Mutants = append(sum.Mutants, row)
		if r.caught {
			sum.Caught++
		}
		fmt.Fprintf(progress, "mutants: %d of %d: %s: %s\n", i+1, len(mutants), row.Name, row.short())
	}
	sum.Unmutated, sum.Bad = len(t.known), t.bad
	return c.tell(&sum, out)
}

// buildAll builds all mutants and the unmutated engine. Its error names every mutant that cannot be built.
func (b *builder) buildAll(ctx context.Context, mutants []mutant, progress io.Writer) (programs []string, unmutated string, err error) {
	if unmutated, err = b.build(ctx, nil); err != nil {
		return nil, "", err
	}
	began := time.Now()
	var wrong []error
	for i := range mutants {
		p, err := b.build(ctx, &mutants[i])
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		if err != nil {
			wrong = append(wrong, err)
		}
		programs = append(programs, p)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, "", err
	}
	fmt.Fprintf(progress, "mutants: %d mutants were built in %.0f s\n", len(mutants), time.Since(began).Seconds())
	return programs, unmutated, nil
}

// tell writes the table.
func (c *config) tell(sum *summary, out io.Writer) error {
	if err := sum.write(out, c.format); err != nil {
		return err
	}
	if c.json != "" {
		f, err := os.Create(c.json)
		if err != nil {
			return err
		}
		if err := errors.Join(sum.write(f, "json"), f.Close()); err != nil {
			return err
		}
	}
	if sum.Caught < sum.Want {
		return fmt.Errorf("%w: %d of %d", errFewer, sum.Caught, sum.Want)
	}
	return nil
}
