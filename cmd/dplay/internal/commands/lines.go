package commands

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// maxLine is how long a line may be, in octets: the largest message in hexadecimal, and then some.
const maxLine = 4 << 20

// byteOrderMark is what programs of Windows put before the first line, those of .NET and PowerShell among them.
var byteOrderMark = []byte("\uFEFF")

// A Line is one of the input.
type Line struct {
	Number  int // from 1
	Text    []byte
	TooLong bool // it was left out
}

// Lines are the lines of an input as they come. Nothing is read ahead but what the system gives at once, so whoever
// writes faster than lines are taken has to wait.
type Lines[L any] struct {
	All  chan L // closed at the end of the input
	Err  error  // then: what ended it, nil for its end
	Stop func() // nobody reads lines any more
}

// Each calls next in the background for one line after the other, until it fails. Nothing can interrupt a read: the goroutine may wait
// in one until the program ends.
func Each[L any](next func() (L, error)) *Lines[L] {
	quit := make(chan struct{})
	l := &Lines[L]{All: make(chan L), Stop: sync.OnceFunc(func() { close(quit) })}
	go func() {
		defer close(l.All)
		for {
			line, err := next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					l.Err = err
				}
				return
			}
			select {
			case l.All <- line:
			case <-quit:
				return
			}
		}
	}()
	return l
}

// Read reads lines in the background, but for empty ones.
func Read(in io.Reader) *Lines[Line] {
	from, n := bufio.NewReader(in), 0
	var err error
	return Each(func() (line Line, _ error) {
		for len(line.Text) == 0 && !line.TooLong {
			if err != nil {
				return line, err
			}
			n++
			line.Number = n
			line.Text, line.TooLong, err = readLine(from)
			if n == 1 {
				line.Text = bytes.TrimPrefix(line.Text, byteOrderMark)
			}
		}
		return line, nil
	})
}

// readLine reads a line, without its end and space around it. Of one that is too long nothing is kept.
func readLine(from *bufio.Reader) (text []byte, tooLong bool, err error) {
	for {
		part, err := from.ReadSlice('\n')
		switch {
		case tooLong:
		case len(text)+len(part) > maxLine:
			text, tooLong = nil, true
		default:
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.Trim(text, " \t\r\n"), tooLong, err
		}
	}
}
