package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/browse"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/play"
	"dplay4/cmd/dplay/internal/probe"
)

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
	f := browse.NewFlags()
	return flags.Register(&cobra.Command{
		Use:     "sessions [flags] [HOST...]",
		Short:   "List the sessions of a network or of hosts",
		Long:    sessionsLong,
		Example: sessionsExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Check(args, cmd.Flags().Changed); err != nil {
				return err
			}
			o, err := f.Options(std)
			if err != nil {
				return std.Told(err)
			}
			ask := probe.New(probe.Options{App: o.App.GUID, Bind: o.Bind.Addr, Password: o.Password, Text: f.Text, TCP: o.Ports,
				Timeout: min(o.Timeout, play.LongestWhy)})
			o.Why, o.Bridge = ask.Why, bridging.Here
			return std.Told(bridging.Beside(cmd.Context(), o.Run(cmd.Context())))
		},
	}, f)
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
