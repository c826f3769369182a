// Package console is a terminal on which somebody types a line while lines of others come.
package console

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

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

	picture atomic.Pointer[picture] // the line as x/term drew it last
	cleared atomic.Bool             // the user wants the screen to be empty

	mu    sync.Mutex
	drawn drawing        // the line that is being typed
	line  *term.Terminal // nil: before Begin, and after End
	saved *term.State    // how the terminal was
}

// Of returns the console that two streams are, nil if they are no terminal on which a line can be edited.
func Of(in io.Reader, out io.Writer) *Console {
	from, to, ok := terminals(in, out)
	if !ok {
		return nil
	}
	return &Console{in: from, out: to, keys: make(chan []byte, 256), over: make(chan struct{})}
}

// terminals returns the terminals that two streams are; ok if a line can be edited there.
func terminals(in io.Reader, out io.Writer) (from, to *os.File, ok bool) {
	from, to = cli.Terminal(in), cli.Terminal(out)
	return from, to, from != nil && to != nil && cli.Escapes(to)
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
	c.line.SetSize(endless, 1) //nolint:errcheck // nothing is written
	c.mu.Unlock()
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
	c.line = nil
	c.out.Write(c.drawn.erase(nil, c.columns())) //nolint:errcheck // what was typed is not said
	term.Restore(int(c.in.Fd()), c.saved)        //nolint:errcheck // nothing more can be done
}

// Write writes lines above the one that is being typed.
func (c *Console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line == nil {
		return c.out.Write(b)
	}
	if err := c.above(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// above writes above the line that is being typed, which is drawn anew. It is called with mu held.
func (c *Console) above(b []byte) error {
	width, height := size(c.out)
	out := c.drawn.erase(nil, width)
	if c.cleared.Swap(false) {
		out = append(out, "\x1b[2J\x1b[H"...)
	}
	out = append(out, bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))...)
	c.picture.Store(nil)
	c.line.Write(nil) //nolint:errcheck // it writes to us
	if p := c.picture.Load(); p != nil {
		out = c.drawn.draw(out, p, width, height)
	}
	_, err := c.out.Write(out)
	return err
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
	text, err := line.ReadLine()
	if err == nil {
		c.finish(text)
	}
	return text, err
}

// finish draws a line that was typed, once and for all.
func (c *Console) finish(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != nil {
		c.out.Write(append(c.drawn.erase(nil, c.columns()), prompt+text+"\r\n"...)) //nolint:errcheck // the next line fails likewise
	}
}

// rescue leaves the terminal usable where a fault of the program ends it.
func (c *Console) rescue() {
	if fault := recover(); fault != nil {
		c.End()
		panic(fault)
	}
}

// size returns how many cells and rows the window of a terminal has now.
func size(terminal *os.File) (width, height int) {
	if width, height, err := term.GetSize(int(terminal.Fd())); err == nil && width > 0 && height > 0 {
		return width, height
	}
	return 80, 24
}

func (c *Console) columns() int {
	width, _ := size(c.out)
	return width
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
	c.out.Write(c.drawn.leave(nil))       //nolint:errcheck // the shell begins a new line
	term.Restore(int(c.in.Fd()), c.saved) //nolint:errcheck // as in End
	suspend()
	if saved, err := term.MakeRaw(int(c.in.Fd())); err == nil {
		c.saved = saved
	}
	c.above(nil) //nolint:errcheck // the line that was being typed is there again
}

// endless is how wide x/term believes the window to be. It knows how a line is edited, but takes every character for one cell,
// and those of Japanese and emoji are two. So it has but one row, and the rows of the window are ours.
const endless = 1 << 20

// otherKeys makes what some terminals send for Home and End, tmux and the console of Linux among them, into what x/term knows.
var otherKeys = strings.NewReplacer("\x1b[1~", "\x1b[H", "\x1b[4~", "\x1b[F", "\x1bOH", "\x1b[H", "\x1bOF", "\x1b[F")

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
			k.Console.left = []byte(otherKeys.Replace(string(keys)))
		case <-k.over:
			return 0, io.EOF
		}
	}
	n := copy(b, k.left)
	k.Console.left = k.left[n:]
	return n, nil
}

// redraw draws the line after what was typed.
func (k keyboard) redraw() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.line != nil {
		k.above(nil) //nolint:errcheck // the next line fails likewise
	}
}

// Write takes in how x/term would draw the line.
func (k keyboard) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("\x1b[2J")) {
		k.cleared.Store(true)
	}
	if p := pictureOf(b); p != nil {
		k.picture.Store(p)
	}
	return len(b), nil
}
