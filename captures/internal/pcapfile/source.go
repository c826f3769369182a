package pcapfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// inputBuffer is how much is read from the input at a time, in octets.
const inputBuffer = 64 << 10

// A source gives the uncompressed octets of a file, knows where it is in them, and turns what goes wrong into a
// FileError.
type source struct {
	name       string
	in         input
	compressed bool
	br         *bufio.Reader // uncompressed; its buffer holds the largest record
	off        int64         // of the next octet, in the uncompressed file
	frame      int           // number of the frame that is read, or was last
}

// An input remembers why reading failed.
type input struct {
	io.Reader
	err error // other than io.EOF
}

// Read implements io.Reader.
func (i *input) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if err != nil && err != io.EOF {
		i.err = err
	}
	return n, err
}

// begin opens r and reports whether it is pcapng; what it is instead pcap's reader finds out.
func (s *source) begin(r io.Reader, name string) (ng bool, err error) {
	s.name, s.in.Reader = name, r
	in := bufio.NewReaderSize(&s.in, inputBuffer)
	magic, err := in.Peek(4)
	switch {
	case len(magic) > 0:
	case err == io.EOF:
		return false, s.fail("file header", 0, 0, ErrEmpty)
	default:
		return false, s.ended("file header", 0, err)
	}
	plain, err := decompress(in, magic)
	s.compressed = plain != io.Reader(in)
	if err != nil {
		return false, s.ended("file header", 0, err)
	}
	s.br = bufio.NewReaderSize(plain, MaxHeldBlock)
	magic, err = s.peek(4)
	switch {
	case err != nil && err != io.EOF:
		return false, s.ended("magic number", 0, err)
	case len(magic) < 4:
		return false, s.fail("magic number", 0, 0, ErrFormat)
	}
	return binary.LittleEndian.Uint32(magic) == ngSectionHeader, nil
}

// peek returns the next n octets, at most MaxHeldBlock, without taking them; fewer only with an error. They are
// valid until octets are left behind.
func (s *source) peek(n int) ([]byte, error) { return s.br.Peek(n) }

// held returns the next n octets, which peek returned before.
func (s *source) held(n int) []byte {
	b, _ := s.br.Peek(n) // they are in the buffer
	return b
}

// take leaves n octets behind that were peeked.
func (s *source) take(n int) {
	_, _ = s.br.Discard(n) // they are in the buffer
	s.off += int64(n)
}

// fail makes a FileError.
func (s *source) fail(field string, off int64, value uint64, reason error) error {
	return &FileError{Name: s.name, Offset: off, Frame: s.frame, Field: field, Value: value, Err: reason}
}

// ended makes a FileError of what reading returned where more was needed.
func (s *source) ended(field string, off int64, err error) error {
	switch {
	case s.in.err != nil:
		err = s.in.err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = ErrTruncated
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		err = fmt.Errorf("zstd window: %w (%d)", ErrLimit, MaxZstdWindow)
	case s.compressed:
		err = fmt.Errorf("%w: %w", ErrCompressed, err)
	}
	return s.fail(field, off, 0, err)
}
