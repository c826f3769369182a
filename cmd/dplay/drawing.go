package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/draw"
	"dplay4/captures/show"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/filter"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/cmd/dplay/internal/outfile"
)

// A drawing is one run of "dplay draw".
type drawing struct {
	flags         *drawFlags
	std           cli.Streams
	filter        *filter.Filter // nil: everything
	conversations int            // the highest number met
	drawn         int            // messages
	builder       *draw.Builder
	report        *draw.Report // nil: none is wanted
	begun         bool
	page, out     *outfile.File // of --report and --output; nil: none
}

func newDrawing(f *drawFlags, std cli.Streams) (*drawing, error) {
	wanted, err := filter.New(f.filter, time.Local)
	return &drawing{flags: f, std: std, filter: wanted}, err
}

// file draws a file. What of it could be read is drawn also where it is damaged.
func (d *drawing) file(ctx context.Context, name string) error {
	in, err := d.open(name)
	if err != nil {
		d.std.Tell(fileReason(name, err))
		return cli.ErrFailed
	}
	defer in.close()
	if err := d.create(in); err != nil {
		return d.std.Told(err)
	}
	defer d.drop()
	findings, search, err := d.examine(ctx, name, in)
	if err != nil {
		d.std.Tell(fileReason(name, err))
		return cli.ErrFailed
	}
	d.begin(name, findings, search)
	sum, err := d.read(ctx, in, "", name, func(opt captures.Options) (*captures.Summary, error) {
		return captures.Read(ctx, in.r, opt, d.record, nil)
	})
	if err != nil {
		d.std.Tell(fileReason(name, err))
	}
	if ctx.Err() != nil || sum == nil || err != nil && sum.Messages == 0 {
		return cli.ErrFailed
	}
	if written := d.write(name, sum); written != nil {
		return written
	}
	if err != nil {
		return cli.ErrFailed
	}
	return nil
}

// create begins the files that are wanted.
func (d *drawing) create(in *input) (err error) {
	opt := ofCapture(in, d.flags.force)
	if d.flags.report != "" {
		if d.page, err = outfile.Create(d.flags.report, opt); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	if d.flags.out != "" {
		if d.out, err = outfile.Create(d.flags.out, opt); err != nil {
			d.drop()
			return fmt.Errorf("--output: %w", err)
		}
	}
	return nil
}

// drop drops the files that are not whole.
func (d *drawing) drop() {
	for _, f := range []*outfile.File{d.page, d.out} {
		if f != nil {
			f.Abort()
		}
	}
}

// open opens the capture. What cannot be read twice is copied to a file first if that is needed.
func (d *drawing) open(name string) (*input, error) {
	if d.flags.noFindings {
		return openInput(name, d.std.In)
	}
	return openTwice(name, d.std.In)
}

// read reads the capture once, with a bar.
func (d *drawing) read(ctx context.Context, in *input, what, name string,
	read func(captures.Options) (*captures.Summary, error)) (*captures.Summary, error) {
	opt := d.flags.options
	opt.Name = displayName(name)
	bar := cli.FileBar(d.flags.noProgress, d.std.Err, what+displayName(name), in.size)
	opt.Progress = bar.Set
	sum, err := read(opt)
	bar.End()
	if err == nil {
		err = ctx.Err()
	}
	return sum, err
}

// examine asks the doctor what is wrong, and goes back to where the capture begins. What is damaged the second
// reading tells.
func (d *drawing) examine(ctx context.Context, name string, in *input) ([]draw.Finding, draw.Search, error) {
	if d.flags.noFindings {
		return nil, draw.NotLooked, nil
	}
	f, ok := in.r.(io.Seeker)
	if !ok {
		return nil, 0, errors.New("cannot be read twice; --no-findings reads it once")
	}
	start, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0, err
	}
	var report *doctor.Report
	_, err = d.read(ctx, in, "findings of ", name, func(opt captures.Options) (*captures.Summary, error) {
		var err error
		report, err = doctor.Examine(ctx, in.r, doctor.Options{Options: opt, Game: gamelist.Title})
		return nil, err
	})
	if ctx.Err() != nil {
		return nil, 0, err
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return nil, 0, err
	}
	if report == nil {
		return nil, draw.NotLooked, nil
	}
	list := report.Findings
	if d.flags.report == "" {
		list = slices.DeleteFunc(list, func(f doctor.Finding) bool { return f.Severity == doctor.Information }) // a page has place
	}
	return doctorFindings(list), draw.Looked, nil
}

// begin makes what takes the messages.
func (d *drawing) begin(name string, findings []draw.Finding, search draw.Search) {
	title := "standard input"
	if name != stdinName {
		title = filepath.Base(name)
	}
	if d.flags.only != nil {
		title += ", " + d.flags.only.String()
	}
	if d.filter != nil {
		title += ", " + strings.NewReplacer("\n", " ", "\t", " ").Replace(d.flags.filter)
	}
	opt := draw.Options{Title: title, Rows: d.flags.rows, Findings: findings, Search: search,
		Partial: d.flags.only != nil || d.filter != nil, Game: gamelist.Title}
	if d.flags.report != "" {
		d.report = draw.NewReport(opt)
		d.builder = d.report.Builder()
	} else {
		d.builder = draw.NewBuilder(opt)
	}
}

// record takes a message that was decoded.
func (d *drawing) record(r *captures.Record) error {
	d.conversations = max(d.conversations, r.Conversation)
	if !d.begun {
		d.begun = true
		d.builder.Begin(r.Time)
	}
	if !d.flags.only.wants(r) || !d.filter.Matches(r) {
		return nil
	}
	d.drawn++
	if d.report != nil {
		d.report.Add(r)
	} else {
		d.builder.Add(r)
	}
	return nil
}

// write writes what is wanted, and what became of the file.
func (d *drawing) write(name string, sum *captures.Summary) error {
	if c := d.flags.only; c != nil && c.number > d.conversations {
		d.std.Tell(fmt.Sprintf("%s: there is no conversation %d, only %d", displayName(name), c.number, d.conversations))
		return cli.ErrFailed
	}
	if why := d.filter.Failures(); why != "" {
		d.std.Tell(displayName(name) + ": " + why)
	}
	picture := d.builder.Diagram()
	if d.page != nil {
		about := []string{account(sum), "Made by dplay " + version() + "."}
		if err := whole(d.page, func(w io.Writer) error { return d.report.Write(w, about) }); err != nil {
			d.std.Tell("writing the report: " + err.Error())
			return cli.ErrFailed
		}
	}
	if d.flags.picture {
		if err := d.std.Told(d.print(picture)); err != nil {
			return err
		}
	}
	if !d.flags.quiet {
		b := []byte(displayName(name) + ": ")
		if d.flags.only != nil || d.filter != nil {
			b = appendShown(b, d.drawn, sum.Messages, d.filter.Absent())
		}
		b = append(append(b, account(sum)...), '\n')
		d.std.Err.Write(appendHints(b, sum)) //nolint:errcheck // there is nowhere to tell it
	}
	return nil
}

// account says what became of the file. That reading it found nothing odd is left out: it would sound as if the
// doctor had not either.
func account(sum *captures.Summary) string {
	return strings.TrimSuffix(strings.TrimSpace(string(show.AppendSummary(nil, sum))), " No findings.")
}

// print writes the picture. A reader that went away is no error.
func (d *drawing) print(picture *draw.Diagram) error {
	var b []byte
	switch d.flags.format.Value {
	case "svg":
		b = picture.AppendSVG(nil)
	case "mermaid":
		b = picture.AppendMermaid(nil)
	default:
		b = picture.AppendText(nil, d.flags.textOptions(d.std.Out))
	}
	if d.out != nil {
		err := whole(d.out, func(w io.Writer) error {
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

// whole writes a file and gives it its name.
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

// doctorFindings returns the doctor's findings as a picture marks them.
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
