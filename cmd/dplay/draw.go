package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/draw"
	"dplay4/captures/show"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/conversation"
	"dplay4/cmd/dplay/internal/filter"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/cmd/dplay/internal/outfile"
)

// drawFlags are the flags of "dplay draw".
type drawFlags struct {
	Format       flags.Choice `flag:"format" choice:"text,svg,mermaid" usage:"draw in text, as an SVG picture, or as a diagram for Mermaid; by default what -o ends with says it"`
	Out          string       `flag:"output,o" usage:"write the picture to <FILE> instead of standard output"`
	Report       string       `flag:"report" usage:"write a report to <FILE>, one HTML page that needs no network: picture, sessions and hosts, players, chat, plots, findings, messages"`
	Force        bool         `flag:"force" usage:"replace the files of --output and --report if there are such"`
	Conversation string       `flag:"conversation" usage:"draw only conversation <N>, or that of one or two addresses: 2, 10.0.0.2, 10.0.0.1:2300,10.0.0.2"`
	Filter       string       `flag:"filter" usage:"draw only messages for which <EXPR> is true; see \"dplay decode --help\""`
	Width        int          `flag:"width" usage:"columns of a picture in text; by default those of the terminal, or 120"`
	Rows         int          `flag:"rows" usage:"rows of a picture at most: beyond, neighbours are folded"`
	ASCII        bool         `flag:"ascii" usage:"draw text without line characters"`
	Color        flags.Choice `flag:"color" choice:"auto,always,never" usage:"colour text; auto: on a terminal, unless NO_COLOR is set"`
	NoFindings   bool         `flag:"no-findings" usage:"do not look for what went wrong: the capture is read once instead of twice"`
	captureFlags
	only    *conversation.Choice // nil: all
	picture bool                 // wanted besides a report
}

// drawLong and drawExamples are the help of "dplay draw". A test runs the examples.
const drawLong = `Draw a packet capture (pcap or pcapng, plain or compressed with gzip or zstd; "-" is standard input) as a sequence
diagram: a lane for each machine with its players' names, an arrow for each message with the fields that matter, and
the silences between. Messages that repeat are folded: "PLAYERMESSAGE 412 messages, 36-76 octets". What "dplay doctor"
finds wrong is marked where it shows.

Formats:
  text      for the terminal; --width, --ascii, --color
  svg       one file that needs nothing else, light or dark as its reader likes it
  mermaid   for Markdown on sites that draw it. Mermaid takes no long text: what is beyond is left out, with a note

--report writes one HTML page that opens from a file, without a network: the diagram, each session with its game and
who hosted it from when to when, who was there, the chat, plots of message rates and of the round trips of pings, the findings, and a
list of all messages that can be searched, each with all its fields. It holds what the capture holds: names, chat, addresses, passwords.

Files of --output and --report get their names when they are whole, and replace others only with --force. A new one is for
you alone (mode 0600): to publish it, look at it first, and then change its mode. One that is replaced keeps its mode.

Exit status: 0 all was read and written, 1 an input could not be read or an output not written, 2 wrong usage.`

const drawExamples = `  dplay draw captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay draw --width 100 --ascii --conversation 2 captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay draw --conversation 10.77.0.1,10.77.0.2 captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay draw --filter 'command != "PING"' --format mermaid captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay draw -o session.svg captures/interop/ourhost-third-machine.pcap
  dplay draw --report session.html captures/migration/killed-modern.pcapng`

// leastWidth is the lowest value of --width.
const leastWidth = 60

func newDraw(std cli.Streams) *cobra.Command {
	f := &drawFlags{Rows: draw.DefaultRows}
	cmd := &cobra.Command{
		Use:     "draw [flags] FILE",
		Short:   "Draw who says what to whom in a packet capture, or make a report of it",
		Long:    drawLong,
		Example: drawExamples,
		Args:    wantOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args[0]); err != nil {
				return err
			}
			wanted, err := filter.New(f.Filter, time.Local)
			if err != nil {
				return err
			}
			return (&drawing{drawFlags: f, std: std, filter: wanted}).file(cmd.Context(), args[0])
		},
	}
	flags.Register(cmd, f)
	takesFiles(cmd)
	return cmd
}

func wantOneFile(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("no FILE given (\"-\" is standard input)")
	case 1:
		return nil
	}
	return fmt.Errorf("one FILE at a time, not %d", len(args))
}

// extensions maps the endings of file names to formats.
var extensions = map[string]string{".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid", ".txt": "text"}

// check refuses flags that do not go together and values out of range.
func (f *drawFlags) check(cmd *cobra.Command, file string) error {
	changed := cmd.Flags().Changed
	if ending := strings.ToLower(filepath.Ext(f.Out)); f.Out != "" && !changed("format") {
		switch format, known := extensions[ending]; {
		case known:
			f.Format.Value = format
		case ending == ".html" || ending == ".htm":
			return fmt.Errorf("--output %s: a page is made by --report", f.Out)
		default:
			return fmt.Errorf("--output %s: which format? Its name does not say; give --format", f.Out)
		}
	}
	text := f.Format.Value == "text"
	f.picture = f.Report == "" || f.Out != "" || changed("format")
	switch {
	case f.Report != "" && filepath.Clean(f.Report) == filepath.Clean(f.Out):
		return errors.New("--report and --output name the same file")
	case f.Report != "" && filepath.Clean(f.Report) == filepath.Clean(file):
		return fmt.Errorf("--report %s would write over the capture", f.Report)
	case f.Out != "" && filepath.Clean(f.Out) == filepath.Clean(file):
		return fmt.Errorf("--output %s would write over the capture", f.Out)
	case f.Force && f.Report == "" && f.Out == "":
		return errors.New("--force replaces the files of --output and --report: it does nothing without them")
	case !text && (changed("width") || changed("ascii") || changed("color")):
		return errors.New("--width, --ascii and --color are for --format text")
	case changed("width") && f.Width < leastWidth:
		return fmt.Errorf("--width %d: must be at least %d", f.Width, leastWidth)
	case f.Rows < 1 || f.Rows > 10000:
		return fmt.Errorf("--rows %d: rows go from 1 to 10000", f.Rows)
	}
	if changed("conversation") {
		var err error
		if f.only, err = conversation.Parse(f.Conversation); err != nil {
			return err
		}
	}
	return nil
}

// textOptions returns the width and colours of a picture in text, which depend on the output.
func (f *drawFlags) textOptions(out any) draw.TextOptions {
	opt := draw.TextOptions{Width: f.Width, ASCII: f.ASCII}
	if f.Out != "" {
		opt.Color = f.Color.Value == "always"
		return opt
	}
	opt.Color = cli.UseColor(f.Color.Value, out)
	if t := cli.Terminal(out); t != nil && f.Width == 0 {
		if width, _, err := term.GetSize(int(t.Fd())); err == nil {
			opt.Width = max(width, leastWidth)
		}
	}
	return opt
}

// A drawing is one run of "dplay draw".
type drawing struct {
	*drawFlags
	std           cli.Streams
	filter        *filter.Filter // nil: everything
	conversations int            // the highest number met
	drawn         int            // messages
	builder       *draw.Builder
	page          *draw.Report // nil: none is wanted
	begun         bool
}

// file draws a capture. Of a damaged one it draws the part that could be read.
func (d *drawing) file(ctx context.Context, name string) error {
	open := openTwice
	if d.NoFindings {
		open = openInput
	}
	in, err := open(name, d.std.In)
	if err != nil {
		return unread(d.std, name, err)
	}
	defer in.close()
	report, err := d.create("--report", d.Report, in)
	defer report.Abort()
	if err != nil {
		return d.std.Told(err)
	}
	out, err := d.create("--output", d.Out, in)
	defer out.Abort()
	if err != nil {
		return d.std.Told(err)
	}
	findings, search, err := d.examine(ctx, in)
	if err != nil {
		return unread(d.std, name, err)
	}
	d.begin(name, findings, search)
	opt := d.read()
	bar := in.watched(&opt, d.NoProgress, d.std.Err, "")
	sum, err := captures.Read(ctx, in.r, opt, d.record, nil)
	bar.End()
	if err = cmp.Or(err, ctx.Err()); err != nil {
		d.std.Tell(fileReason(name, err))
		if ctx.Err() != nil || sum == nil || sum.Messages == 0 {
			return cli.ErrFailed
		}
	}
	if written := d.write(in, sum, report, out); written != nil {
		return written
	}
	if err != nil {
		return cli.ErrFailed
	}
	return nil
}

// create creates the file that a flag names; nil if it names none.
func (d *drawing) create(flag, name string, in *input) (*outfile.File, error) {
	if name == "" {
		return nil, nil
	}
	f, err := outfile.Create(name, ofCapture(in, d.Force))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return f, nil
}

// examine returns the doctor's findings, and seeks to the beginning of the capture. Errors of a damaged capture are left to the
// second reading.
func (d *drawing) examine(ctx context.Context, in *input) ([]draw.Finding, draw.Search, error) {
	if d.NoFindings {
		return nil, draw.NotLooked, nil
	}
	opt := doctor.Options{Options: d.read(), Game: gamelist.Title}
	bar := in.watched(&opt.Options, d.NoProgress, d.std.Err, "findings of ")
	report, err := doctor.Examine(ctx, in.r, opt)
	bar.End()
	if ctx.Err() != nil {
		return nil, 0, cmp.Or(err, ctx.Err())
	}
	if err := in.again(); err != nil || report == nil {
		return nil, draw.NotLooked, err
	}
	list := report.Findings
	if d.Report == "" {
		list = slices.DeleteFunc(list, func(f doctor.Finding) bool { return f.Severity == doctor.Information }) // a page has place
	}
	return doctorFindings(list), draw.Looked, nil
}

// begin makes the builder of the picture, and the report if one is wanted.
func (d *drawing) begin(name string, findings []draw.Finding, search draw.Search) {
	title := "standard input"
	if name != stdinName {
		title = filepath.Base(name)
	}
	if d.only != nil {
		title += ", " + d.only.String()
	}
	if d.filter != nil {
		title += ", " + strings.NewReplacer("\n", " ", "\t", " ").Replace(d.Filter)
	}
	opt := draw.Options{Title: title, Rows: d.Rows, Findings: findings, Search: search,
		Partial: d.only != nil || d.filter != nil, Game: gamelist.Title}
	if d.Report != "" {
		d.page = draw.NewReport(opt)
		d.builder = d.page.Builder()
	} else {
		d.builder = draw.NewBuilder(opt)
	}
}

// record adds a message, if it is wanted.
func (d *drawing) record(r *captures.Record) error {
	d.conversations = max(d.conversations, r.Conversation)
	if !d.begun {
		d.begun = true
		d.builder.Begin(r.Time)
	}
	if !d.only.Wants(r) || !d.filter.Matches(r) {
		return nil
	}
	d.drawn++
	if d.page != nil {
		d.page.Add(r)
	} else {
		d.builder.Add(r)
	}
	return nil
}

// write writes the report, the picture and the summary, as far as they are wanted.
func (d *drawing) write(in *input, sum *captures.Summary, report, out *outfile.File) error {
	if c := d.only; c != nil && c.Number > d.conversations {
		d.std.Tell(fmt.Sprintf("%s: there is no conversation %d, only %d", in.name, c.Number, d.conversations))
		return cli.ErrFailed
	}
	if why := d.filter.Failures(); why != "" {
		d.std.Tell(in.name + ": " + why)
	}
	picture := d.builder.Diagram()
	if report != nil {
		about := []string{account(sum), "Made by dplay " + version() + "."}
		if err := whole(report, func(w io.Writer) error { return d.page.Write(w, about) }); err != nil {
			d.std.Tell("writing the report: " + err.Error())
			return cli.ErrFailed
		}
	}
	if d.picture {
		if err := d.std.Told(d.print(picture, out)); err != nil {
			return err
		}
	}
	if !d.Quiet {
		b := []byte(in.name + ": ")
		if d.only != nil || d.filter != nil {
			b = appendShown(b, d.drawn, sum.Messages, d.filter.Absent())
		}
		b = append(append(b, account(sum)...), '\n')
		d.std.Err.Write(appendHints(b, sum)) //nolint:errcheck // there is nowhere to tell it
	}
	return nil
}

// account returns the summary of the capture. "No findings." is left out, because it would seem to be about the doctor's findings.
func account(sum *captures.Summary) string {
	return strings.TrimSuffix(strings.TrimSpace(string(show.AppendSummary(nil, sum))), " No findings.")
}

// print writes the picture. A closed pipe is no error.
func (d *drawing) print(picture *draw.Diagram, file *outfile.File) error {
	var b []byte
	switch d.Format.Value {
	case "svg":
		b = picture.AppendSVG(nil)
	case "mermaid":
		b = picture.AppendMermaid(nil)
	default:
		b = picture.AppendText(nil, d.textOptions(d.std.Out))
	}
	if file != nil {
		err := whole(file, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		if err != nil {
			return fmt.Errorf("writing the output: %w", err)
		}
		return nil
	}
	out := cli.NewOutput(d.std.Out)
	out.Add(b)
	return out.End()
}

// whole writes a file and commits it.
func whole(f *outfile.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, cli.OutputBuffer)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Commit()
}

// doctorFindings converts the doctor's findings to those of a picture.
func doctorFindings(list []doctor.Finding) []draw.Finding {
	var out []draw.Finding
	for i := range list {
		f := &list[i]
		g := draw.Finding{Code: string(f.Code), Text: f.Text, Cause: f.Cause, Advice: f.Advice, More: f.More, Severity: draw.Notice}
		switch f.Severity {
		case doctor.Failure:
			g.Severity = draw.Failure
		case doctor.Warning:
			g.Severity = draw.Warning
		}
		for j := range f.Evidence {
			e := &f.Evidence[j]
			what := e.Message
			if e.Field != "" {
				what += " " + e.Field + "=" + e.Value
			} else if e.Value != "" {
				what += " " + e.Value
			}
			g.Places = append(g.Places, draw.Place{N: e.N, Frame: e.Frame, Time: e.Time, What: strings.TrimSpace(what)})
		}
		out = append(out, g)
	}
	return out
}
