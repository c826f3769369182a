package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"dplay4/cmd/dplay/internal/cli"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ioctl asks the system something about a terminal.
func ioctl(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg))
	require.Zero(t, errno, "ioctl %x: %v", request, errno)
}

// A screen is a terminal that remembers what was written to it.
type screen struct {
	tty    *os.File
	master *os.File
	before syscall.Termios // how it was set before any program had it
	seen   bytes.Buffer
	done   sync.WaitGroup
}

// openScreen makes a pseudo terminal of 100 columns. What is written to it also goes to others that want it.
func openScreen(t *testing.T, others ...io.Writer) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	var locked, number int32
	size := struct{ rows, columns, x, y uint16 }{rows: 25, columns: 100}
	ioctl(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	ioctl(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	ioctl(t, master, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	s := &screen{tty: tty, master: master}
	ioctl(t, master, syscall.TCGETS, unsafe.Pointer(&s.before))
	all := io.MultiWriter(append(others, &s.seen)...)
	s.done.Go(func() { io.Copy(all, master) }) //nolint:errcheck // it ends with an error when the terminal closes
	return s
}

// text closes the terminal and gives what was written to it.
func (s *screen) text(t *testing.T) string {
	t.Helper()
	require.NoError(t, s.tty.Close())
	s.done.Wait()
	require.NoError(t, s.master.Close())
	return s.seen.String()
}

// TestColor checks that colours are for terminals, unless the user says otherwise.
func TestColor(t *testing.T) {
	const cyan = "\x1b[36m"
	for _, c := range []struct {
		name, mode, noColor, term string
		terminal, want            bool
	}{
		{"terminal", "auto", "", "xterm", true, true},
		{"file", "auto", "", "xterm", false, false},
		{"NO_COLOR", "auto", "1", "xterm", true, false},
		{"dumb terminal", "auto", "", "dumb", true, false},
		{"always, to a file", "always", "", "xterm", false, true},
		{"always, with NO_COLOR", "always", "1", "xterm", true, true},
		{"never", "never", "", "xterm", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("NO_COLOR", c.noColor)
			t.Setenv("TERM", c.term)
			args := []string{"decode", "-q", "--color", c.mode, lab(t, "02")}
			var out string
			if c.terminal {
				s := openScreen(t)
				require.Equal(t, exitOK, run(context.Background(), args, nil, s.tty, io.Discard))
				out = s.text(t)
			} else {
				out = dplay(t, args...).out
			}
			assert.Contains(t, out, "ENUMSESSIONS")
			assert.Equal(t, c.want, strings.Contains(out, cyan))
		})
	}
}

// long is a capture that is long enough for a progress bar, though nothing in it is DirectPlay.
func long(t *testing.T) string {
	c := newCapture()
	payload := make([]byte, 60000)
	for len(c.b) < cli.LongFile {
		c.udp("10.0.0.1:5000", "10.0.0.2:5000", payload)
	}
	return c.file(t, "long.pcap")
}

// TestProgress checks when a progress bar is shown, and that nothing is left of it.
func TestProgress(t *testing.T) {
	file := long(t)
	for _, c := range []struct {
		name string
		args []string
		out  bool // standard output is a terminal as well
		want bool
	}{
		{"long file", []string{file}, false, true},
		{"short file", []string{lab(t, "12-")}, false, false},
		{"not wanted", []string{"--no-progress", file}, false, false},
		{"lines on the same terminal", []string{file}, true, false},
		{"statistics on the same terminal", []string{"--stats", file}, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openScreen(t)
			var out io.Writer = io.Discard
			if c.out {
				out = s.tty
			}
			require.Equal(t, exitOK, run(context.Background(), append([]string{"decode"}, c.args...), nil, out, s.tty))
			got := s.text(t)
			assert.Equal(t, c.want, strings.Contains(got, "%"), "%q", got)
			if c.want {
				bar := strings.LastIndex(got, "%")
				assert.Contains(t, got[bar:], "\r", "the bar is wiped")
				assert.Contains(t, got[bar:], "frames", "the summary comes after it")
			}
		})
	}
	assert.NotContains(t, dplay(t, "decode", file).err, "%", "standard error is no terminal")
}
