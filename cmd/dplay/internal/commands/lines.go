package commands

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// MaxLine is how long a line may be, in octets: the largest message in hexadecimal, and then some.
const MaxLine = 4 << 20

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
type Lines struct {
	All  chan Line // closed at the end of the input
	Err  error     // then: what ended it, nil for its end
	Stop func()    // nobody reads lines any more
}

// Read reads lines in the background, but for empty ones. Nothing can interrupt a read: the goroutine may wait in one until the
// program ends.
func Read(in io.Reader) *Lines {
	quit := make(chan struct{})
	l := &Lines{All: make(chan Line), Stop: sync.OnceFunc(func() { close(quit) })}
	go func() {
		defer close(l.All)
		from := bufio.NewReader(in)
		for n := 1; ; n++ {
			text, tooLong, err := readLine(from)
			if n == 1 {
				text = bytes.TrimPrefix(text, byteOrderMark)
			}
			if len(text) > 0 || tooLong {
				select {
				case l.All <- Line{n, text, tooLong}:
				case <-quit:
					return
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					l.Err = err
				}
				return
			}
		}
	}()
	return l
}

// readLine reads a line, without its end and space around it. Of one that is too long nothing is kept.
func readLine(from *bufio.Reader) (text []byte, tooLong bool, err error) {
	for {
		part, err := from.ReadSlice('\n')
		switch {
		case tooLong:
		case len(text)+len(part) > MaxLine:
			text, tooLong = nil, true
		default:
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return trim(text), tooLong, err
		}
	}
}

func trim(line []byte) []byte {
	space := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
	for len(line) > 0 && space(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && space(line[0]) {
		line = line[1:]
	}
	return line
}
