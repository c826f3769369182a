package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

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
	if o.Err == nil {
		return false
	}
	if errors.Is(o.Err, io.ErrClosedPipe) {
		return true
	}
	for _, e := range brokenPipes {
		if errors.Is(o.Err, e) {
			return true
		}
	}
	return false
}
