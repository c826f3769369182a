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
	"dplay4/dpsp/bridge/local"
	"dplay4/internal/testkit"
)

// A screen is a terminal in which a session is shown.
type screen struct {
	t      *testing.T
	master *os.File
	more   chan struct{}
	ended  chan error
	// interrupt ends what is shown, as Ctrl-C does.
	interrupt func()

	mu   sync.Mutex
	seen strings.Builder
}

// openScreen makes a terminal of 100 columns.
func openScreen(t *testing.T) (w *screen, tty *os.File) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("TERM", "xterm-256color")
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	w = &screen{t: t, master: master, more: make(chan struct{}, 1), ended: make(chan error, 1)}
	w.resize(100, 25)
	go io.Copy(w, master)                //nolint:errcheck // it ends when the terminal closes
	t.Cleanup(func() { master.Close() }) // who reads from tty lets go of it a moment later: it closes itself then
	return w, tty
}

// TestBell rings a terminal, and nothing else.
func TestBell(t *testing.T) {
	_, tty := openScreen(t)
	defer tty.Close()
	assert.Equal(t, "\a", Bell(tty))
	assert.Empty(t, Bell(io.Discard))
}

// show shows a session in a terminal.
func show(t *testing.T, o Options, s Session) *screen {
	t.Helper()
	w, tty := openScreen(t)
	o.Std = cli.Streams{In: tty, Out: tty, Err: io.Discard}
	ctx, cancel := context.WithCancel(testkit.Context(t))
	w.interrupt = cancel
	t.Cleanup(cancel)
	go func() { w.ended <- o.Run(ctx, s) }()
	return w
}

// resize changes the size of the terminal.
func (w *screen) resize(columns, rows uint16) {
	w.t.Helper()
	require.NoError(w.t, unix.IoctlSetWinsize(int(w.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}))
}

// resized changes the size of the terminal, and waits until a text was drawn after it.
func (w *screen) resized(columns, rows uint16, text string) {
	w.t.Helper()
	w.mu.Lock()
	w.seen.Reset()
	w.mu.Unlock()
	w.resize(columns, rows)
	var told time.Time
	testkit.Until(w.t, func() bool {
		if time.Since(told) > testkit.Moment { // it is not our controlling terminal, and the table may not listen yet
			told = time.Now()
			unix.Kill(os.Getpid(), unix.SIGWINCH) //nolint:errcheck // the text does not come then
		}
		return strings.Contains(w.text(), text)
	}, "%q", text)
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
	ctx := testkit.Context(w.t)
	for !strings.Contains(w.text(), text) {
		select {
		case <-w.more:
		case <-ctx.Done():
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

// otherScreen and firstScreen are what changes to a screen of its own, and back.
const (
	otherScreen = "\x1b[?1049h"
	firstScreen = "\x1b[?1049l"
)

// TestTable shows a session in a terminal: its code, who is there, and who asks. Keys answer, and end it.
func TestTable(t *testing.T) {
	s := newMade("Ann", "B\x1b[31mob")
	s.events <- bridge.Local{Event: local.Hosting{On: true}} // a game that was there before
	s.events <- bridge.Opened{Code: "ABCD-EFGH", Self: s.members[0]}
	w := show(t, Options{Shared: true}, s)
	w.sees("Code: ABCD-EFGH")
	w.sees("B\ufffd[31mob")
	w.sees("a game hosts here")
	assert.NotContains(t, w.text(), "\a")
	s.events <- bob(5)
	w.sees("Bob wants to join: y lets in")
	w.sees("\a")
	w.types("y")
	w.sees("Bob may come in")
	s.events <- bridge.Unasked{ID: bob(6).ID, Name: "Cid", Reason: "it was not let in"}
	w.sees("Cid: it was not let in")
	w.types("q")
	require.NoError(t, <-w.ended)
	w.sees("You left the session. It goes on without you, by the same code:\r\nABCD-EFGH")
	_, after, _ := strings.Cut(w.text(), firstScreen)
	assert.NotContains(t, after, "Ctrl-C", "nothing of the table stays")
	assert.Equal(t, []string{"answer 05 true"}, s.asked())
	assert.True(t, s.ended())
	assert.NotContains(t, w.text(), "B\x1b[31mob")
	assert.Equal(t, 1, strings.Count(w.text(), otherScreen))
}

// TestTableResized has the window get narrower and wider: the code is there.
func TestTableResized(t *testing.T) {
	s := newMade("Ann", "Bob")
	s.code = "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR"
	s.events <- bridge.Opened{Code: s.code, Self: s.members[0]}
	w := show(t, Options{}, s)
	w.sees("Code: " + s.code)
	w.resized(40, 20, "Code: ASC0-7218-1107-HC79-45CS-3JG2-\r\n79SA-NRRV-ACKR")
	w.resized(100, 25, "Code: "+s.code)
	s.mu.Lock()
	s.code = "ZZZZ-9999"
	s.mu.Unlock()
	w.sees("ZZZZ-")
	w.types("\x03")
	require.NoError(t, <-w.ended)
}

// TestTableOver has the session end, for a reason.
func TestTableOver(t *testing.T) {
	s := newMade("Ann")
	w := show(t, Options{}, s)
	w.sees("Nobody hosts yet.")
	require.NoError(t, s.end("this machine was sent away"))
	assert.EqualError(t, <-w.ended, "out of the session: this machine was sent away")
	assert.NotContains(t, w.text(), "sent away", "it is told once, by who called")
}

// TestTableInterrupted has Ctrl-C end it.
func TestTableInterrupted(t *testing.T) {
	s := newMade("Ann")
	w := show(t, Options{}, s)
	w.sees("Nobody hosts yet.")
	w.interrupt()
	require.NoError(t, <-w.ended)
	assert.True(t, s.ended())
	w.sees("You left the session, and nobody else is in it.")
}

// TestWaitsOnScreen: what is waited for is on one line, however narrow, of which nothing stays.
func TestWaitsOnScreen(t *testing.T) {
	w, tty := openScreen(t)
	defer tty.Close()
	w.resize(30, 10)
	waits := (&Options{Std: cli.Streams{In: tty, Out: tty}}).waits()
	waits.tell(bridge.ForRelay)
	waits.tell(bridge.ForYes)
	waits.over()
	const wiped = "\r\x1b[2K"
	w.sees(wiped + "waiting for a relay" + wiped + "waiting for somebody in the ~" + wiped)
}
