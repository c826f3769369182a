package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/term"
)

// Streams are what a subcommand reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ErrFailed says that the subcommand did not do all it should have; it has told the reasons itself.
var ErrFailed = errors.New("failed")

// Tell writes a line to standard error, which is the last resort.
func (s Streams) Tell(text string) { fmt.Fprintln(s.Err, Fit(s.Err, "dplay: "+text)) }

// Told tells an error that is not about the command line, and remembers only that there was one.
func (s Streams) Told(err error) error {
	if err == nil || errors.Is(err, ErrFailed) {
		return err
	}
	s.Tell(Plain(err))
	return ErrFailed
}

// OutputBuffer is how much output is held back, in octets: large enough that the calls of the system cost
// nothing beside the decoding, and small enough that a batch of JSON is written without a copy.
const OutputBuffer = 64 << 10

// An Output buffers what goes to standard output. The first error is kept, and ends what writes to it.
type Output struct {
	Err error // the first one
	w   *bufio.Writer
}

// NewOutput returns an output that writes to w.
func NewOutput(w io.Writer) *Output { return &Output{w: bufio.NewWriterSize(w, OutputBuffer)} }

// Buffer returns an empty slice to append to; Add takes it back. Where what was appended still fits, nothing
// is copied.
func (o *Output) Buffer() []byte { return o.w.AvailableBuffer() }

// Add adds octets.
func (o *Output) Add(b []byte) {
	if o.Err == nil {
		_, o.Err = o.w.Write(b)
	}
}

// Write is Add for what others print.
func (o *Output) Write(b []byte) (int, error) {
	if o.Add(b); o.Err != nil {
		return 0, o.Err
	}
	return len(b), nil
}

// Flush writes what was held back.
func (o *Output) Flush() {
	if o.Err == nil {
		o.Err = o.w.Flush()
	}
}

// End ends the output. That nobody reads any more is no error.
func (o *Output) End() error {
	if o.Flush(); o.Err == nil || o.ReaderGone() {
		return nil
	}
	return fmt.Errorf("writing the output: %w", o.Err)
}

// ReaderGone reports whether writing failed because nobody reads any more, as with "| head". (Where it is the process's
// own standard output, the system ends it before it can ask.)
func (o *Output) ReaderGone() bool {
	return slices.ContainsFunc(brokenPipes, func(e error) bool { return errors.Is(o.Err, e) })
}

// Terminal returns the file behind a stream if that is a terminal, otherwise nil.
func Terminal(stream any) *os.File {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// UseColor decides whether to write colours to standard output. Automatically means on a terminal that knows
// them, unless NO_COLOR is set to anything (no-color.org).
func UseColor(mode string, out any) bool {
	f := Terminal(out)
	return mode == "always" || mode == "auto" && f != nil && os.Getenv("NO_COLOR") == "" && Escapes(f)
}

// Escapes reports whether a terminal understands escape sequences.
func Escapes(f *os.File) bool { return os.Getenv("TERM") != "dumb" && enableEscapes(f) }

// A Window says whether this program has a terminal window for itself, that closes when it ends.
type Window int

// The kinds of windows.
const (
	NoWindow        Window = iota // none, or one of somebody who goes on
	OnlyWindow                    // nobody else is in it
	ExplorersWindow               // and it was opened because somebody clicked
)
