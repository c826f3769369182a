package bridging

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
)

// A screen is a terminal in which a session is shown.
type screen struct {
	t      *testing.T
	master *os.File
	more   chan struct{}
	ended  chan error

	mu   sync.Mutex
	seen strings.Builder
}

// openScreen shows a session in a terminal of 100 columns.
func openScreen(t *testing.T, o Options, s Session) *screen {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("TERM", "xterm-256color")
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 25, Col: 100}))
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	w := &screen{t: t, master: master, more: make(chan struct{}, 1), ended: make(chan error, 1)}
	o.Std = cli.Streams{In: tty, Out: tty, Err: io.Discard}
	go io.Copy(w, master) //nolint:errcheck // it ends when the terminal closes
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	go func() { w.ended <- o.Run(ctx, s) }()
	t.Cleanup(func() { cancel(); master.Close() }) // who reads from tty lets go of it a moment later: it closes itself then
	return w
}

// Write takes what is drawn.
func (w *screen) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
	return w.seen.Write(b)
}

func (w *screen) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}

// sees waits until a text was drawn.
func (w *screen) sees(text string) {
	w.t.Helper()
	late := time.After(10 * time.Second)
	for !strings.Contains(w.text(), text) {
		select {
		case <-w.more:
		case <-late:
			w.t.Fatalf("no %q: %q", text, w.text())
		}
	}
}

// types presses keys.
func (w *screen) types(keys string) {
	w.t.Helper()
	_, err := io.WriteString(w.master, keys)
	require.NoError(w.t, err)
}

// TestTable shows a session in a terminal: its code, who is there, and who asks. Keys answer, and end it.
func TestTable(t *testing.T) {
	s := newMade("Ann", "B\x1b[31mob")
	s.events <- bridge.Opened{Code: "ABCD-EFGH", Self: s.members[0]}
	w := openScreen(t, Options{Shared: true}, s)
	w.sees("    ABCD-EFGH")
	w.sees("B\ufffd[31mob")
	s.events <- bob(5)
	w.sees("Bob wants to join: y lets in")
	w.types("y")
	s.events <- bridge.Unasked{ID: bob(6).ID, Name: "Cid", Reason: "it was not let in"}
	w.sees("Cid: it was not let in")
	w.types("q")
	require.NoError(t, <-w.ended)
	assert.Equal(t, []string{"answer 05 true"}, s.asked())
	assert.True(t, s.ended())
	assert.NotContains(t, w.text(), "B\x1b[31mob")
}

// TestTableOver has the session end, for a reason.
func TestTableOver(t *testing.T) {
	s := newMade("Ann")
	s.events <- bridge.Opened{Code: "ABCD-EFGH", Self: s.members[0]}
	w := openScreen(t, Options{}, s)
	w.sees("You are in the session")
	require.NoError(t, s.end("this machine was sent away"))
	assert.EqualError(t, <-w.ended, "out of the session: this machine was sent away")
}

// TestTableInterrupted has a signal end it.
func TestTableInterrupted(t *testing.T) {
	s := newMade("Ann")
	s.events <- bridge.Opened{Code: "ABCD-EFGH", Self: s.members[0]}
	w := openScreen(t, Options{Length: 200 * time.Millisecond}, s)
	require.NoError(t, <-w.ended)
	assert.True(t, s.ended())
}
