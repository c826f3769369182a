package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/browse"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/probe"
)

// sessionsFlags are the flags of "dplay sessions".
type sessionsFlags struct {
	browse.Options
	app     flags.App
	file    string // of --hosts
	until   flags.Event
	text    flags.Text
	format  flags.Choice
	bind    flags.Address
	ports   flags.Listening
	changed func(name string) bool
}

var sessionsLong = `List the DirectPlay 4 sessions on the local network, or those of each HOST, a name or IPv4 address. They are asked for by
broadcast, or at HOST's UDP and TCP ports 47624; answers come over TCP to the first free port of --tcp. Hosts of some games, such
as Lego Loco, answer to the port that is set in the game only: --app and --tcp say which.

Sessions that nobody can join at the moment hide themselves: --all asks for them, too. Private ones show themselves
to those who know their --password; its octets are those of the game that hosts, so --app or --text helps. A host may ignore all
of this.

A broadcast goes to the networks of all cards, but the one to 255.255.255.255 leaves by one card only: the system chooses.
With --all-interfaces every card asks for itself, from its own address, such as that of a VPN.

Watching:
  --watch on a terminal is a table that keeps itself up to date. Keys: s sorts by the next column, S by the one before,
  r turns the order round, the arrows scroll, q, Esc or Ctrl-C ends. What does not answer any more is shown as gone
  for a moment. Where the output is no terminal, it is a line for what comes (+), changes (+), moves to another host (>)
  and goes (-).
  A session that outlives its host has the address of the one that answers now, as soon as the old one has been silent for
  three times --timeout, or three seconds if that is more; the table, the page and the lines say where it was.
  PASS says whether a password is needed. TRIP is the time from the request to the first answer. A host opens a
  connection to answer, so it is about twice what ping says. Hosts that take longer than a second seem quicker by whole seconds.

Serving:
  --serve ADDRESS:PORT makes a web page of the table at http://ADDRESS:PORT/, and a JSON array for scripts at
  /sessions.json; /healthz says "ok". Without ADDRESS, as in --serve :8080, everybody who reaches this machine can read
  it; --serve 127.0.0.1:8080 is for this machine alone, and other addresses give a warning. Nothing can be
  changed through it, and there is no encryption.
  /metrics has counts for Prometheus: sessions, players, hosts that are asked and silent, the age of the last answer.
  --allow-origin lets scripts of other web sites read /sessions.json, and --public-host is needed behind a proxy; see
  "dplay help website".

` + flags.AppHelp() + `

JSON:
  One object a session, a session_found event; "dplay help events" describes it. With --watch one more whenever
  something about a session has changed, a host_moved event when another host answers for it, and a session_gone event
  when nobody has answered for a while.

Exit status: 0 also if there is no session, 1 a HOST does not answer, something failed, or it ended before the event of --until, 2
wrong usage.`

const sessionsExamples = `  dplay sessions
  dplay sessions 192.0.2.7 --all
  dplay sessions --host 192.0.2.7 --host 192.0.2.8 --watch
  dplay sessions --all-interfaces --watch
  dplay sessions --app lotr2 --watch
  dplay sessions --serve 127.0.0.1:8080
  dplay sessions --hosts hosts.txt --serve 127.0.0.1:8080 --title Castles
  dplay sessions --serve 127.0.0.1:8080 --public-host games.example
  dplay sessions 192.0.2.7 --until session_found --timeout 1m
  dplay sessions --format ndjson | jq -r .session.session_name`

func newSessions(std cli.Streams) *cobra.Command {
	f := &sessionsFlags{Options: browse.Options{Std: std}, text: flags.NewText(), format: flags.NewChoice("text", "ndjson")}
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
			if err := f.readHosts(); err != nil {
				return std.Told(err)
			}
			f.Null = f.app.Given() && f.app.GUID.IsZero()
			f.App, f.Text, f.Bind, f.NDJSON = f.app.GUID, f.text.Encodings(), f.bind.Addr, f.format.Value == "ndjson"
			f.Ports, _ = f.ports.Of(f.App)
			ask := probe.Options{App: f.App, Bind: f.Bind, Password: f.Password, Text: f.text, Timeout: min(f.Timeout, longestWhy), TCP: f.Ports}
			f.Until = cli.NewUntil(f.until.Name)
			f.Why, f.Bridge = ask.Why, bridging.Here
			return std.Told(besideBridge(cmd.Context(), f.Run(cmd.Context())))
		},
	}
	f.register(cmd)
	return cmd
}

func (f *sessionsFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.Var(&f.app, "app", "list sessions of this game only: a GUID, or a name that is known; see above")
	set.BoolVar(&f.All, "all", false, "list sessions that nobody can join at the moment, too")
	flags.Password(cmd, &f.Password, "show private sessions with this `PASSWORD`")
	set.StringArrayVar(&f.Hosts, "host", nil, "ask this `HOST`, as if it stood at the end; may be repeated")
	set.StringVar(&f.file, "hosts", "", "ask the hosts in this `FILE`, too: one a line, and comments behind #; it is read once, at the start")
	set.DurationVar(&f.Timeout, "timeout", 2*time.Second, "wait so long for answers")
	set.BoolVar(&f.Watch, "watch", false, "go on until interrupted: a table, or lines of what comes, changes and goes")
	set.StringVar(&f.Serve, "serve", "", "go on until interrupted: a web page and JSON at `[ADDRESS]:PORT`")
	set.StringVar(&f.Title, "title", "", "with --serve, the title of the page, `TEXT` (default: what the list is of)")
	set.StringVar(&f.AllowOrigin, "allow-origin", "", "with --serve, let scripts of web pages of `ORIGIN|*` read /sessions.json, such as https://games.example")
	set.StringArrayVar(&f.PublicHosts, "public-host", nil, "with --serve behind a proxy, answer to this `NAME`, too, such as games.example; may be repeated")
	f.until.AddTo(cmd, "end once this event was printed, such as session_found; see dplay help events", browse.Names()...)
	f.text.Register(cmd)
	f.format.AddTo(cmd, "format", "write a table for people, or a JSON object a line")
	set.Var(&f.bind, "bind", "use the network card with this address only")
	f.ports.RegisterTCP(cmd)
	set.BoolVar(&f.AllCards, "all-interfaces", false, "have every network card ask for itself")
	flags.CompleteApp(cmd)
	flags.NoFiles(cmd, "host", "timeout", "serve", "title", "allow-origin", "public-host", "bind")
}

// longestWhy bounds how long a host is waited for, each way, to find out why it does not answer.
const longestWhy = 2 * time.Second

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

// check finds out what pflag cannot: what goes together, and what is in range.
func (f *sessionsFlags) check(args []string) error {
	f.Hosts = append(f.Hosts, args...)
	switch {
	case f.Timeout <= 0:
		return fmt.Errorf("--timeout %s: must be more than nothing", f.Timeout)
	case slices.Contains(f.Hosts, ""):
		return errors.New("a HOST is empty")
	case f.AllCards && (len(f.Hosts) > 0 || f.changed("hosts")):
		return errors.New("--all-interfaces is for asking everybody: a HOST is asked by the card that leads there")
	case f.AllCards && f.bind.IsValid():
		return errors.New("--all-interfaces and --bind exclude each other")
	case slices.Contains(browse.WatchedNames(), f.until.Name) && !f.Watch:
		return fmt.Errorf("--until %s: that happens only with --watch", f.until.Name)
	}
	if !f.changed("serve") {
		for _, name := range []string{"title", "allow-origin", "public-host"} {
			if f.changed(name) {
				return fmt.Errorf("--%s is for the page of --serve", name)
			}
		}
		return f.tooMany()
	}
	switch {
	case f.Watch:
		return errors.New("--serve and --watch exclude each other")
	case f.until.Name != "":
		return errors.New("--until is for what is printed; --serve prints no events")
	case f.changed("format"):
		return errors.New("--format is for what is printed; --serve always has the page and /sessions.json")
	}
	return cmp.Or(browse.CheckListen(f.Serve), f.Page.Check(), f.tooMany())
}

// tooMany returns an error if there are more hosts than can be asked.
func (f *sessionsFlags) tooMany() error {
	if len(f.Hosts) > browse.MaxHosts {
		return fmt.Errorf("%d HOSTs are more than the %d that are asked one by one", len(f.Hosts), browse.MaxHosts)
	}
	return nil
}

// readHosts adds the hosts in the file of --hosts.
func (f *sessionsFlags) readHosts() error {
	if !f.changed("hosts") {
		return nil
	}
	hosts, err := browse.ReadHosts(f.file)
	if err != nil {
		return fmt.Errorf("--hosts: %w", err)
	}
	f.Hosts = append(f.Hosts, hosts...)
	return f.tooMany()
}
