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
	Width        int          `flag:"width" range:"60" must:"must be at least 60" usage:"columns of a picture in text; by default those of the terminal, or 120"`
	Rows         int          `flag:"rows" range:"1,10000" must:"rows go from 1 to 10000" usage:"rows of a picture at most: beyond, neighbours are folded"`
	ASCII        bool         `flag:"ascii" usage:"draw text without line characters"`
	Color        flags.Choice `flag:"color" choice:"auto,always,never" usage:"colour text; auto: on a terminal, unless NO_COLOR is set"`
	NoFindings   bool         `flag:"no-findings" usage:"do not look for what went wrong: the capture is read once instead of twice"`
	captureFlags
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

func newDraw(std cli.Streams) *cobra.Command {
	f := &drawFlags{Rows: draw.DefaultRows}
	return takesFiles(flags.Register(&cobra.Command{
		Use:     "draw [flags] FILE",
		Short:   "Draw who says what to whom in a packet capture, or make a report of it",
		Long:    drawLong,
		Example: drawExamples,
		Args:    wantOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := f.drawing(cmd.Flags().Changed, args[0], std)
			if err != nil {
				return err
			}
			return d.file(cmd.Context(), args[0])
		},
	}, f))
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

// drawing returns what is to be done. It refuses flags that do not go together.
func (f *drawFlags) drawing(changed func(name string) bool, file string, std cli.Streams) (*drawing, error) {
	if f.Out != "" && !changed("format") {
		ending := strings.ToLower(filepath.Ext(f.Out))
		if ending == ".html" || ending == ".htm" {
			return nil, fmt.Errorf("--output %s: a page is made by --report", f.Out)
		}
		if f.Format.Value = extensions[ending]; f.Format.Value == "" {
			return nil, fmt.Errorf("--output %s: which format? Its name does not say; give --format", f.Out)
		}
	}
	same := func(a, b string) bool { return a != "" && filepath.Clean(a) == filepath.Clean(b) }
	if err := cmp.Or(
		flags.Refuse(same(f.Report, f.Out), "--report and --output name the same file"),
		flags.Refuse(same(f.Report, file), "--report %s would write over the capture", f.Report),
		flags.Refuse(same(f.Out, file), "--output %s would write over the capture", f.Out),
		flags.Refuse(f.Force && f.Report+f.Out == "", "--force replaces the files of --output and --report: it does nothing without them"),
		flags.Refuse(f.Format.Value != "text" && slices.ContainsFunc([]string{"width", "ascii", "color"}, changed),
			"--width, --ascii and --color are for --format text"),
	); err != nil {
		return nil, err
	}
	d := &drawing{drawFlags: f, std: std, picture: f.Report == "" || f.Out != "" || changed("format")}
	var err error
	if changed("conversation") {
		if d.only, err = conversation.Parse(f.Conversation); err != nil {
			return nil, err
		}
	}
	d.filter, err = filter.New(f.Filter, time.Local)
	d.partial = d.only != nil || d.filter != nil
	return d, err
}

// textOptions returns the width and colours of a picture in text, which depend on the output.
func (f *drawFlags) textOptions(out any) draw.TextOptions {
	opt := draw.TextOptions{Width: f.Width, ASCII: f.ASCII}
	if f.Out != "" {
		opt.Color = f.Color.Value == "always"
		return opt
	}
	opt.Color = cli.UseColor(f.Color.Value, out)
	if width := cli.ScreenWidth(out); width > 0 {
		const least = 60 // as of --width
		opt.Width = cmp.Or(f.Width, max(width, least))
	}
	return opt
}

// A drawing is one run of "dplay draw".
type drawing struct {
	*drawFlags
	std           cli.Streams
	picture       bool                 // wanted besides a report
	only          *conversation.Choice // nil: all
	filter        *filter.Filter       // nil: everything
	partial       bool                 // one of these leaves out messages
	conversations int                  // the highest number met
	drawn         int                  // messages
	builder       *draw.Builder
	page          *draw.Report                   // nil: none is wanted
	add           func(message *captures.Record) // to the page, or to the picture alone
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
	findings, looked, err := d.examine(ctx, in)
	if err != nil {
		return unread(d.std, name, err)
	}
	d.begin(name, findings, looked)
	opt := d.read()
	bar := in.watched(&opt, d.NoProgress, d.std.Err, "")
	sum, err := captures.Read(ctx, in.r, opt, d.record, nil)
	bar.End()
	if err = cmp.Or(err, ctx.Err()); err != nil {
		err = unread(d.std, name, err)
		if ctx.Err() != nil || sum == nil || sum.Messages == 0 {
			return err
		}
	}
	return cmp.Or(d.write(in, sum, report, out), err)
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
func (d *drawing) examine(ctx context.Context, in *input) (findings []doctor.Finding, looked bool, err error) {
	if d.NoFindings {
		return nil, false, nil
	}
	opt := doctor.Options{Options: d.read(), Game: gamelist.Title}
	bar := in.watched(&opt.Options, d.NoProgress, d.std.Err, "findings of ")
	report, err := doctor.Examine(ctx, in.r, opt)
	bar.End()
	if ctx.Err() != nil {
		return nil, false, cmp.Or(err, ctx.Err())
	}
	if err := in.again(); err != nil || report == nil {
		return nil, false, err
	}
	list := report.Findings
	if d.Report == "" {
		list = slices.DeleteFunc(list, func(f doctor.Finding) bool { return f.Severity == doctor.Information }) // a page has place
	}
	return list, true, nil
}

// begin makes the builder of the picture, and the report if one is wanted.
func (d *drawing) begin(name string, findings []doctor.Finding, looked bool) {
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
	opt := draw.Options{Title: title, Rows: d.Rows, Findings: findings, Looked: looked, Partial: d.partial, Game: gamelist.Title}
	if d.Report != "" {
		d.page = draw.NewReport(opt)
		d.builder, d.add = d.page.Builder(), d.page.Add
	} else {
		d.builder = draw.NewBuilder(opt)
		d.add = d.builder.Add
	}
}

// record adds a message, if it is wanted.
func (d *drawing) record(r *captures.Record) error {
	d.conversations = max(d.conversations, r.Conversation)
	if !d.begun {
		d.begun = true
		d.builder.Begin(r.Time)
	}
	if d.only.Wants(r) && d.filter.Matches(r) {
		d.drawn++
		d.add(r)
	}
	return nil
}

// write writes the report, the picture and the summary, as far as they are wanted.
func (d *drawing) write(in *input, sum *captures.Summary, report, out *outfile.File) error {
	if c := d.only; c != nil && c.Number > d.conversations {
		return d.std.Told(fmt.Errorf("%s: there is no conversation %d, only %d", in.name, c.Number, d.conversations))
	}
	if why := d.filter.Failures(); why != "" {
		d.std.Tell(in.name + ": " + why)
	}
	picture := d.builder.Diagram()
	if report != nil {
		about := []string{account(sum), "Made by dplay " + version() + "."}
		if err := whole(report, func(w io.Writer) error { return d.page.Write(w, about) }); err != nil {
			return d.std.Told(fmt.Errorf("writing the report: %w", err))
		}
	}
	if d.picture {
		if err := d.std.Told(d.print(picture, out)); err != nil {
			return err
		}
	}
	if !d.Quiet {
		b := []byte(in.name + ": ")
		if d.partial {
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
	b := map[string]func([]byte) []byte{
		"svg": picture.AppendSVG, "mermaid": picture.AppendMermaid,
		"text": func(b []byte) []byte { return picture.AppendText(b, d.textOptions(d.std.Out)) },
	}[d.Format.Value](nil)
	if file == nil {
		out := cli.NewOutput(d.std.Out)
		out.Add(b)
		return out.End()
	}
	err := whole(file, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// whole writes a file and commits it.
func whole(f *outfile.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, cli.OutputBuffer)
	if err := cmp.Or(write(w), w.Flush()); err != nil {
		return err
	}
	return f.Commit()
}
