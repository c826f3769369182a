package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/cmd/dplay/internal/recorder"
	"dplay4/wire"
)

// recordFlags are the flags of "dplay record".
type recordFlags struct {
	Interfaces []string       `flag:"interface,i" usage:"record at this network <ADAPTER> only; may be repeated"`
	File       string         `flag:"output,o" usage:"write <FILE>, pcapng (default dplay-DATE-TIME.pcapng in this folder)"`
	For        time.Duration  `flag:"for" default:"1h" usage:"stop after this time, such as 90s, 10m or 8h"`
	App        flags.App      `flag:"app" usage:"record this game's ports, too: a GUID, or a name that \"dplay games\" lists"`
	Ports      flags.PortList `flag:"port" usage:"record what goes to and from <PORT>, too; may be repeated"`
	Megabytes  int64          `flag:"max-size" default:"64" usage:"begin another file after so many <MEGABYTES>"`
	Files      int            `flag:"files" default:"4" usage:"keep no more than <N> files"`
	Format     flags.Choice   `flag:"format" choice:"text,ndjson" usage:"write the verdict as a line for people, or all that the doctor says as a JSON object a line"`
	Force      bool           `flag:"force" usage:"replace a FILE that is there already; its mode stays"`
	options    recorder.Options
	std        cli.Streams
	shown      string // of the progress
}

const recordLong = `Record what DirectPlay games on this machine send and get, for "dplay doctor" or for somebody who helps: start it before
the game looks for sessions, let it go wrong, end it with Ctrl-C. While it runs it says how much of DirectPlay it has seen. At the
end it says what the doctor says of it, in one line, and which file it is. Recording changes nothing, and sends nothing.

What is recorded:
  TCP and UDP from and to DirectPlay 4's ports, 47624 and 2300 to 2400; those of the game that --app names and of --port; other
  ports from 1024 on as soon as a message names them, 64 at most. IP fragments, ICMP errors, IPX, and UDP port 6073 of
  DirectPlay 8, so that the doctor can say what is wrong. Nothing else: no web page, no mail. The file holds what the game sent:
  names, chat, addresses, the session's password. A new file is for you alone (mode 0600). Look before you give it away.

Files:
  Where a file is full (--max-size) the next one has a number: game-2.pcapng. No more than --files are kept: the first one, which
  has the beginning, and the last ones. It ends by itself after --for, or when less than 256 MB are free on the disk.

Systems:
  Linux: by raw sockets, at all adapters that are up, the loopback's and those that come meanwhile (a VPN) included. It takes the
  right to do so: sudo dplay record, or once and for all sudo setcap cap_net_raw+ep PATH-OF-DPLAY. With sudo the file is yours.

  Windows: by pktmon, which is part of Windows 10 (2004) and later; it takes an administrator. Without one the two commands to
  type are printed. pktmon sees no loopback: two games on one machine are not recorded.

  Others: the command of tcpdump to type is printed.

JSON:
  With --format ndjson the end has, on standard output, the objects of the doctor. All else is on standard error.

Exit status: 0 recorded, whatever the doctor says; 1 it failed; 2 wrong usage.`

const recordExamples = `  dplay record
  dplay record -o game.pcapng --for 10m
  dplay record -i eth0 -i lo --app lotr2 -o game.pcapng`

func newRecord(std cli.Streams) *cobra.Command {
	f := &recordFlags{std: std}
	cmd := &cobra.Command{
		Use:     "record [flags]",
		Short:   "Record what games on this machine say, for the doctor",
		Long:    recordLong,
		Example: recordExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected %q: the file is named with -o FILE", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.record(cmd.Context())
		},
	}
	flags.Register(cmd, f)
	return cmd
}

// record records, and prints the files and the verdict.
func (f *recordFlags) record(ctx context.Context) error {
	screen := cli.Terminal(f.std.Err)
	terminal := screen != nil && cli.Escapes(screen)
	f.options.Every = 10 * time.Second
	if terminal {
		f.options.Every = time.Second
	}
	f.options.Progress = func(passed time.Duration, seen string) { f.progress(terminal, passed, seen) }
	result, err := f.options.Run(ctx)
	if terminal && f.shown != "" {
		fmt.Fprintln(f.std.Err)
	}
	if result == nil {
		return f.std.Told(err)
	}
	why := ""
	if result.Why != "" {
		why = ", " + result.Why
	}
	f.std.Tell(fmt.Sprintf("stopped%s: %s, in %s", why, result.Seen, captures.Printable(strings.Join(result.Files, ", "))))
	if result.Deleted > 0 {
		f.std.Tell(fmt.Sprintf("files that had to go, between the first and the last ones: %d; --files and --max-size keep more",
			result.Deleted))
	}
	if unwritten := f.verdict(result.Report); unwritten != nil {
		return unwritten
	}
	if len(result.Report.Findings) > 0 {
		f.std.Tell("\"dplay doctor " + captures.Printable(result.Files[0]) + "\" says what to do")
	}
	return f.std.Told(err)
}

// verdict writes the doctor's report: its first line for people, all of it as JSON.
func (f *recordFlags) verdict(r *doctor.Report) error {
	out := cli.NewOutput(f.std.Out)
	if f.Format.Value == "ndjson" {
		b, err := r.AppendNDJSON(out.Buffer())
		out.Add(b)
		return f.std.Told(errors.Join(err, out.End()))
	}
	text, _, _ := bytes.Cut(r.AppendText(out.Buffer()), []byte("\n"))
	out.Add(append(text, '\n'))
	return f.std.Told(out.End())
}

// progress prints how much was seen: on a terminal it overwrites one line, elsewhere it adds a line when there is more.
func (f *recordFlags) progress(terminal bool, passed time.Duration, seen string) {
	if terminal {
		fmt.Fprintf(f.std.Err, "\r\x1b[K%s: %s", passed.Round(time.Second), seen)
	} else if seen != f.shown {
		f.std.Tell(seen)
	}
	f.shown = seen
}

// Bounds of the values of flags.
const (
	mostMegabytes = 1 << 20
	mostFiles     = 1000
	mostPorts     = 100
	longest       = 366 * 24 * time.Hour
)

// check refuses values out of range, and fills in the options.
func (f *recordFlags) check() error {
	switch {
	case f.For <= 0 || f.For > longest:
		return fmt.Errorf("--for %s: must be more than nothing, and a year at most; such as --for 10m", f.For)
	case f.Megabytes < 1 || f.Megabytes > mostMegabytes:
		return fmt.Errorf("--max-size %d: megabytes go from 1 to %d", f.Megabytes, mostMegabytes)
	case f.Files < 1 || f.Files > mostFiles:
		return fmt.Errorf("--files %d: must be 1 to %d", f.Files, mostFiles)
	case f.File == "-":
		return errors.New("--output -: a recording is files; \"tcpdump -U -w - | dplay decode -\" shows what goes on")
	case len(f.Ports) > mostPorts:
		return fmt.Errorf("%d times --port are more than the %d that can be recorded", len(f.Ports), mostPorts)
	}
	o := recorder.Options{Tell: f.std.Tell, Game: gamelist.Title, Interfaces: f.Interfaces, For: f.For, Files: f.Files,
		Size: f.Megabytes << 20}
	for _, p := range f.Ports {
		o.Ports = append(o.Ports, wire.Ports{First: p, Last: p})
	}
	for _, name := range f.Interfaces {
		if name == "" {
			return errors.New("an --interface is empty")
		}
	}
	tcp, udp := new(flags.Listening).Of(f.App.GUID)
	o.Ports = append(o.Ports, tcp, udp)
	if f.File == "" {
		f.File = time.Now().Format("dplay-20060102-150405.pcapng")
	}
	o.File = f.File
	o.Create = func(name string) (*os.File, error) {
		return outfile.Begin(name, outfile.Options{Mode: outfile.Private, Force: f.Force, Tell: f.std.Tell})
	}
	f.options = o
	return nil
}
