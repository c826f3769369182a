package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"dplay4/captures"
	"dplay4/captures/annotate"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/cmd/dplay/internal/outfile"
)

// An annotation is one run of "dplay annotate".
type annotation struct {
	flags *annotateFlags
	std   cli.Streams
	name  string        // of the capture
	file  *outfile.File // nil: standard output
	out   *cli.Output
}

// run reads the capture twice and writes it. What stands before a damage of the capture is written, too.
func (a *annotation) run(ctx context.Context) error {
	in, err := openTwice(a.name, a.std.In)
	if err != nil {
		return a.failed(fileReason(a.name, err))
	}
	defer in.close()
	if in.spooled && ctx.Err() != nil { // an interrupt is how a running capture ends
		ctx = context.WithoutCancel(ctx)
	}
	if err := a.create(in); err != nil {
		return a.failed(err.Error())
	}
	if a.file != nil {
		defer a.file.Abort()
	}
	notes, done, err := a.copy(ctx, in)
	ended := a.out.End()
	switch {
	case a.out.ReaderGone():
		return nil
	case ended == nil && err != nil && (ctx.Err() != nil || done.Frames == 0):
		return a.failed(fileReason(a.name, err))
	case ended == nil && a.file != nil:
		ended = a.file.Commit()
	}
	if ended != nil {
		return a.failed(ended.Error())
	}
	a.tell(notes, done)
	if err != nil {
		return a.failed(fmt.Sprintf("%s; %s has the %d frames before", fileReason(a.name, err), a.outName(), done.Frames))
	}
	return nil
}

// failed tells why the run failed.
func (a *annotation) failed(why string) error {
	a.std.Tell(why)
	return cli.ErrFailed
}

func (a *annotation) outName() string {
	if a.file == nil {
		return "the output"
	}
	return a.flags.out
}

// create opens the output, which must not be the input.
func (a *annotation) create(in *input) error {
	if a.flags.out == stdinName {
		if cli.Terminal(a.std.Out) != nil {
			return errors.New("a capture is nothing for a terminal: name a file, -o OUT.pcapng")
		}
		a.out = cli.NewOutput(a.std.Out)
		return nil
	}
	opt := ofCapture(in, a.flags.force)
	opt.Tell = a.std.Tell
	f, err := outfile.Create(a.flags.out, opt)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	a.file, a.out = f, cli.NewOutput(f)
	return nil
}

// ofCapture returns the options of a file that shows a capture's messages, with the passwords in them.
func ofCapture(in *input, force bool) outfile.Options {
	opt := outfile.Options{Mode: outfile.Private, Force: force}
	if f, ok := in.r.(*os.File); ok {
		opt.Input, _ = f.Stat() // nil: it is no file then
	}
	return opt
}

// copy reads the capture and writes it to the output.
func (a *annotation) copy(ctx context.Context, in *input) (notes *annotate.Notes, done annotate.Written, err error) {
	from := in.r.(io.ReadSeeker) // it can be read twice
	start, err := from.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, done, err
	}
	opt := annotate.Options{Options: a.flags.options, Game: gamelist.Title, Program: "dplay " + version()}
	opt.Name = displayName(a.name)
	bar := cli.FileBar(a.flags.noProgress, a.std.Err, "reading "+opt.Name, in.size)
	opt.Progress = bar.Set
	notes, err = annotate.Read(ctx, from, opt)
	bar.End()
	if notes == nil {
		return nil, done, err
	}
	defer notes.Close()
	if _, err := from.Seek(start, io.SeekStart); err != nil {
		return notes, done, err
	}
	bar = cli.FileBar(a.flags.noProgress, a.std.Err, "writing "+a.outName(), in.size)
	done, err = notes.Write(ctx, a.out, from, bar.Set)
	bar.End()
	return notes, done, err
}

// tell says what was written.
func (a *annotation) tell(notes *annotate.Notes, done annotate.Written) {
	if a.flags.quiet {
		return
	}
	b := fmt.Appendf(nil, "%s: %d frames, %d with comments; %s\n", captures.Printable(a.outName()), done.Frames, done.Commented,
		captures.Printable(notes.Report.Verdict()))
	if done.Bare > 0 {
		b = fmt.Appendf(b, "  Frames in simple packet blocks, which cannot have comments: %d.\n", done.Bare)
	}
	a.std.Err.Write(appendHints(b, notes.Report.Summary)) //nolint:errcheck // there is nowhere to tell it
}
