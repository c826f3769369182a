// Package browse looks for sessions: it lists them, watches them in a table, and serves them as a page.
package browse

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Options are the flags and what follows from them.
type Options struct {
	Flags
	Ports  wire.Ports // the answers come to the first free TCP port of these
	Until  *cli.Until // the event to end after; nil: there is none
	NDJSON bool       // objects instead of lines for people
	Std    cli.Streams

	hosts    []asked // that are asked one by one; none: everybody is asked
	adapters func() ([]sock.Adapter, error)
	open     func(sock.Options) (seeker, error)

	// Why finds out why a host does not answer.
	Why func(ctx context.Context, host string) error
	// Bridge returns the program of this machine that is a bridge, "" if none is.
	Bridge func(context.Context) string
}

// Run looks up the hosts, and asks in the way that is wanted.
func (o *Options) Run(ctx context.Context) error {
	failed := o.lookUp(ctx)
	for _, err := range failed {
		o.warn(err)
	}
	if len(failed) > 0 && len(o.hosts) == 0 {
		return cli.ErrFailed
	}
	var err error
	switch screen := o.screen(); {
	case o.Serve != "":
		err = o.serve(ctx)
	case screen != nil:
		err = o.table(ctx, screen)
	default:
		err = o.list(ctx)
	}
	if err == nil && len(failed) > 0 {
		return cli.ErrFailed
	}
	return err
}

// warn tells what went wrong while the rest goes on.
func (o *Options) warn(err error) { o.Std.Tell(err.Error()) }

// list asks, and prints what answers.
func (o *Options) list(ctx context.Context) error {
	l := newSessionList(o, cli.NewOutput(o.Std.Out))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	if o.Watch {
		err = l.watch(ctx, cancel)
	} else {
		err = l.once(ctx)
	}
	if unwritten := l.out.End(); l.out.Err != nil {
		return unwritten
	}
	if err == nil && !o.Watch && !o.Until.Came() {
		err = o.outcome(ctx, l)
	}
	return o.Until.Ended(err)
}

// outcome tells what is missing in a list that is complete.
func (o *Options) outcome(ctx context.Context, l *sessionList) error {
	names := l.silent(time.Time{})
	if text := l.barred(); text != "" {
		o.Std.Tell(text)
	}
	switch {
	case len(l.found) == 0 && len(o.hosts) == 0:
		text := "no sessions"
		if o.Bridge(ctx) != "" {
			text += ": nobody answers, neither on the network nor in the session of the bridge on this machine"
		}
		o.Std.Tell(text + "; " + o.hint())
		return nil
	case len(names) == 0, ctx.Err() != nil: // who is interrupted did not wait for all
		return nil
	}
	for _, err := range o.reasons(ctx, names) {
		o.warn(err)
	}
	return cli.ErrFailed
}

// hint returns the next commands to try where no session answered.
func (o *Options) hint() string {
	text := ""
	if !o.All {
		text = "--all lists those that nobody can join at the moment as well, and "
	}
	return text + "\"dplay doctor --live\" looks for what stands in the way"
}

// barred returns the reason that keeps newcomers out of every session of the list. It returns "" where one session is open, and for an
// empty list.
func (l *sessionList) barred() string {
	locked := false
	for _, s := range l.found {
		switch d := &s.Desc; {
		case !cli.TakesNewcomers(d):
		case hasPassword(d) && l.opt.Password == "":
			locked = true
		default:
			return ""
		}
	}
	switch {
	case len(l.found) == 0:
		return ""
	case locked:
		return "none of these can be joined without a password: \"dplay join --password PASSWORD\""
	}
	return "none of these takes newcomers at the moment: each is full or closed; \"dplay doctor --live HOST\" says which"
}

// maxReasons bounds the hosts of which it is found out why they do not answer.
const maxReasons = 8

// reasons returns why each of some hosts does not answer, all found out at once.
func (o *Options) reasons(ctx context.Context, hosts []string) []error {
	list := make([]error, len(hosts))
	var group sync.WaitGroup
	for i, host := range hosts {
		if i >= maxReasons {
			list[i] = fmt.Errorf("%s does not answer: \"dplay doctor --live %[1]s\" says why", captures.Printable(host))
			continue
		}
		group.Go(func() { list[i] = o.Why(ctx, host) })
	}
	group.Wait()
	return list
}
