package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dplay4/wire"
)

// sessionsFlags are the flags of "dplay sessions".
type sessionsFlags struct {
	app      appFlag
	all      bool
	password string
	timeout  time.Duration
	watch    bool
	serve    string // an address to listen at; "" for none
	hosts    []string
	allCards bool // --all-interfaces
	format   choice
	bind     addressFlag
	changed  func(name string) bool
	std      streams
}

var sessionsLong = `List the DirectPlay 4 sessions on the local network, or those of each HOST, a name or IPv4 address. They are asked for by
broadcast, or at HOST's UDP and TCP ports 47624; answers come over TCP to the first free port from 2300.

Sessions that nobody can join at the moment hide themselves: --all asks for them, too. Private ones show themselves
to those who know their --password. A host may ignore all of this.

A broadcast goes to the networks of all cards, but the one to 255.255.255.255 leaves by one card only: the system chooses.
With --all-interfaces every card asks for itself, from its own address, such as that of a VPN.

Watching:
  --watch on a terminal is a table that keeps itself up to date. Keys: s sorts by the next column, S by the one before,
  r turns the order round, the arrows scroll, q, Esc or Ctrl-C ends. What does not answer any more is shown as gone
  for a moment. Where the output is no terminal, it is a line for what comes, changes and goes.
  PASS says whether a password is needed. TRIP is the time from the request to the first answer. A host opens a connection to answer, so it is about twice
  what ping says. Hosts that take longer than a second seem quicker by whole seconds.

Serving:
  --serve ADDRESS:PORT makes a web page of the table at http://ADDRESS:PORT/, and a JSON array for scripts at
  /sessions.json; /healthz says "ok". Without ADDRESS, as in --serve :8080, everybody who reaches this machine can read
  it; --serve 127.0.0.1:8080 is for this machine alone. Nothing can be changed through it, and there is no encryption.

` + gamesHelp() + `

JSON:
  One object a session, a session_found event; cmd/dplay/EVENTS.md describes it. With --watch one more whenever
  something about a session has changed, and a session_gone event when its host has not answered for a while.

Exit status: 0 also if there is no session, 1 a HOST does not answer or something failed, 2 wrong usage.`

const sessionsExamples = `  dplay sessions
  dplay sessions 192.0.2.7 --all
  dplay sessions --host 192.0.2.7 --host 192.0.2.8 --watch
  dplay sessions --all-interfaces --watch
  dplay sessions --app lotr2 --watch
  dplay sessions --serve 127.0.0.1:8080
  dplay sessions --format ndjson | jq -r .session.session_name`

func newSessions(std streams) *cobra.Command {
	f := &sessionsFlags{format: newChoice("text", "ndjson"), std: std}
	cmd := &cobra.Command{
		Use:                   "sessions [flags] [HOST...]",
		Short:                 "List the sessions of a network or of hosts",
		Long:                  sessionsLong,
		Example:               sessionsExamples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.changed = cmd.Flags().Changed
			if err := f.check(args); err != nil {
				return err
			}
			return told(std, f.run(cmd.Context()))
		},
	}
	f.register(cmd)
	return cmd
}

func (f *sessionsFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.app, "app", "list sessions of this game only: a GUID, or a name that is known; see above")
	flags.BoolVar(&f.all, "all", false, "list sessions that nobody can join at the moment, too")
	flags.StringVar(&f.password, "password", "", "show private sessions with this `PASSWORD`")
	flags.StringArrayVar(&f.hosts, "host", nil, "ask this `HOST`, as if it stood at the end; may be repeated")
	flags.DurationVar(&f.timeout, "timeout", 2*time.Second, "wait so long for answers")
	flags.BoolVar(&f.watch, "watch", false, "go on until interrupted: a table, or lines of what comes, changes and goes")
	flags.StringVar(&f.serve, "serve", "", "go on until interrupted: a web page and JSON at `[ADDRESS]:PORT`")
	f.format.addTo(cmd, "format", "write a table for people, or a JSON object a line")
	flags.Var(&f.bind, "bind", "use the network card with this address only")
	flags.BoolVar(&f.allCards, "all-interfaces", false, "have every network card ask for itself")
	noFiles(cmd, "app", "password", "host", "timeout", "serve", "bind")
}

// noFiles keeps shells from offering files for what is none.
func noFiles(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions); err != nil {
			panic(err) // only if the flag has one already
		}
	}
}

func atMostHost(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("one HOST at most, not %d", len(args))
	}
	return nil
}

func hostOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// told tells an error that is not about the command line, and remembers only that there was one.
func told(std streams, err error) error {
	if err == nil || errors.Is(err, errFailed) {
		return err
	}
	fmt.Fprintln(std.err, "dplay: "+err.Error())
	return errFailed
}

// maxHosts bounds the hosts that are asked one by one.
const maxHosts = 64

// check finds out what pflag cannot: what goes together, and what is in range.
func (f *sessionsFlags) check(args []string) error {
	f.hosts = append(f.hosts, args...)
	switch {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: must be more than nothing", f.timeout)
	case len(f.hosts) > maxHosts:
		return fmt.Errorf("%d HOSTs are more than the %d that are asked one by one", len(f.hosts), maxHosts)
	case slices.Contains(f.hosts, ""):
		return errors.New("a HOST is empty")
	case f.allCards && len(f.hosts) > 0:
		return errors.New("--all-interfaces is for asking everybody: a HOST is asked by the card that leads there")
	case f.allCards && f.bind.IsValid():
		return errors.New("--all-interfaces and --bind exclude each other")
	}
	if !f.changed("serve") {
		return nil
	}
	switch {
	case f.watch:
		return errors.New("--serve and --watch exclude each other")
	case f.changed("format"):
		return errors.New("--format is for what is printed; --serve always has the page and /sessions.json")
	}
	return checkListen(f.serve)
}

// enumFlags are those of an enumeration. Sessions with a password are wanted: the user sees that they have one.
func enumFlags(all bool) wire.EnumFlags {
	if all {
		return wire.EnumAll | wire.EnumPasswordRequired
	}
	return wire.EnumAvailable | wire.EnumPasswordRequired
}

// run looks up the hosts, and asks in the way that the user wants.
func (f *sessionsFlags) run(ctx context.Context) error {
	hosts, failed := lookUpAll(ctx, f.hosts)
	for _, err := range failed {
		f.warn(err)
	}
	if len(failed) > 0 && len(hosts) == 0 {
		return errFailed
	}
	var err error
	switch screen := f.screen(); {
	case f.serve != "":
		err = f.serveSessions(ctx, hosts)
	case screen != nil:
		err = f.watchTable(ctx, hosts, screen)
	default:
		err = f.list(ctx, hosts)
	}
	if err == nil && len(failed) > 0 {
		return errFailed
	}
	return err
}

// warn tells what went wrong while the rest goes on.
func (f *sessionsFlags) warn(err error) { fmt.Fprintln(f.std.err, "dplay: "+err.Error()) }

// list asks, and prints what answers.
func (f *sessionsFlags) list(ctx context.Context, hosts []asked) error {
	l := newSessionList(f, newOutput(f.std.out), hosts)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	if f.watch {
		err = l.watch(ctx, cancel, hosts)
	} else {
		err = l.once(ctx, hosts)
	}
	switch {
	case l.out.readerGone():
		return nil
	case l.out.err != nil:
		return fmt.Errorf("writing the output: %w", l.out.err)
	case err != nil:
		return err
	case f.watch:
		return nil
	}
	return f.outcome(ctx, l, hosts)
}

// outcome tells what is missing in a list that is complete.
func (f *sessionsFlags) outcome(ctx context.Context, l *sessionList, hosts []asked) error {
	names := l.silent(hosts, time.Time{})
	switch {
	case len(l.found) == 0 && len(hosts) == 0:
		fmt.Fprintln(f.std.err, "dplay: no sessions")
		return nil
	case len(names) == 0, ctx.Err() != nil: // who is interrupted did not wait for all
		return nil
	}
	for _, name := range names {
		f.warn(silent(name))
	}
	return errFailed
}

// silent says that a host was asked in vain.
func silent(host string) error {
	return fmt.Errorf("%s does not answer: is such a session open there, and does its firewall let UDP and TCP port 47624 in, and ours TCP port 2300?", host)
}
