package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
	For        time.Duration  `flag:"for" default:"1h" range:"1ns,8784h" must:"must be more than nothing, and a year at most; such as --for 10m" usage:"stop after this time, such as 90s, 10m or 8h"`
	App        flags.App      `flag:"app" usage:"record this game's ports, too: a GUID, or a name that \"dplay games\" lists"`
	Ports      flags.PortList `flag:"port" usage:"record what goes to and from <PORT>, too; may be repeated"`
	Megabytes  int64          `flag:"max-size" default:"64" range:"1,1048576" must:"megabytes go from 1 to 1048576" usage:"begin another file after so many <MEGABYTES>"`
	Files      int            `flag:"files" default:"4" range:"1,1000" must:"must be 1 to 1000" usage:"keep no more than <N> files"`
	Format     flags.Choice   `flag:"format" choice:"text,ndjson" usage:"write the verdict as a line for people, or all that the doctor says as a JSON object a line"`
	Force      bool           `flag:"force" usage:"replace a FILE that is there already; its mode stays"`
	std        cli.Streams
	shown      string // of the progress, in lines
	overwrites bool   // a line of progress is to be ended
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
	return flags.Register(&cobra.Command{
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
			o, err := f.options()
			if err != nil {
				return err
			}
			return f.record(cmd.Context(), o)
		},
	}, f)
}

// record records, and prints the files and the verdict.
func (f *recordFlags) record(ctx context.Context, o *recorder.Options) error {
	screen := cli.Terminal(f.std.Err)
	o.Every, o.Progress = 10*time.Second, f.progress
	if screen != nil && cli.Escapes(screen) {
		o.Every, o.Progress = time.Second, f.overwrite
	}
	result, err := o.Run(ctx)
	if f.overwrites {
		fmt.Fprintln(f.std.Err)
	}
	if result == nil {
		return f.std.Told(err)
	}
	stopped := "stopped"
	if result.Why != "" {
		stopped += ", " + result.Why
	}
	f.std.Tell(fmt.Sprintf("%s: %s, in %s", stopped, result.Seen, captures.Printable(strings.Join(result.Files, ", "))))
	if result.Deleted > 0 {
		f.std.Tell(fmt.Sprintf("files that had to go, between the first and the last ones: %d; --files and --max-size keep more", result.Deleted))
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

// progress prints how much was seen, if it is more than before.
func (f *recordFlags) progress(_ time.Duration, seen string) {
	if seen != f.shown {
		f.std.Tell(seen)
	}
	f.shown = seen
}

// overwrite prints how much was seen in the place of what was printed before.
func (f *recordFlags) overwrite(passed time.Duration, seen string) {
	fmt.Fprintf(f.std.Err, "\r\x1b[K%s: %s", passed.Round(time.Second), seen)
	f.overwrites = true
}

// options returns what is recorded. It refuses flags that do not go together and values out of range.
func (f *recordFlags) options() (*recorder.Options, error) {
	const mostPorts = 100
	if err := cmp.Or(
		flags.Refuse(f.File == "-", "--output -: a recording is files; \"tcpdump -U -w - | dplay decode -\" shows what goes on"),
		flags.Refuse(len(f.Ports) > mostPorts, "%d times --port are more than the %d that can be recorded", len(f.Ports), mostPorts),
		flags.Refuse(slices.Contains(f.Interfaces, ""), "an --interface is empty"),
	); err != nil {
		return nil, err
	}
	tcp, udp := new(flags.Listening).Of(f.App.GUID)
	ports := []wire.Ports{tcp, udp}
	for _, p := range f.Ports {
		ports = append(ports, wire.Ports{First: p, Last: p})
	}
	return &recorder.Options{Tell: f.std.Tell, Game: gamelist.Title, Interfaces: f.Interfaces, For: f.For, Files: f.Files,
		Size: f.Megabytes << 20, Ports: ports, File: cmp.Or(f.File, time.Now().Format("dplay-20060102-150405.pcapng")),
		Create: func(name string) (*os.File, error) {
			return outfile.Begin(name, outfile.Options{Mode: outfile.Private, Force: f.Force, Tell: f.std.Tell})
		}}, nil
}
