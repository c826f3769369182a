//go:build linux

package wine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"dplay4/compat/nat"
)

// clientPath is the client in a Wine machine.
const clientPath = wineHome + "/client.exe"

// clientLife is how long a client lives at most, in seconds: longer than any test, for it is only there in case
// everything else fails to end it.
const clientLife = "1800"

// A Client is a DirectPlay program that runs under Wine. Its methods may be called from several goroutines;
// commands are given one after the other.
type Client struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   io.ReadCloser
	done  chan struct{} // closed when the program has ended and all it wrote was read

	command sync.Mutex // held during Do
	seq     int        // of the command given last

	mu      sync.Mutex
	events  []*Event // that no Wait has taken
	results []*Result
	log     []byte        // everything it wrote, and every command
	changed chan struct{} // closed and made anew when a line came
	err     error         // why it ended, once done is closed; or a line that could not be read
	stderr  bytes.Buffer
}

// wineEnvironment is what every program of Wine gets: no display, no talk, one configuration a machine.
var wineEnvironment = []string{"DISPLAY=", "WINEDEBUG=-all", "WINEPREFIX=" + winePrefix, "WINEARCH=win32",
	"WINEDLLOVERRIDES=mscoree,mshtml="}

// wineEnvironment64 is that of programs of 64 bits, which the other configuration does not run.
var wineEnvironment64 = append(slices.Clone(wineEnvironment), "WINEPREFIX="+winePrefix64, "WINEARCH=win64") // the last ones count

// boot starts Wine's server and services, which stay as long as the machine. The first program would start them
// otherwise: they would hold its pipes open after its end, and be killed with it.
func (m *Machine) boot(ctx context.Context, environment []string) error {
	cmd := m.Command(ctx, "sh", "-c", "wineserver -p && exec wine cmd /c exit")
	cmd.Env = append(cmd.Env, environment...)
	if err := cmd.Run(); err != nil { // its output is nobody's: the services keep it
		return fmt.Errorf("machine %s: starting Wine: %w", m.name, err)
	}
	return nil
}

// Start starts a client in a Wine machine and waits until it takes commands. Quit it, kill it, or close the machine.
func (m *Machine) Start(ctx context.Context) (*Client, error) {
	if m.root == "" {
		return nil, fmt.Errorf("machine %s has no Wine", m.name)
	}
	c := &Client{name: m.name, done: make(chan struct{}), changed: make(chan struct{})}
	c.cmd = m.Command(context.WithoutCancel(ctx), "wine", clientPath, "--life", clientLife)
	c.cmd.Env = append(c.cmd.Env, wineEnvironment...)
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := passingFile()
	if err != nil {
		return nil, err
	}
	c.cmd.Stderr = stderr
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("client on %s: %w", m.name, errors.Join(err, stderr.Close()))
	}
	c.out = stdout
	go c.read(stderr)
	if _, err := c.Wait(ctx, Named("ready")); err != nil {
		return nil, errors.Join(err, c.Kill())
	}
	return c, nil
}

var errEnded = errors.New("the client has ended")

// maxOutput is the longest line that a client may write: a message of a mebioctet in hexadecimal fits.
const maxOutput = 4 << 20

// passingFile is for a client's standard error. It is no pipe: Wine's desktop, which the first client of a machine
// starts and others keep alive, holds it open after that client's end. It has no name, so it ends with who has it.
func passingFile() (*os.File, error) {
	f, err := os.CreateTemp("", "dplay-wine-stderr-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// maxComplaint is how much of a client's standard error is worth showing.
const maxComplaint = 16 << 10

// read takes the client's lines until there are no more.
func (c *Client) read(stderr *os.File) {
	defer stderr.Close()
	lines := bufio.NewScanner(c.out)
	lines.Buffer(make([]byte, 0, 64<<10), maxOutput)
	for lines.Scan() {
		c.line(lines.Bytes())
	}
	scan := lines.Err()
	if scan != nil {
		_ = nat.Kill(c.cmd) // it would write for ever into a pipe that nobody reads
	}
	wait := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = errors.Join(c.err, scan, wait)
	_, _ = io.Copy(&c.stderr, io.NewSectionReader(stderr, 0, maxComplaint)) // it only explains err
	close(c.done)
	c.tell()
}

// line files one line.
func (c *Client) line(b []byte) {
	e, r, err := parseLine(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note("<", b)
	switch {
	case err != nil:
		c.err = errors.Join(c.err, err)
	case e != nil:
		c.events = append(c.events, e)
	default:
		c.results = append(c.results, r)
	}
	c.tell()
}

// tell wakes everybody who waits for a line. c.mu is held.
func (c *Client) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// note writes to the log. c.mu is held.
func (c *Client) note(sign string, line []byte) {
	const enough = 400
	stamp := time.Now().Format("15:04:05.000")
	if len(line) > enough {
		c.log = fmt.Appendf(c.log, "%s %s %s... (%d octets)\n", stamp, sign, line[:enough], len(line))
		return
	}
	c.log = fmt.Appendf(c.log, "%s %s %s\n", stamp, sign, bytes.TrimRight(line, "\n"))
}

// Log returns everything that was said so far, commands and answers, long lines cut: for a failing test to show.
func (c *Client) Log() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.log)
}

// Do gives the client a command and waits for its result. That DirectPlay refuses is no error here: see
// Result.Err. The error says that there is no result, because ctx ended or the client did.
func (c *Client) Do(ctx context.Context, command Command) (*Result, error) {
	line, err := command.line()
	if err != nil {
		return nil, err
	}
	c.command.Lock()
	defer c.command.Unlock()
	c.seq++
	c.mu.Lock()
	c.note(">", line)
	c.mu.Unlock()
	// A client that does not read is met by killing it: writing to it is not bounded by ctx otherwise.
	stop := context.AfterFunc(ctx, func() { _ = nat.Kill(c.cmd) })
	_, err = c.stdin.Write(line)
	if !stop() {
		return nil, c.fail(command.name, ctx.Err())
	}
	if err != nil {
		return nil, c.fail(command.name, err)
	}
	var found *Result
	err = c.until(ctx, func() bool {
		for i, r := range c.results {
			if r.Seq == c.seq {
				found = r
				c.results = append(c.results[:i], c.results[i+1:]...)
				return true
			}
		}
		return false
	})
	if err != nil {
		return nil, c.fail(command.name, err)
	}
	return found, nil
}

// Wait returns the first event that fits, and takes it away: a second Wait for the same gives the next one. Others stay
// for other calls.
func (c *Client) Wait(ctx context.Context, fits func(*Event) bool) (*Event, error) {
	var found *Event
	err := c.until(ctx, func() bool {
		for i, e := range c.events {
			if fits(e) {
				found = e
				c.events = append(c.events[:i], c.events[i+1:]...)
				return true
			}
		}
		return false
	})
	if err != nil {
		return nil, c.fail("waiting for an event", err)
	}
	return found, nil
}

// Pending takes away and gives the events that no Wait took, in the order in which they came.
func (c *Client) Pending() []*Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.events
	c.events = nil
	return e
}

// until waits until there is what is looked for. there is called with c.mu held.
func (c *Client) until(ctx context.Context, there func() bool) error {
	for {
		c.mu.Lock()
		ok, changed, err := there(), c.changed, c.err
		c.mu.Unlock()
		if ok {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-c.done:
			if c.mu.Lock(); there() {
				c.mu.Unlock()
				return nil
			}
			err := errors.Join(errEnded, c.err)
			c.mu.Unlock()
			return err
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fail says what did not happen and what the client said last.
func (c *Client) fail(what string, err error) error {
	log := strings.Split(strings.TrimRight(c.Log(), "\n"), "\n")
	if len(log) > 12 {
		log = append([]string{"..."}, log[len(log)-12:]...)
	}
	return fmt.Errorf("client on %s: %s: %w\n%s", c.name, what, err, strings.Join(log, "\n"))
}

// Quit lets the client close its session and end, and waits until it has.
func (c *Client) Quit(ctx context.Context) error {
	if _, err := c.Do(ctx, Cmd("quit")); err != nil {
		return err
	}
	return c.Ended(ctx)
}

// Ended waits until the client has ended, and says how: nil for exit status 0.
func (c *Client) Ended(ctx context.Context) error {
	select {
	case <-c.done:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err != nil && c.stderr.Len() > 0 {
			return fmt.Errorf("%w: %s", c.err, &c.stderr)
		}
		return c.err
	case <-ctx.Done():
		return c.fail("waiting for its end", ctx.Err())
	}
}

// Kill ends the client's process at once, as when a game crashes: its sockets close, nobody is told. Machine.Unplug
// is the harder way to go.
func (c *Client) Kill() error {
	if err := nat.Kill(c.cmd); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-c.done // unless something else holds on to its output
	return nil
}

// Named fits events of that name.
func Named(name string) func(*Event) bool {
	return func(e *Event) bool { return e.Name == name }
}

// About fits events of that name about one player or group.
func About(name string, id Word) func(*Event) bool {
	return func(e *Event) bool { return e.Name == name && e.ID == id }
}
