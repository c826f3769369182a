// Package browse looks for sessions: it lists them, watches them in a table, and serves them as a page.
package browse

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Options say who is asked for what, and how the answers are shown.
type Options struct {
	App      wire.GUID                   // sessions of this game only; zero: of any
	All      bool                        // those that nobody can join at the moment, too
	Password string                      // for private ones
	Text     map[wire.GUID]wire.Encoding // what games write text in; see dpsp.Config
	Hosts    []string                    // names or addresses; none: everybody
	Bind     netip.Addr                  // the network card that asks; invalid: the system chooses
	AllCards bool                        // every card asks for itself
	Ports    wire.Ports                  // the answers come to the first free TCP port of these
	Timeout  time.Duration               // how long to wait for answers
	Watch    bool                        // until interrupted
	NDJSON   bool                        // objects instead of lines for people
	Serve    string                      // the address of a web page instead of output; "" for none
	Std      cli.Streams

	adapters func() ([]sock.Adapter, error) // nil: sock.Adapters
}

// Run looks up the hosts, and asks in the way that is wanted.
func (o *Options) Run(ctx context.Context) error {
	hosts, failed := lookUpAll(ctx, o.Hosts)
	for _, err := range failed {
		o.warn(err)
	}
	if len(failed) > 0 && len(hosts) == 0 {
		return cli.ErrFailed
	}
	var err error
	switch screen := o.screen(); {
	case o.Serve != "":
		err = o.serve(ctx, hosts)
	case screen != nil:
		err = o.table(ctx, hosts, screen)
	default:
		err = o.list(ctx, hosts)
	}
	if err == nil && len(failed) > 0 {
		return cli.ErrFailed
	}
	return err
}

// warn tells what went wrong while the rest goes on.
func (o *Options) warn(err error) { o.Std.Tell(err.Error()) }

// list asks, and prints what answers.
func (o *Options) list(ctx context.Context, hosts []asked) error {
	l := newSessionList(o, cli.NewOutput(o.Std.Out), hosts)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	if o.Watch {
		err = l.watch(ctx, cancel, hosts)
	} else {
		err = l.once(ctx, hosts)
	}
	if unwritten := l.out.End(); l.out.Err != nil {
		return unwritten
	}
	if err != nil || o.Watch {
		return err
	}
	return o.outcome(ctx, l, hosts)
}

// outcome tells what is missing in a list that is complete.
func (o *Options) outcome(ctx context.Context, l *sessionList, hosts []asked) error {
	names := l.silent(hosts, time.Time{})
	switch {
	case len(l.found) == 0 && len(hosts) == 0:
		o.Std.Tell("no sessions")
		return nil
	case len(names) == 0, ctx.Err() != nil: // who is interrupted did not wait for all
		return nil
	}
	for _, name := range names {
		o.warn(Silent(name, o.Ports))
	}
	return cli.ErrFailed
}

// Silent says that a host was asked in vain, by who waited for the answer at one of some TCP ports.
func Silent(host string, ports wire.Ports) error {
	return fmt.Errorf("%s does not answer: is such a session open there, and does its firewall let UDP and TCP port %d in, and "+
		"ours TCP port %d?", host, wire.EnumPort, ports.First)
}
