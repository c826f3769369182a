package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

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

// A view is what was written to a screen so far.
type view struct {
	mu   sync.Mutex
	text strings.Builder
}

func (v *view) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.Write(b)
}

func (v *view) all() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.String()
}

func (v *view) has(text string) bool { return strings.Contains(v.all(), text) }

// TestMenuKeys types arrows into the menu: they edit the line and are not shown, and the terminal is left as it was, also by a signal.
func TestMenuKeys(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for name, end := range map[string]func(*exec.Cmd, *screen){
		"quit":   func(_ *exec.Cmd, s *screen) { io.WriteString(s.master, "q\r") },   //nolint:errcheck // the test waits for its effect
		"ctrl-c": func(_ *exec.Cmd, s *screen) { io.WriteString(s.master, "\x03") },  //nolint:errcheck // likewise
		"signal": func(c *exec.Cmd, _ *screen) { c.Process.Signal(syscall.SIGTERM) }, //nolint:errcheck // likewise
	} {
		t.Run(name, func(t *testing.T) {
			sees := &view{}
			s := openScreen(t, sees)
			cmd := exec.Command(self, "menu")
			cmd.Env = append(os.Environ(), asProgram+"=1", "TERM=xterm")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = s.tty, s.tty, s.tty
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			require.NoError(t, cmd.Start())
			t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended, if all went well
			testkit.Until(t, func() bool { return sees.has("first letter: ") }, "the question")
			_, err := io.WriteString(s.master, "\x1b[A\x1b[Bl\x1b[Dhe\x1b[C\x7f\x1b[5~\r") // he|l, hel|, he
			require.NoError(t, err)
			testkit.Until(t, func() bool { return sees.has("This runs: dplay help start") }, "the choice")
			testkit.Until(t, func() bool { return sees.has("Enter for the menu. ") }, "the end of the help")
			if name != "signal" {
				_, err = io.WriteString(s.master, "\r")
				require.NoError(t, err)
				testkit.Until(t, func() bool { return strings.Count(sees.all(), "first letter: ") == 2 }, "the menu")
			}
			end(cmd, s)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			err, _ = testkit.Receive(t, ended, "the end of the menu")
			assert.Equal(t, name == "signal", err != nil)
			var after syscall.Termios
			ioctl(t, s.master, syscall.TCGETS, unsafe.Pointer(&after))
			assert.Equal(t, s.before, after)
			assert.NotContains(t, s.text(t), "^[")
		})
	}
}
