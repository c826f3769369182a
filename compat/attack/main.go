// Command attack has strangers and members attack a real host, and says what its other members notice. It starts the
// host, a member whose messages the host's program echoes, and the attacker, each as a process of its own, and has
// machines join all the time. On Linux, as root, all of it is in a network namespace that it makes and that ends with it;
// elsewhere it is on addresses of 127.0.0.0/8. Nothing goes anywhere else, and all ends after the given time.
//
// Usage:
//
//	go run ./compat/attack [--only NAME,...] [--seconds N] [--quiet] [--format text|markdown|ndjson]
//
// It ends with 1 if an attack did not hold, and with 2 if the command line is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

const usage = `Usage: attack [flags]

Attacks a host of our own that runs in a process beside it, and measures what others notice. All traffic stays in a network
namespace that it makes (Linux, root) or on addresses of 127.0.0.0/8. It ends with 1 if an attack did not hold.

Columns:
  p50, p99     how long echoes in the session take that a well-behaved member asks for, and, as "times", how many times longer
               than without an attack in the same run
  lost         of the echoes by datagram, or of those with guarantee, whichever is more
  memory       of the host's process, the most so far; desc.: its descriptors
  joins, wait  machines that found the session and got in meanwhile, of those that tried; the longest time that took
  third        connections that a machine that is in no session got from one other

Without --quiet the limits on times are ten times as high, because a busy machine makes every echo late, and an attack that fails
by a time or by lost echoes is tried again, up to three times in all.

Flags:
`

// A config is what the command line says.
type config struct {
	attacks []attack
	time    time.Duration // of each attack
	first   netip.Addr    // of the 250 addresses
	format  string
	quiet   bool // the limits are those of a quiet machine
}

const maxSeconds = 60

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	code := exitError(0)
	switch {
	case errors.As(err, &code):
		os.Exit(int(code))
	case errors.As(err, new(usageError)):
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

// An exitError is the exit code of the process in the namespace, which has said why.
type exitError int

func (e exitError) Error() string { return fmt.Sprint("exit code ", int(e)) }

// A usageError is about the command line.
type usageError struct{ error }

// command does what the command line says. "role" is what this program starts its other processes with.
func command(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) > 0 && args[0] == roleWord {
		return play(ctx, args[1:], in, out)
	}
	c, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if done, err := inNamespace(ctx, args, out); done {
		return err
	}
	c.first = netip.AddrFrom4([4]byte{127, 77, 0, 1})
	if !isolated() {
		c.first = netip.AddrFrom4([4]byte{127, byte(1 + os.Getpid()>>8%62), byte(os.Getpid()), 1})
	}
	return run(ctx, c, out)
}

// errNotHeld says what the table says as well.
var errNotHeld = errors.New("an attack did not hold")

// parse reads the flags. It gives flag.ErrHelp once it has printed the help.
func parse(args []string, out io.Writer) (config, error) {
	c := config{attacks: attacks}
	f := flag.NewFlagSet("attack", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	only := f.String("only", "", "the `names` of attacks, with commas; all if there is none:\n"+names())
	seconds := f.Float64("seconds", 5, fmt.Sprintf("how long each attack lasts; 0.5 to %d. All take seven minutes with 5", maxSeconds))
	f.BoolVar(&c.quiet, "quiet", false, "the machine does nothing else: hold the limits that SECURITY.md promises")
	f.StringVar(&c.format, "format", "text", "text, markdown or ndjson")
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
	case !(*seconds >= 0.5 && *seconds <= maxSeconds):
		return c, usageError{fmt.Errorf("--seconds %v: 0.5 to %d", *seconds, maxSeconds)}
	case !slices.Contains([]string{"text", "markdown", "ndjson"}, c.format):
		return c, usageError{fmt.Errorf("--format %q: text, markdown or ndjson", c.format)}
	}
	c.time = time.Duration(*seconds * float64(time.Second))
	if *only == "" {
		return c, nil
	}
	c.attacks = nil
	for _, name := range strings.Split(*only, ",") {
		a, ok := attackOf(name)
		if !ok {
			return c, usageError{fmt.Errorf("--only %q: there is no such attack; there are\n%s", name, names())}
		}
		c.attacks = append(c.attacks, a)
	}
	return c, nil
}

// names lists the attacks.
func names() string {
	var b strings.Builder
	for _, a := range attacks {
		fmt.Fprintf(&b, "%s: %s\n", a.name, a.what)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
