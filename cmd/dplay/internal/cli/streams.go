package cli

import (
	"errors"
	"fmt"
	"io"
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
