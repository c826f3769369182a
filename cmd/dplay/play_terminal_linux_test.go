package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTerminals lets two terminals chat, as two people on one machine do. Ctrl-D leaves.
func TestTerminals(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	screens, ends := map[string]*screen{}, map[string]chan int{}
	sees := map[string]*program{} // what is printed, by who sees it
	open := func(name string, args []string) {
		s := openScreen(t)
		p := newProgram(t, name)
		screens[name], sees[name], ends[name] = s, p, make(chan int, 1)
		go func() {
			defer close(p.done)
			ends[name] <- run(ctx, append(args, "--player", name), s.tty, io.MultiWriter(s.tty, p), (*programErrors)(p))
		}()
		p.expectWith("* you are " + name)
	}
	types := func(name, keys string) {
		_, err := io.WriteString(screens[name].master, keys)
		require.NoError(t, err)
	}
	open("Ann", at.host())
	open("Bob", at.join())
	sees["Ann"].expectWith("* Bob is here")
	types("Bob", "hello Ann\n")
	sees["Ann"].expect("Bob: hello Ann")
	types("Ann", "hello Bob\n")
	sees["Bob"].expect("Ann: hello Bob")
	const endOfInput = "\x04"
	types("Bob", endOfInput)
	assert.Equal(t, exitOK, <-ends["Bob"], sees["Bob"].stderr())
	sees["Ann"].expectWith("* Bob is gone")
	types("Ann", endOfInput)
	assert.Equal(t, exitOK, <-ends["Ann"], sees["Ann"].stderr())
	for _, s := range screens {
		assert.Contains(t, s.text(t), "\r\n* you left the session\r\n")
	}
}

// TestInputEnds checks that a session goes on when an input that is no terminal ends, so that it can run in the
// background.
func TestInputEnds(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	j := start(t, at.join("--events", "ndjson"))
	j.event("player_created", "local", true)
	j.say("last words")
	require.NoError(t, j.in.Close())
	h.event("chat", "text", "last words")
	h.say("still there?")
	j.event("chat", "text", "still there?")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
}
