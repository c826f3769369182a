package main

import (
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// control finds what moves the cursor, and the two characters that do.
var control = regexp.MustCompile("\x1b\\[([0-9]*)([A-Zm])|[\r\n]")

// onScreen returns what a terminal of openScreen shows after all that was written to it, without the lines at the end that are
// empty.
func onScreen(written string) []string {
	const columns = 100
	lines, x, y := [][]rune{{}}, 0, 0
	down := func() {
		if y++; y == len(lines) {
			lines = append(lines, nil)
		}
	}
	cell := func(r rune) {
		if x == columns {
			x = 0
			down()
		}
		for len(lines[y]) <= x {
			lines[y] = append(lines[y], ' ')
		}
		lines[y][x] = r
		x++
	}
	put := func(s string) {
		for _, r := range s {
			if cell(r); ansi.StringWidth(string(r)) > 1 {
				cell(0) // the second one of a wide character
			}
		}
	}
	for written != "" {
		at := control.FindStringSubmatchIndex(written)
		if at == nil {
			put(written)
			break
		}
		put(written[:at[0]])
		n, what := 1, written[at[0]:at[1]]
		if at[2] >= 0 {
			if v, err := strconv.Atoi(written[at[2]:at[3]]); err == nil {
				n = v
			}
			what = written[at[4]:at[5]]
		}
		switch what {
		case "\r":
			x = 0
		case "\n":
			down()
		case "A":
			y -= n
		case "B":
			y += n
		case "C":
			x += n
		case "D":
			x = max(0, x-n)
		case "J":
			lines = lines[:y+1]
			lines[y] = lines[y][:min(x, len(lines[y]))]
		}
		written = written[at[1]:]
	}
	var all []string
	for _, l := range lines {
		all = append(all, strings.TrimRight(strings.ReplaceAll(string(l), "\x00", ""), " "))
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// modes returns how a terminal is set.
func modes(t *testing.T, s *screen) (all syscall.Termios) {
	t.Helper()
	ioctl(t, s.master, syscall.TCGETS, unsafe.Pointer(&all))
	return all
}

// waitFor waits until what a window shows at the end is something.
func (w *window) waitFor(last string) {
	w.t.Helper()
	w.await("screen that ends with "+last, func() bool {
		all := onScreen(w.written())
		return len(all) > 0 && all[len(all)-1] == last
	})
}

// TestTypedLine: what others say while somebody types stands above the line that is being typed, which stays as it is, and can be
// edited; it is there once more with the arrow up. Nothing of it is left in the end, and the terminal is as it was.
func TestTypedLine(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	ann := openWindow(t, at.host("--player", "Ann")...)
	before := ann.screen.before
	ann.expectWith("* you are Ann")
	bob := startJoin(t, at, "--player", "Bob")
	ann.expectWith("* Bob is here")
	ann.types("helo\x1a w\xc3\xb6rld") // Ctrl-Z goes by unseen where no shell could bring it back
	ann.waitFor("> helo wörld")
	bob.say("one")
	ann.reads("Bob: one")
	bob.say("two")
	ann.reads("Bob: two")
	ann.waitFor("> helo wörld")
	ann.types(strings.Repeat("\x1b[D", 7) + "l" + "\x1b[1~\x1b[4~" + "!\r") // three letters in: left seven times; then to both ends
	bob.event("chat", "text", "hello wörld!")
	ann.types("\x1b[A")
	ann.waitFor("> hello wörld!")
	ann.types("\x15") // Ctrl-U
	ann.waitFor(">")
	ann.types("bye")
	ann.waitFor("> bye")
	ann.types("\x03")
	assert.Equal(t, exitOK, ann.end())
	all := onScreen(ann.written())
	assert.Equal(t, "* you left the session", all[len(all)-1], "what was typed and not said is gone")
	assert.Contains(t, strings.Join(all, "\n"), "Bob: one\nBob: two\n> hello wörld!\n", "each line by itself")
	assert.Equal(t, before, modes(t, ann.screen))
	bob.event("player_deleted", "name", "Ann")
}

// TestWideLine: characters that are two cells wide do not break the line, where it is edited or others speak.
func TestWideLine(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	ann := openWindow(t, at.host("--player", "Ann")...)
	ann.expectWith("* you are Ann")
	bob := startJoin(t, at, "--player", "Bob")
	ann.expectWith("* Bob is here")
	ann.types("日本🎮語")
	ann.waitFor("> 日本🎮語")
	bob.say("どうも")
	ann.reads("Bob: どうも")
	ann.waitFor("> 日本🎮語")
	ann.types("\x1b[D\x1b[D\x7f")
	ann.waitFor("> 日🎮語")
	bob.say("もう")
	ann.reads("Bob: もう")
	ann.waitFor("> 日🎮語")
	ann.types("x")
	ann.waitFor("> 日x🎮語")
	ann.types("\r")
	bob.event("chat", "text", "日x🎮語")
	ann.types("\x04")
	assert.Equal(t, exitOK, ann.end())
	assert.Contains(t, strings.Join(onScreen(ann.written()), "\n"), "Bob: どうも\nBob: もう\n> 日x🎮語\n")
}

// TestSlashes: what begins with a slash is done, not said, where somebody sits at a terminal.
func TestSlashes(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	ann := openWindow(t, at.host("--player", "Ann")...)
	ann.expectWith("* you are Ann")
	bob := startJoin(t, at, "--player", "Bob the B", "--group", "Team")
	eve := startJoin(t, at, "--player", "Eve")
	ann.expectWith("* Eve is here")
	ann.types("/who\r")
	for _, line := range []string{`* "Test", 3 players; others can join us at ` + at.address, "* Ann (you, the host)",
		"* Bob the B (at " + at.address + ")", "* Eve (at " + at.address + ")", "* group Team: Bob the B"} {
		ann.reads(line)
	}
	ann.types("/to bob the b in secret\r")
	bob.event("chat", "from_name", "Ann", "text", "in secret")
	ann.types("/to Team  all of you\r")
	bob.event("chat", "text", "all of you")
	for typed, says := range map[string]string{
		"/whoo":     `there is no /whoo: did you mean "/who"?; /help lists what there is, and //... says what begins with a slash`,
		"/to":       "it is /to NAME TEXT",
		"/to Eve":   "it is /to NAME TEXT",
		"/who else": "it is /who",
		"/to Zoe x": `nobody is called "Zoe"; /who lists who is there`,
	} {
		ann.types(typed + "\r")
		ann.reads("dplay: " + says)
	}
	ann.types("/help\r")
	ann.reads("* /to NAME TEXT   say something to one player or group alone")
	ann.types("/name Anna\r")
	eve.event("player_changed", "name", "Anna")
	ann.types("//quit\r")
	assert.Equal(t, "/quit", eve.event("chat")["text"], "nothing of all that was said to everybody")
	eve.say("/who") // she sits at no terminal
	ann.reads("Eve: /who")
	ann.types("/quit\r")
	assert.Equal(t, exitOK, ann.end())
	assert.Equal(t, exitInput, eve.end(), "the host has gone")
}

// TestSmallWindow: a line that takes several rows stays whole when the window's size changes and others speak.
func TestSmallWindow(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	ann := openWindow(t, at.host("--player", "Ann")...)
	ann.expectWith("* you are Ann")
	bob := startJoin(t, at, "--player", "Bob")
	ann.expectWith("* Bob is here")
	long := strings.Repeat("0123456789", 12) // more than a row of 100
	ann.types(long)
	for _, columns := range []uint16{40, 7, 200} {
		size := struct{ rows, columns, x, y uint16 }{rows: 5, columns: columns}
		ioctl(t, ann.screen.master, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
		bob.say("at " + strconv.Itoa(int(columns)))
		ann.expectWith(": at " + strconv.Itoa(int(columns)))
	}
	ann.types("\r")
	bob.event("chat", "text", long)
	ann.types("\x04")
	assert.Equal(t, exitOK, ann.end())
}

// TestSeveralRows: of a line that takes several rows, and in which the cursor is not at the end, nothing is left behind: not
// where others speak, and not where the session ends.
func TestSeveralRows(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	ann := openWindow(t, at.host("--player", "Ann")...)
	ann.expectWith("* you are Ann")
	bob := startJoin(t, at, "--player", "Bob")
	ann.expectWith("* Bob is here")
	ann.types(strings.Repeat("0123456789", 25) + "\x1b[H") // to the beginning
	ann.waitFor(strings.Repeat("0123456789", 6)[8:])       // of 252 cells the last 52
	bob.say("one")
	ann.reads("Bob: one")
	bob.say("two")
	ann.reads("Bob: two")
	ann.waitFor(strings.Repeat("0123456789", 6)[8:])
	ann.types("\x15\x0b" + strings.Repeat("日", 60)) // nothing is left of the line; 122 cells
	ann.waitFor(strings.Repeat("日", 11))
	bob.say("three")
	ann.reads("Bob: three")
	ann.waitFor(strings.Repeat("日", 11))
	ann.types("\x03")
	assert.Equal(t, exitOK, ann.end())
	all := onScreen(ann.written())
	require.GreaterOrEqual(t, len(all), 5)
	want := []string{"* Bob is here", "Bob: one", "Bob: two", "Bob: three", "* you left the session"}
	assert.Equal(t, want, withoutIDs(all[len(all)-5:]))
}

// withoutIDs returns lines without the ids at their ends.
func withoutIDs(lines []string) (all []string) {
	for _, l := range lines {
		l, _, _ = strings.Cut(l, " (0x")
		all = append(all, l)
	}
	return all
}

// TestStopped: Ctrl-Z gives the terminal back to the shell as it was, and once the shell lets us go on the line that was being
// typed is there again and can be edited.
func TestStopped(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	shell := []string{"sh", "-mc", `"$@"; echo stopped; read word; fg`, "sh"}
	ann := openTerminal(t, asProcess(t, shell, at.host("--player", "Ann")...))
	before := ann.screen.before
	ann.expectWith("* you are Ann")
	bob := startJoin(t, at, "--player", "Bob")
	ann.expectWith("* Bob is here")
	ann.types("hello")
	ann.waitFor("> hello")
	ann.types("\x1a")
	ann.reads("stopped")
	assert.Equal(t, before, modes(t, ann.screen))
	ann.types("\n")
	ann.waitFor("> hello")
	ann.await("terminal that is ours", func() bool { return modes(t, ann.screen) != before })
	ann.types("\x1b[D!\r")
	bob.event("chat", "text", "hell!o")
	ann.types("\x04")
	assert.Equal(t, exitOK, ann.end())
	assert.Equal(t, before, modes(t, ann.screen))
}

// TestPlainTerminal: a dumb terminal is used as it is, and so is one whose output goes elsewhere.
func TestPlainTerminal(t *testing.T) {
	t.Parallel()
	ann := openTerminal(t, asProcess(t, nil, newPlace(t).host("--player", "Ann")...), "TERM=dumb")
	before := ann.screen.before
	ann.expectWith("* you are Ann")
	ann.types("/who\n")
	ann.expect("* Ann (you, the host)\r")
	assert.Equal(t, before, modes(t, ann.screen))
	ann.types("\x04")
	require.Equal(t, exitOK, ann.end())
	assert.NotContains(t, ann.written(), "\x1b")
}

// TestTerminalBack: a terminal is as it was, also where the session is lost or the program is told to end.
func TestTerminalBack(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	for _, end := range []func(*window){
		func(w *window) { require.NoError(t, w.cmd.Process.Signal(syscall.SIGTERM)) },
		func(*window) { h.interrupt() },
	} {
		ann := openWindow(t, at.join("--player", "Ann")...)
		before := ann.screen.before
		ann.expectWith("* you are Ann")
		assert.NotEqual(t, before, modes(t, ann.screen))
		ann.types("what I wanted to")
		ann.waitFor("> what I wanted to")
		end(ann)
		ann.end()
		assert.Equal(t, before, modes(t, ann.screen))
		all := onScreen(ann.written())
		assert.NotContains(t, all[len(all)-1], "what I wanted to")
	}
}

// TestPlayColors: on a terminal what is said stands out, unless NO_COLOR is set. Then the line is edited all the same.
func TestPlayColors(t *testing.T) {
	t.Parallel()
	for _, no := range []string{"", "1"} {
		at := newPlace(t)
		ann := openTerminal(t, asProcess(t, nil, at.host("--player", "Ann")...), "NO_COLOR="+no)
		ann.expectWith("* you are Ann")
		bob := startJoin(t, at, "--say", "hi")
		ann.reads("guest: hi")
		ann.types("bye\x04\x15\x04")
		require.Equal(t, exitOK, ann.end())
		assert.Equal(t, no == "", strings.Contains(ann.written(), "\x1b[1mguest\x1b[0m: hi\r"))
		assert.Equal(t, no == "", strings.Contains(ann.written(), "\x1b[2m* you left the session\x1b[0m\r"))
		assert.Contains(t, ann.written(), "\x1b[J")
		bob.event("player_deleted", "name", "Ann")
	}
}
