package play

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/console"
)

// typedLines are the lines of standard input as they come.
type typedLines struct {
	lines chan string // closed at the end of the input
	err   error       // then: what ended it, nil for its end
	stop  func()      // nobody reads lines any more
}

// maxLine bounds a line, in octets. A longer one ends the input.
const maxLine = 64 << 10

// readLines reads lines in the background. A read of a terminal cannot be interrupted, so the goroutine may live until the
// program ends.
func readLines(in io.Reader) *typedLines {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	return linesOf(func() (string, error) {
		if s.Scan() {
			return cli.FromCodePage(strings.TrimSuffix(s.Text(), "\r")), nil
		}
		if err := s.Err(); err != nil {
			return "", err
		}
		return "", io.EOF
	})
}

// readTyped is readLines for a console.
func readTyped(c *console.Console) *typedLines { return linesOf(c.ReadLine) }

// linesOf calls next in the background, until it fails.
func linesOf(next func() (string, error)) *typedLines {
	quit := make(chan struct{})
	l := &typedLines{lines: make(chan string), stop: sync.OnceFunc(func() { close(quit) })}
	go func() {
		defer close(l.lines)
		for {
			text, err := next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					l.err = err
				}
				return
			}
			select {
			case l.lines <- text:
			case <-quit:
				return
			}
		}
	}()
	return l
}
