package main

import (
	"bufio"
	"errors"
	"io"
)

// outputBuffer is how much output is held back, in octets: large enough that the calls of the system cost
// nothing beside the decoding.
const outputBuffer = 256 << 10

// An output buffers what goes to standard output. The first error is kept, and ends what writes to it.
type output struct {
	w   *bufio.Writer
	err error
}

func newOutput(w io.Writer) *output { return &output{w: bufio.NewWriterSize(w, outputBuffer)} }

// buffer gives an empty slice to append to; write takes it back. Where what was appended still fits, nothing
// is copied.
func (o *output) buffer() []byte { return o.w.AvailableBuffer() }

func (o *output) write(b []byte) error {
	if o.err == nil {
		_, o.err = o.w.Write(b)
	}
	return o.err
}

func (o *output) flush() error {
	if o.err == nil {
		o.err = o.w.Flush()
	}
	return o.err
}

// readerGone says whether writing failed because nobody reads any more, as with "| head". That is no
// error. (Where it is the process's own standard output, the system ends it before it can ask.)
func (o *output) readerGone() bool {
	if o.err == nil {
		return false
	}
	if errors.Is(o.err, io.ErrClosedPipe) {
		return true
	}
	for _, e := range brokenPipes {
		if errors.Is(o.err, e) {
			return true
		}
	}
	return false
}
