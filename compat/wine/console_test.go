//go:build linux

package wine_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A console is a terminal that a program of Wine takes for a console of Windows.
type console struct {
	cmd    *exec.Cmd
	master *os.File
	seen   chan string
	text   strings.Builder // all that was seen
}

// newConsole starts a command in a console of 80 columns.
func newConsole(t *testing.T, cmd *exec.Cmd) *console {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	ioctl := func(request uintptr, arg unsafe.Pointer) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(arg))
		require.Zero(t, errno)
	}
	var locked, number int32
	var keys syscall.Termios
	size := struct{ rows, columns, x, y uint16 }{rows: 25, columns: 80}
	ioctl(syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	ioctl(syscall.TIOCGPTN, unsafe.Pointer(&number))
	ioctl(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	defer tty.Close()
	ioctl(syscall.TCGETS, unsafe.Pointer(&keys)) // as they are: Wine sets this when a program first reads, which may be too late
	keys.Iflag &^= syscall.ICRNL
	keys.Lflag &^= syscall.ICANON | syscall.ECHO | syscall.ISIG
	ioctl(syscall.TCSETS, unsafe.Pointer(&keys))
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	c := &console{cmd: cmd, master: master, seen: make(chan string)}
	require.NoError(t, cmd.Start())
	go func() {
		defer close(c.seen)
		for b := make([]byte, 4096); ; {
			n, err := master.Read(b)
			select {
			case c.seen <- string(b[:n]):
			case <-t.Context().Done():
				return
			}
			if err != nil {
				return // nobody has it open any more
			}
		}
	}()
	return c
}

// shows waits until a text was seen.
func (c *console) shows(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(c.text.String(), text) {
		select {
		case s, ok := <-c.seen:
			require.True(t, ok, "it ended, and never showed %q: %q", text, c.text.String())
			c.text.WriteString(s)
		case <-ctx.Done():
			require.NoError(t, ctx.Err(), "it never showed %q: %q", text, c.text.String())
		}
	}
}

// keys types.
func (c *console) keys(t *testing.T, text string) {
	t.Helper()
	_, err := c.master.WriteString(text)
	require.NoError(t, err)
}

// ends waits for the program's end. The terminal may stay open: Wine's desktop has it as its standard error where the program started
// that.
func (c *console) ends(t *testing.T) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	for seen := c.seen; ; {
		select {
		case s, ok := <-seen:
			if c.text.WriteString(s); !ok {
				seen = nil
			}
		case err := <-ended:
			assert.NoError(t, err, c.text.String())
			return
		}
	}
}

// console has somebody type chat in a console of Windows, and end the program by Ctrl-C: the others are told.
func (w *windowsBuild) console(ctx context.Context, t *testing.T) {
	host := w.starts(ctx, t, w.linux, "host", "--app", application, "--name", "console", "--player", japaneseHost)
	c := newConsole(t, w.command(ctx, exePath, "join", w.linux.Addr().String(), "--player", "Typist"))
	c.shows(ctx, t, "you are Typist")
	typist := host.find(ctx, t, "the player", func(f fact) bool { return f.Event == "player_created" && f.Name == "Typist" })
	c.keys(t, japaneseChat+"\r")
	heard := host.find(ctx, t, "what was typed", func(f fact) bool { return f.Event == "chat" && f.From == typist.ID })
	assert.Equal(t, japaneseChat, heard.Text)
	c.keys(t, "\x03")
	c.shows(ctx, t, "you left the session")
	c.ends(t)
	left := host.next(ctx, t, "player_deleted")
	assert.Equal(t, typist.ID, left.ID)
	host.none(t, "peer_lost", "dropped")

	capture, err := filepath.Glob("../../captures/lab/02-*.pcap")
	require.NoError(t, err)
	require.Len(t, capture, 1)
	w.put(t, capture[0], "/tmp/small.pcap")
	// Wine's console breaks lines, in the colours as well.
	for mode, name := range map[string]string{"auto": "UDP  EN", "always": "36mEN"} {
		c = newConsole(t, w.command(ctx, exePath, "decode", "small.pcap", "--quiet", "--color", mode))
		c.shows(ctx, t, name)
		c.ends(t)
		assert.Equal(t, mode == "always", strings.Contains(c.text.String(), "36mEN"), mode)
	}
}
