package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"dplay4/captures"
)

// A decoding is one run of "dplay decode".
type decoding struct {
	flags   *decodeFlags
	std     streams
	out     *output
	printer printer
	filter  *filter // nil: everything
	live    bool    // output is wanted at once
}

// A printer writes what is decoded in one of the formats. Its methods append to a buffer.
type printer interface {
	file(b []byte, name string) []byte // a file begins
	first(r *captures.Record)          // its first message, printed or not
	record(b []byte, r *captures.Record) []byte
	finding(b []byte, f *captures.Finding) []byte // one that belongs to no record
	fileEnd(b []byte) []byte
	end(b []byte) []byte
}

func newDecoding(f *decodeFlags, std streams) (*decoding, error) {
	d := &decoding{flags: f, std: std, out: newOutput(std.out)}
	d.printer = newPrinter(f, useColor(f.color.value, std.out))
	if f.filter != "" {
		var err error
		if d.filter, err = newFilter(f.filter); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func newPrinter(f *decodeFlags, color bool) printer {
	switch {
	case f.stats && f.format.value == "text":
		return &statsText{several: f.several}
	case f.stats:
		return newStatsJSON(f)
	case f.format.value == "text":
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
			d.flush()
			d.tell(fileReason(name, err))
		}
		if d.out.err != nil || ctx.Err() != nil {
			break
		}
	}
	d.append(d.printer.end)
	d.flush()
	switch {
	case d.out.readerGone():
		return nil
	case d.out.err != nil:
		d.tell("writing the output: " + d.out.err.Error())
		return errFailed
	case failed:
		return errFailed
	}
	return nil
}

// append lets the printer write something.
func (d *decoding) append(write func(b []byte) []byte) {
	d.out.write(write(d.out.buffer())) //nolint:errcheck // the output keeps it
}

func (d *decoding) flush() { d.out.flush() } //nolint:errcheck // the output keeps it

// tell writes a line to standard error, which is the last resort.
func (d *decoding) tell(text string) { fmt.Fprintln(d.std.err, "dplay: "+text) }

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
	in, err := openInput(name, d.std.in)
	if err != nil {
		return err
	}
	defer in.close()
	d.append(func(b []byte) []byte { return d.printer.file(b, name) })
	reading := &reading{decoding: d}
	opt := d.flags.options
	opt.Name = displayName(name)
	d.live = in.live || terminal(d.std.out) != nil
	bar := d.progress(name, in)
	opt.Progress = func(octets int64) {
		bar.set(octets)
		if d.live {
			d.flush()
		}
	}
	sum, err := captures.Read(ctx, in.r, opt, reading.record, reading.finding)
	bar.end()
	d.append(d.printer.fileEnd)
	d.flush()
	if d.out.err != nil { // which may be what Read returned
		return nil
	}
	reading.summary(name, sum)
	if in.live && errors.Is(err, context.Canceled) {
		return nil // an interrupt is how a running capture ends
	}
	return err
}

// progress shows a bar unless lines on the same terminal show as much.
func (d *decoding) progress(name string, in *input) *progress {
	if d.flags.noProgress || terminal(d.std.out) != nil && !d.flags.stats {
		return nil
	}
	return startProgress(d.std.err, displayName(name), in.size)
}
