// Package console is a terminal on which somebody types a line while lines of others come.
package console

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"dplay4/cmd/dplay/internal/cli"
)

// prompt begins the line that is typed.
const prompt = "> "

// What is typed to end, and to pause, where the terminal leaves that to us.
const (
	interruptKey = 3  // Ctrl-C
	suspendKey   = 26 // Ctrl-Z
)

// A Console is a terminal. What is written to it stands above the line that is being typed, which stays as it is. Before Begin
// and after End it is written to as any other terminal.
type Console struct {
	in, out *os.File
	keys    chan []byte   // what was typed and is not looked at yet
	over    chan struct{} // closed by End
	left    []byte        // of what was typed; for Read

	wide   atomic.Bool // something was typed that is wider than a cell
	ending atomic.Bool // what is being typed is not drawn any more

	mu    sync.Mutex
	line  *term.Terminal // nil: before Begin, and after End
	saved *term.State    // how the terminal was
}

// Of returns the console that two streams are, nil if they are no terminal on which a line can be edited.
func Of(in io.Reader, out io.Writer) *Console {
	from, to := cli.Terminal(in), cli.Terminal(out)
	if from == nil || to == nil || !cli.Escapes(to) {
		return nil
	}
	return &Console{in: from, out: to, keys: make(chan []byte, 256), over: make(chan struct{})}
}

// Begin takes over the terminal, and reports whether that was possible: an old console of Windows has to be used as it is.
// Ctrl-C is no signal any more: it calls interrupt.
func (c *Console) Begin(interrupt func()) bool {
	if c == nil {
		return false
	}
	saved, err := term.MakeRaw(int(c.in.Fd()))
	if err != nil {
		return false
	}
	c.mu.Lock()
	c.saved, c.line = saved, term.NewTerminal(keyboard{c}, prompt)
	c.mu.Unlock()
	c.fit()
	go c.listen(interrupt)
	return true
}

// End gives the terminal back as it was.
func (c *Console) End() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line == nil {
		return
	}
	close(c.over)
	c.ending.Store(true)
	c.above(nil) //nolint:errcheck // what was typed is not said
	c.line = nil
	term.Restore(int(c.in.Fd()), c.saved) //nolint:errcheck // nothing more can be done
}

// Write writes lines above the one that is being typed.
func (c *Console) Write(b []byte) (int, error) {
	c.fit()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line == nil {
		return c.out.Write(b)
	}
	return c.above(b)
}

// above writes above the line that is being typed, which is drawn anew. It is called with mu held.
func (c *Console) above(b []byte) (int, error) {
	if c.wide.Load() {
		io.WriteString(c.out, "\r") //nolint:errcheck // the next write fails likewise; see widen
	}
	return c.line.Write(b)
}

// ReadLine returns the next line that was typed; io.EOF after Ctrl-C, Ctrl-D and End. It is for one goroutine.
func (c *Console) ReadLine() (string, error) {
	c.mu.Lock()
	line := c.line
	c.mu.Unlock()
	if line == nil {
		return "", io.EOF
	}
	defer c.rescue()
	return line.ReadLine()
}

// rescue leaves the terminal usable where a fault of the program ends it.
func (c *Console) rescue() {
	if fault := recover(); fault != nil {
		c.End()
		panic(fault)
	}
}

// fit takes in how wide the window is now.
func (c *Console) fit() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if width, height, err := term.GetSize(int(c.out.Fd())); err == nil && width > 0 && c.line != nil {
		c.line.SetSize(width, height) //nolint:errcheck // the next line fails likewise
	}
}

// listen takes what is typed. Nothing can interrupt a read of a terminal: it may wait in one until the program ends.
func (c *Console) listen(interrupt func()) {
	defer c.rescue()
	defer close(c.keys)
	for b := make([]byte, 256); ; {
		n, err := c.in.Read(b)
		select {
		case <-c.over:
			return
		default:
		}
		keys := bytes.Clone(b[:n])
		if bytes.IndexByte(keys, interruptKey) >= 0 {
			interrupt() // at once: who reads lines may wait for something
		}
		if bytes.IndexByte(keys, suspendKey) >= 0 {
			keys = bytes.ReplaceAll(keys, []byte{suspendKey}, nil)
			c.pause()
		}
		select {
		case c.keys <- keys:
		case <-c.over:
			return
		}
		if err != nil {
			return
		}
	}
}

// pause has the program wait in the background, as Ctrl-Z does elsewhere.
func (c *Console) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line == nil {
		return
	}
	io.WriteString(c.out, "\r\n")         //nolint:errcheck // the shell begins a new line
	term.Restore(int(c.in.Fd()), c.saved) //nolint:errcheck // as in End
	suspend()
	if saved, err := term.MakeRaw(int(c.in.Fd())); err == nil {
		c.saved = saved
	}
	c.above(nil) //nolint:errcheck // the line that was being typed is there again
}

// A keyboard is what the line is edited with.
type keyboard struct{ *Console }

// Read returns what was typed.
func (k keyboard) Read(b []byte) (int, error) {
	if len(k.left) == 0 {
		k.redraw()
		select {
		case keys, more := <-k.keys:
			if !more {
				return 0, io.EOF
			}
			k.Console.left = keys
			if ansi.StringWidth(string(keys)) > utf8.RuneCount(keys) {
				k.wide.Store(true)
			}
		case <-k.over:
			return 0, io.EOF
		}
		k.fit()
	}
	n := copy(b, k.left)
	k.Console.left = k.left[n:]
	return n, nil
}

// redraw draws the line anew after what was typed, once there are wide characters.
func (k keyboard) redraw() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.line != nil && k.wide.Load() {
		k.above(nil) //nolint:errcheck // as in Write
	}
}

// Write draws the line. What is cleared is cleared down to the end of the screen: x/term leaves the rows below the cursor.
func (k keyboard) Write(b []byte) (int, error) {
	if k.ending.Load() && bytes.HasPrefix(b, []byte(prompt)) {
		return len(b), nil
	}
	drawn := bytes.ReplaceAll(b, []byte("\x1b[K"), []byte("\x1b[J"))
	if k.wide.Load() {
		drawn = widen(drawn)
	}
	if _, err := k.out.Write(drawn); err != nil {
		return 0, err
	}
	return len(b), nil
}

// backwards ends a line that is drawn, and in which the cursor is not at the end.
var backwards = regexp.MustCompile("^" + regexp.QuoteMeta(prompt) + "([^\x1b]*)\x1b\\[([0-9]*)D$")

// widen has the cursor go back by cells where the line is drawn: x/term takes every character for one, and those of Japanese and emoji
// are two. For the same reason the line is drawn anew, from its beginning, after every key.
func widen(b []byte) []byte {
	parts := backwards.FindSubmatch(b)
	if parts == nil {
		return b
	}
	text, back := []rune(string(parts[1])), 1
	if n, err := strconv.Atoi(string(parts[2])); err == nil {
		back = n
	}
	cells := ansi.StringWidth(string(text[max(0, len(text)-back):]))
	return fmt.Appendf(nil, "%s%s\x1b[%dD", prompt, parts[1], cells)
}
