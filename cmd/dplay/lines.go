package main

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// typedLines are the lines of standard input as they come.
type typedLines struct {
	lines chan string // closed at the end of the input
	err   error       // then: what ended it, nil for its end
	stop  func()      // nobody reads lines any more
}

// maxLine is how long a line may be, in octets. One that is longer ends the input.
const maxLine = 64 << 10

// readLines reads lines in the background. Nothing can interrupt a read of a terminal: the goroutine may wait in
// one until the program ends.
func readLines(in io.Reader) *typedLines {
	quit := make(chan struct{})
	l := &typedLines{lines: make(chan string), stop: sync.OnceFunc(func() { close(quit) })}
	go func() {
		defer close(l.lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			select {
			case l.lines <- strings.TrimSuffix(s.Text(), "\r"):
			case <-quit:
				return
			}
		}
		l.err = s.Err()
	}()
	return l
}
