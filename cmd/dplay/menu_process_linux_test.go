package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// TestMenuProcess runs the menu as a program on a terminal: its commands read what is typed for them, one that fails does not end
// it, and Ctrl-C ends what it runs and not itself.
func TestMenuProcess(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	self, err := os.Executable()
	require.NoError(t, err)
	sees := newProgram(t, "menu")
	s := openScreen(t, sees)
	cmd := exec.Command(self, "menu")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.tty, s.tty, s.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended, if all went well
	types := func(keys string) {
		_, err := io.WriteString(s.master, keys)
		require.NoError(t, err)
	}
	types("w\n127.0.0.1:x\n")
	sees.expectWith("This runs: dplay doctor --live 127.0.0.1:x\r")
	sees.expectWith("dplay: ")
	sees.expectWith("(It has ended.)") // what is typed sooner may be read by it
	types("\njoin\n" + at.address + "\nTest\n\nBob\n")
	sees.expectWith("* you are Bob")
	types("hello\n")
	h.event("chat", "text", "hello")
	const interrupt = "\x03"
	types(interrupt)
	sees.expectWith("* you left the session")
	sees.expectWith("(It has ended.)")
	types("\nq\n")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err, _ = testkit.Receive(t, ended, "the end of the menu")
	assert.NoError(t, err, "the interrupt was not for the menu")
	assert.Equal(t, 2, strings.Count(s.text(t), "Press Enter for the menu. "))
	assert.Equal(t, exitOK, h.interrupt())
}
