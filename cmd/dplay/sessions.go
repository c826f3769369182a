package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// sessionsFlags are the flags of "dplay sessions".
type sessionsFlags struct {
	app      appFlag
	all      bool
	password string
	timeout  time.Duration
	watch    bool
	format   choice
	bind     addressFlag
	std      streams
}

var sessionsLong = `List the DirectPlay 4 sessions on the local network, or those of HOST, a name or IPv4 address. They are asked for by
broadcast, or at HOST's UDP and TCP ports 47624; answers come over TCP to the first free port from 2300.

Sessions that nobody can join at the moment hide themselves: --all asks for them, too. Private ones show themselves
to those who know their --password. A host may ignore all of this.

` + gamesHelp() + `

JSON:
  One object a session, a session_found event; cmd/dplay/EVENTS.md describes it. With --watch one more whenever
  something about a session has changed, and a session_gone event when its host has not answered for a while.

Exit status: 0 also if there is no session, 1 HOST does not answer or something failed, 2 wrong usage.`

const sessionsExamples = `  dplay sessions
  dplay sessions 192.0.2.7 --all
  dplay sessions --app lotr2 --watch
  dplay sessions --format ndjson | jq -r .session.session_name`

func newSessions(std streams) *cobra.Command {
	f := &sessionsFlags{format: newChoice("text", "ndjson"), std: std}
	cmd := &cobra.Command{
		Use:                   "sessions [flags] [HOST]",
		Short:                 "List the sessions of a network or a host",
		Long:                  sessionsLong,
		Example:               sessionsExamples,
		DisableFlagsInUseLine: true,
		Args:                  atMostHost,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return told(std, f.list(cmd.Context(), hostOf(args)))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.app, "app", "list sessions of this game only: a GUID, or a name that is known; see above")
	flags.BoolVar(&f.all, "all", false, "list sessions that nobody can join at the moment, too")
	flags.StringVar(&f.password, "password", "", "show private sessions with this `PASSWORD`")
	flags.DurationVar(&f.timeout, "timeout", 2*time.Second, "wait so long for answers")
	flags.BoolVar(&f.watch, "watch", false, "go on until interrupted, and say what comes, changes and goes")
	f.format.addTo(cmd, "format", "write a table for people, or a JSON object a line")
	flags.Var(&f.bind, "bind", "use the network card with this address only")
	noFiles(cmd, "app", "password", "timeout", "bind")
	return cmd
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

func (f *sessionsFlags) check() error {
	if f.timeout <= 0 {
		return fmt.Errorf("--timeout %s: must be more than nothing", f.timeout)
	}
	return nil
}

// ask says what to ask for.
func (f *sessionsFlags) ask(hosts []netip.Addr) sock.Ask {
	a := sock.Ask{Application: f.app.guid, Flags: enumFlags(f.all), Password: f.password, Hosts: hosts}
	return a
}

// enumFlags are those of an enumeration. Sessions with a password are wanted: the user sees that they have one.
func enumFlags(all bool) wire.EnumFlags {
	if all {
		return wire.EnumAll | wire.EnumPasswordRequired
	}
	return wire.EnumAvailable | wire.EnumPasswordRequired
}

// list asks, and prints what answers.
func (f *sessionsFlags) list(ctx context.Context, host string) error {
	hosts, err := lookUp(ctx, host)
	if err != nil {
		return err
	}
	l := newSessionList(f, newOutput(f.std.out))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
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
	case len(l.found) > 0 || f.watch:
		return nil
	case host != "":
		return silent(host)
	}
	fmt.Fprintln(f.std.err, "dplay: no sessions")
	return nil
}

// silent says that a host was asked in vain.
func silent(host string) error {
	return fmt.Errorf("%s does not answer: is such a session open there, and does its firewall let UDP and TCP port 47624 in, and ours TCP port 2300?", host)
}
