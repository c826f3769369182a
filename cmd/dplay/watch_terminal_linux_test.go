package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sees waits until a text was drawn, anywhere.
func (p *program) sees(text string) {
	p.t.Helper()
	p.await("text "+text, func() bool { return strings.Contains(p.written(), text) })
}

// The sequences with which a terminal changes to another screen, and back.
const (
	otherScreen = "\x1b[?1049h"
	firstScreen = "\x1b[?1049l"
)

// TestWatchTable watches a session come in a terminal, sorts, and ends by each key. The session's name is one that would command the
// terminal. That what is gone is shown so is held in package browse.
func TestWatchTable(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	w := openWindow(t, at.sessions("--watch", "--timeout", "1ms")...)
	w.sees("Sessions at " + at.address)
	w.sees(at.address + " does not answer")
	startHost(t, at, "--name", "A\x1b[31m\x1b]0;\a")
	w.sees("A\ufffd[31m\ufffd]0;\ufffd")
	w.sees("14 (DX9)")
	w.types("s")
	w.sees("HOST v")
	w.types("q")
	assert.Equal(t, exitOK, w.end())
	text := w.screen.seen.String()
	assert.Equal(t, 1, strings.Count(text, otherScreen))
	assert.Equal(t, 1, strings.Count(text, firstScreen), "what was there before the table is there again")
	_, after, _ := strings.Cut(text, firstScreen)
	assert.NotContains(t, after, "A\ufffd", "nothing is left behind")
	assert.NotContains(t, text, "\x1b[31m")
	assert.NotContains(t, text, "\x1b]0;")
	for _, key := range []string{"\x1b", "\x03"} {
		w := openWindow(t, at.sessions("--watch")...)
		w.sees("q quit")
		w.types(key)
		assert.Equal(t, exitOK, w.end(), "%q", key)
		assert.Contains(t, w.screen.seen.String(), firstScreen)
	}
}

// TestWatchNoKeyboard has no terminal to read from: an interrupt ends the table. A terminal that can only print gets
// lines.
func TestWatchNoKeyboard(t *testing.T) {
	at := newPlace(t)
	startHost(t, at)
	for _, c := range []struct{ term, shows, not string }{
		{"xterm", "Ctrl-C ends", "+ \"Test\""}, {"dumb", "+ \"Test\"", otherScreen},
	} {
		t.Setenv("TERM", c.term)
		ctx, interrupt := context.WithCancel(context.Background())
		p := newProgram(t, c.term)
		s := openScreen(t, p)
		in, keep := io.Pipe()
		ended := make(chan int, 1)
		go func() {
			defer close(p.done)
			ended <- run(ctx, at.sessions("--watch"), in, s.tty, (*programErrors)(p))
		}()
		p.sees(c.shows)
		interrupt()
		assert.Equal(t, exitOK, <-ended, p.stderr())
		keep.Close()
		text := s.text(t)
		assert.NotContains(t, text, c.not)
		assert.Equal(t, strings.Count(text, otherScreen), strings.Count(text, firstScreen))
	}
}

// TestWatchFails checks that the table ends, and the reason is told, where nobody can be asked.
func TestWatchFails(t *testing.T) {
	t.Parallel()
	w := openWindow(t, "sessions", "--watch", "--bind", "192.0.2.77") // nobody's (RFC 5737)
	assert.Equal(t, exitInput, w.end())
	text := w.screen.seen.String()
	assert.Equal(t, strings.Count(text, otherScreen), strings.Count(text, firstScreen))
	assert.Contains(t, text[strings.LastIndex(text, firstScreen)+1:], "dplay: ")
}
