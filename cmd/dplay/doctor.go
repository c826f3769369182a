package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/cmd/dplay/internal/probe"
	"dplay4/dpsp"
)

// exitFindings is the exit status if there are findings.
const exitFindings = 3

// errFindings stands for exitFindings. The report was printed.
var errFindings = errors.New("there are findings")

// doctorFlags are the flags of "dplay doctor".
type doctorFlags struct {
	Format     flags.Choice    `flag:"format" choice:"text,ndjson" usage:"write text for people, or a JSON object a line"`
	Ports      flags.PortList  `flag:"port" usage:"take <PORT> for DirectPlay's without proof, TCP and UDP; may be repeated"`
	Live       bool            `flag:"live" usage:"examine this machine, and HOST from here, instead of a capture"`
	App        flags.App       `flag:"app" usage:"--live: look for this game: a GUID, or a name that \"dplay games\" lists"`
	Bind       flags.Address   `flag:"bind" usage:"--live: use the network card with this address only"`
	Listening  flags.Listening `flags:"--live: "`
	Password   string          `flag:"password" secret:"password-file" usage:"--live: show private sessions with this <PASSWORD>"`
	Text       flags.Text      `flag:"text" choice:"auto,utf16,8bit" usage:"--live: write the password so; auto: as the game is known to"`
	Timeout    time.Duration   `flag:"timeout" default:"2s" range:"1ns" must:"must be more than nothing" usage:"--live: wait so long for answers, each way"`
	Until      flags.Event     `flag:"until" usage:"--live: each way waits for no more answers after its first one: session_found"`
	Explain    string          `flag:"explain" offer:"-" usage:"print the page about findings with <CODE>"`
	List       bool            `flag:"list" usage:"print the codes of all findings"`
	NoProgress bool            `flag:"no-progress" usage:"no progress bar for long files on a terminal"`
	changed    func(name string) bool
	std        cli.Streams
}

const doctorLong = `Say why people cannot find or join a game. Of a capture (FILE, "-" is standard input) or, with --live, of what this
machine can find out by itself: the verdict in one line, then each finding with its evidence, its likely cause and what
to do, the most serious first. A failure keeps somebody out; a warning is something that went wrong while the game
went on, or that will go wrong elsewhere; a note is about the capture itself. Information is no finding: nothing is wrong
with it.

The best capture is one of the joiner's machine, another one of the host's:
  dplay record -o game.pcapng
Or of Wireshark, at all adapters, without a filter; or of tcpdump:
  tcpdump -i any -s 0 -w game.pcap

Live:
  --live changes nothing and joins nothing. It asks HOST, a name or IPv4 address, for its sessions, by UDP and then by TCP,
  and waits for the answers as a game does; then in other ways, if nobody answered: for every game, and for each that is known. It
  connects to where the session is to be joined, without a word. It pings the host there from outside the session, over TCP and by
  UDP: does what games send by UDP get there and back, and large packets too? As root on Linux it sees the answer come before a firewall of
  this machine does: then it need not guess. Without HOST it asks everybody on the network. It tries whether the ports
  that a game needs are free on this machine, and looks at the network adapters and by which of them a search
  for games leaves. A session that takes nobody (full, closed) is a finding. That one wants a password, or that this
  machine hosts, stands in the verdict. What was tried, seen and not tried stands at the end. With --until session_found
  each way waits for no more answers after its first one.

Findings:
  Each has a code that stays as it is. --list prints all of them, --explain CODE the page about one.

JSON:
  One object a finding, with "type": "finding": code, severity, text, evidence (frame, n, time, message, field, value),
  more, cause, advice, file. Then, for each FILE, one with "type": "verdict": healthy, text, findings (without those of
  severity "information"), sessions, joins, messages; with --live also tried (what, seen) and not_tried.

Exit status: 0 healthy, 1 a file could not be read, the output not written, or no session found with --until, 2 wrong
usage, 3 there are findings.`

const doctorExamples = `  dplay doctor captures/lab/08-rzhost-full-max1-w10join.pcap
  dplay doctor --format ndjson captures/lab/*.pcap | jq -r 'select(.severity == "failure").text'
  dplay doctor --live 192.0.2.7
  dplay doctor --live --app lotr2 192.0.2.7
  dplay doctor --live --timeout 1m --until session_found
  dplay doctor --explain address-private`

func newDoctor(std cli.Streams) *cobra.Command {
	f := &doctorFlags{Until: flags.NewEvent(events.NameOf(dpsp.SessionFound{})), std: std}
	cmd := &cobra.Command{
		Use:     "doctor [flags] FILE... | doctor --live [flags] [HOST]",
		Short:   "Say why people cannot find or join a game",
		Long:    doctorLong,
		Example: doctorExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.changed = cmd.Flags().Changed
			if err := f.check(args); err != nil {
				return err
			}
			switch {
			case f.List:
				return f.printList()
			case f.Explain != "":
				return f.printPage()
			case f.Live:
				return f.examineLive(cmd.Context(), hostOf(args))
			}
			return f.files(cmd.Context(), args)
		},
	}
	flags.Register(cmd, f)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("explain", cobra.FixedCompletions(codes(), cobra.ShellCompDirectiveNoFileComp)))
	takesFiles(cmd)
	return cmd
}

// codes returns the codes of all findings.
func codes() (list []string) {
	for _, c := range doctor.Codes() {
		list = append(list, string(c))
	}
	return list
}

// check refuses flags that do not go together and values out of range.
func (f *doctorFlags) check(args []string) error {
	if f.List || f.changed("explain") {
		if len(args) > 0 || f.Live || f.List && f.changed("explain") {
			return errors.New("--list and --explain stand alone")
		}
		if _, ok := doctor.Explain(doctor.Code(f.Explain)); ok || f.List {
			return nil
		}
		return fmt.Errorf("--explain %q: there is no such code%s\n--list prints them", f.Explain, cli.Nearest(strings.ToLower(f.Explain), codes()))
	}
	if f.Live {
		if f.changed("port") {
			return errors.New("--port is for captures")
		}
		return atMostHost(nil, args)
	}
	live := []string{"app", "bind", "tcp", "udp", "password", "password-file", "text", "timeout", "until"}
	if i := slices.IndexFunc(live, f.changed); i >= 0 {
		return fmt.Errorf("--%s is for --live", live[i])
	}
	if len(args) == 0 {
		return errors.New("no FILE given (\"-\" is standard input), and no --live")
	}
	return nil
}

// printList prints the codes with their titles.
func (f *doctorFlags) printList() error {
	out := cli.NewOutput(f.std.Out)
	for _, c := range doctor.Codes() {
		fmt.Fprintf(out, "%-24s %s\n", c, doctor.Title(c))
	}
	return f.std.Told(out.End())
}

// printPage prints the page about a code.
func (f *doctorFlags) printPage() error {
	out := cli.NewOutput(f.std.Out)
	page, _ := doctor.Explain(doctor.Code(f.Explain))
	fmt.Fprintln(out, strings.TrimRight(page, "\n"))
	return f.std.Told(out.End())
}

// files examines files in sequence.
func (f *doctorFlags) files(ctx context.Context, names []string) error {
	out, found := cli.NewOutput(f.std.Out), false
	failed := eachFile(ctx, f.std, out, names, func(i int, name string) error {
		r, err := f.file(ctx, name)
		if r != nil && (err == nil || r.Messages > 0) {
			if i > 0 && f.Format.Value == "text" {
				out.Add([]byte{'\n'})
			}
			found = found || !r.Healthy()
			f.print(out, r)
		}
		return err
	})
	if err := f.std.Told(out.End()); err != nil {
		return err
	}
	return f.outcome(failed, found)
}

// examineLive examines this machine, and a host from here.
func (f *doctorFlags) examineLive(ctx context.Context, host string) error {
	ask := probe.Options{App: f.App.GUID, Bind: f.Bind.Addr, Password: f.Password, Text: f.Text, Timeout: f.Timeout, First: f.Until.Name != ""}
	ask.TCP, ask.UDP = f.Listening.Of(f.App.GUID)
	l, err := probe.New(ask).Look(ctx, host)
	if err != nil {
		return f.std.Told(err)
	}
	r := doctor.ExamineLive(l)
	out := cli.NewOutput(f.std.Out)
	f.print(out, r)
	if err := f.std.Told(out.End()); err != nil {
		return err
	}
	if until := cli.NewUntil(f.Until.Name); r.Healthy() && !l.Answered() {
		return f.std.Told(until.Ended(nil))
	}
	return f.outcome(false, !r.Healthy())
}

// outcome returns the error that leads to the exit status.
func (f *doctorFlags) outcome(failed, found bool) error {
	switch {
	case failed:
		return cli.ErrFailed
	case found:
		return errFindings
	}
	return nil
}

// file examines one file. The report is nil if it could not be opened.
func (f *doctorFlags) file(ctx context.Context, name string) (*doctor.Report, error) {
	in, err := openInput(name, f.std.In)
	if err != nil {
		return nil, err
	}
	defer in.close()
	opt := doctor.Options{Options: captures.Options{Ports: f.Ports}, Game: gamelist.Title}
	defer in.watched(&opt.Options, f.NoProgress, f.std.Err, "").End()
	r, err := doctor.Examine(ctx, in.r, opt)
	if in.live && errors.Is(err, context.Canceled) {
		return r, nil // an interrupt is how a running capture ends
	}
	return r, err
}

// print writes a report in the format that was asked for.
func (f *doctorFlags) print(out *cli.Output, r *doctor.Report) {
	b := out.Buffer()
	if f.Format.Value == "text" {
		out.Add(r.AppendText(b))
		return
	}
	b, err := r.AppendNDJSON(b)
	if err != nil && out.Err == nil {
		out.Err = err // a time of the year 10000, which no capture has
	}
	out.Add(b)
}
