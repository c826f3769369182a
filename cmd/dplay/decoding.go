package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/captures/hexdump"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/filter"
)

// A decoding is one run of "dplay decode".
type decoding struct {
	flags   *decodeFlags
	std     cli.Streams
	out     *cli.Output
	printer printer
	filter  *filter.Filter // nil: everything
}

// A printer writes what is decoded in one of the formats. Its methods append to a buffer, or return another one where
// that is empty: valid until the next call.
type printer interface {
	file(b []byte, name string) []byte // a file begins
	record(b []byte, r *captures.Record) []byte
	finding(b []byte, f *captures.Finding) []byte // one that belongs to no record
	held(b []byte) []byte                         // some of what is held back; nothing if there is no more
	fileEnd(b []byte) []byte
	end(b []byte) []byte
}

// A silence prints nothing. Printers embed it, for what they have nothing to say about.
type silence struct{}

func (silence) finding(b []byte, _ *captures.Finding) []byte { return b }
func (silence) held(b []byte) []byte                         { return b }
func (silence) fileEnd(b []byte) []byte                      { return b }
func (silence) end(b []byte) []byte                          { return b }

func newDecoding(f *decodeFlags, std cli.Streams) (*decoding, error) {
	d := &decoding{flags: f, std: std, out: cli.NewOutput(std.Out)}
	d.printer = newPrinter(f, cli.UseColor(f.color.Value, std.Out))
	var err error
	d.filter, err = filter.New(f.filter, f.zone())
	return d, err
}

func newPrinter(f *decodeFlags, color bool) printer {
	switch {
	case f.stats && f.format.Value == "text":
		return &statsText{several: f.several}
	case f.stats:
		return newStatsJSON(f)
	case f.format.Value == "text":
		return newTextPrinter(f, color)
	}
	return newJSONPrinter(f)
}

// files decodes one file after the other. What cannot be read is told and does not stop the others.
func (d *decoding) files(ctx context.Context, names []string) error {
	failed := false
	for _, name := range names {
		if err := d.file(ctx, name); err != nil {
			failed = true
			d.out.Flush()
			d.std.Tell(fileReason(name, err))
		}
		if d.out.Err != nil || ctx.Err() != nil {
			break
		}
	}
	d.append(d.printer.end)
	switch err := d.out.End(); {
	case err != nil:
		return d.std.Told(err)
	case failed && d.out.Err == nil:
		return cli.ErrFailed
	}
	return nil
}

// release writes what the printer holds back.
func (d *decoding) release() {
	for b := d.printer.held(d.out.Buffer()); len(b) > 0; b = d.printer.held(d.out.Buffer()) {
		d.out.Add(b)
	}
}

// show shows everything that was decoded so far.
func (d *decoding) show() {
	d.release()
	d.out.Flush()
}

// append lets the printer write something.
func (d *decoding) append(write func(b []byte) []byte) {
	d.out.Add(write(d.out.Buffer()))
}

// fileReason names the file in an error about it, once.
func fileReason(name string, err error) string {
	var pe *os.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return displayName(name) + ": interrupted"
	case errors.As(err, &pe) && pe.Path == name:
		return name + ": " + pe.Err.Error()
	case strings.HasPrefix(err.Error(), displayName(name)+": "):
		return err.Error()
	}
	return displayName(name) + ": " + err.Error()
}

// displayName is what a file is called in messages for people.
func displayName(name string) string {
	if name == stdinName {
		return "standard input"
	}
	return name
}

// file decodes one file. An error of the output is kept there.
func (d *decoding) file(ctx context.Context, name string) error {
	in, err := openInput(name, d.std.In)
	if err != nil {
		return err
	}
	defer in.close()
	r, isHex, err := fromHex(in.r)
	if err != nil {
		return err
	}
	d.append(func(b []byte) []byte { return d.printer.file(b, name) })
	reading := &reading{decoding: d}
	opt := d.flags.options
	if isHex {
		opt.Ports = append(slices.Clip(opt.Ports), hexdump.Port)
	}
	opt.Name = displayName(name)
	if in.live || cli.Terminal(d.std.Out) != nil { // output is wanted at once
		opt.Waiting = d.show
	}
	shown := cli.Terminal(d.std.Out) != nil && !d.flags.stats // lines on the same terminal show as much as a bar
	bar := cli.FileBar(d.flags.noProgress || shown, d.std.Err, opt.Name, in.size)
	opt.Progress = bar.Set
	sum, err := captures.Read(ctx, r, opt, reading.record, reading.finding)
	bar.End()
	d.release()
	d.append(d.printer.fileEnd)
	d.out.Flush()
	if d.out.Err != nil { // which may be what Read returned
		return nil
	}
	reading.summary(name, sum)
	if in.live && errors.Is(err, context.Canceled) {
		return nil // an interrupt is how a running capture ends
	}
	return err
}
