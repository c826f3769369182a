// Package bridgecheck is "dplay bridge doctor": it looks at what a session over the internet meets with on this machine.
package bridgecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Options say what to look at, and how it is told.
type Options struct {
	Std    cli.Streams
	NDJSON bool
	Relays []code.Relay
	From   string     // where they stand, if the user has not just said them: a file
	With   *code.Code // the session to try; nil: none

	Name       string // there
	ForceRelay bool   // tell nobody there our address
}

// Run looks at everything, and reports whether something is in the way. The error is for what could not be found out.
func Run(ctx context.Context, o Options) (wrong bool, err error) { return o.in(ctx, newWorld()) }

// A world is what is asked. Tests make it up.
type world struct {
	running func(context.Context) (bridging.Reply, error) // the session and the machines of the bridge of this machine
	ways    func(context.Context) (bridging.Reply, error) // the pairs of the others, as that bridge knows them
	bridge  func() string                                 // the program that is a bridge, of any user
	sites   func(context.Context, code.Relay, string) ([]link.Site, error)
	addrs   func(context.Context, link.Site) ([]netip.Addr, error)
	look    func(context.Context, netip.Addr, natkind.Ports) *natkind.Finding
	try     func(context.Context, code.Relay, link.Site) error
	holders func(network string, ports wire.Ports) (held []holder, ok bool)
	join    func(context.Context, code.Code, bridge.Options) (bridging.Session, error)

	visit time.Duration // how long we are in a session: direct ways take a second
}

// A holder has a port.
type holder struct {
	port    uint16
	program string
}

// newWorld returns the world as it is.
func newWorld() *world {
	return &world{
		running: func(ctx context.Context) (bridging.Reply, error) { return bridging.Ask(ctx, "list", "") },
		ways:    func(ctx context.Context) (bridging.Reply, error) { return bridging.Ask(ctx, "ways", "") },
		bridge:  bridge.Here,
		sites: func(ctx context.Context, r code.Relay, session string) ([]link.Site, error) {
			return link.Sites(ctx, nil, r, session)
		},
		addrs: func(ctx context.Context, s link.Site) ([]netip.Addr, error) { return s.Addrs(ctx, nil) },
		look:  natkind.Look,
		try:   func(ctx context.Context, r code.Relay, s link.Site) error { return link.Try(ctx, nil, r, s) },
		holders: func(network string, ports wire.Ports) (all []holder, ok bool) {
			held, ok := sock.Holdings(network, netip.Addr{}, ports)
			for i, name := range sock.By(held) {
				all = append(all, holder{held[i].Port, name})
			}
			return all, ok
		},
		join: func(ctx context.Context, with code.Code, opt bridge.Options) (bridging.Session, error) {
			return bridge.Join(ctx, with, opt)
		},
		visit: 4 * time.Second,
	}
}

// A check is one look at everything.
type check struct {
	Options
	*world
	out   *cli.Output
	kind  natkind.Kind // of the router
	wrong bool
}

// errInterrupted is why not everything was looked at.
var errInterrupted = errors.New("interrupted")

// in looks at everything in a world.
func (o Options) in(ctx context.Context, w *world) (wrong bool, err error) {
	c := &check{Options: o, world: w, out: cli.NewOutput(o.Std.Out)}
	err = c.everything(ctx)
	return c.wrong, cmp.Or(c.out.End(), err)
}

// everything looks at relays, ports and the session.
func (c *check) everything(ctx context.Context) error {
	running, err := c.running(ctx)
	if err != nil && !errors.Is(err, bridging.ErrNoBridge) {
		c.Std.Tell("the bridge of this machine does not say how it is: " + err.Error())
	}
	if c.From != "" {
		c.say("relays: as " + c.From + " has them")
	}
	if err := c.lookAtRelays(ctx); err != nil {
		return err
	}
	c.lookAtPorts(running.Code != "")
	switch {
	case running.Code == "" && c.With == nil:
	case running.Code == "":
		return c.visitSession(ctx)
	case c.With == nil || c.With.String() == running.Code:
		c.tellMachines(running.Machines)
		return c.tellRunning(ctx, running.Machines)
	default:
		c.problem("a bridge of another session runs on this machine: end it first")
	}
	return nil
}

// tell says one thing, to people or to programs.
func (c *check) tell(o any, format string, args ...any) {
	if c.NDJSON {
		c.out.Add(events.AppendJSON(c.out.Buffer(), o))
	} else {
		c.print(fmt.Sprintf(format, args...))
	}
	c.out.Flush()
}

// say says to people what programs see without it.
func (c *check) say(text string) {
	if !c.NDJSON {
		c.print(text)
	}
}

// print prints a line for people.
func (c *check) print(line string) {
	fmt.Fprintln(c.out, cli.Fit(c.Std.Out, line))
	c.out.Flush()
}

// problem says what is in the way.
func (c *check) problem(format string, args ...any) {
	c.wrong = true
	text := fmt.Sprintf(format, args...)
	c.tell(textObject{"problem", text}, "! %s", text)
}

// warning says what is wrong, and in nobody's way at the moment.
func (c *check) warning(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.tell(textObject{"warning", text}, "note: %s", text)
}
