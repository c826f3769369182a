package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
	"dplay4/wire"
)

// A place is where the sessions of one test happen: a loopback address and a game of its own, so that nothing that
// runs beside it on the machine, this package's other runs included, is ever asked or found.
type place struct {
	address string
	app     string
	beside  func() string // returns another address of the test, always the same
}

// newPlace returns a place of the test's own. A port that a command of this process has closed is still taken while another test starts
// a process, which has a copy of the socket until it runs its program: the next command with the same port goes to another place.
func newPlace(t *testing.T) place {
	t.Helper()
	var g wire.GUID
	_, err := rand.Read(g[:])
	require.NoError(t, err)
	beside := sync.OnceValue(func() string { return testkit.Addrs(t, 2)[1].String() }) // skips the test where there is but one
	return place{testkit.Addr(t).String(), g.String(), beside}
}

// host returns the command line of a host here.
func (p place) host(more ...string) []string {
	return append([]string{"host", "--app", p.app, "--name", "Test", "--bind", p.address}, more...)
}

// join returns the command line of a joiner here.
func (p place) join(more ...string) []string {
	return append([]string{"join", p.address, "--app", p.app, "--bind", p.address, "--timeout", anHour}, more...)
}

// sessions returns the command line that lists the sessions here.
func (p place) sessions(more ...string) []string {
	return append([]string{"sessions", p.address, "--bind", p.address}, more...)
}

// A program is a command line that runs beside the test.
type program struct {
	t    *testing.T
	name string
	in   *io.PipeWriter
	stop context.CancelFunc
	done chan struct{}
	late <-chan struct{} // the deadline of the test; nil until something is waited for

	mu     sync.Mutex
	lines  []string
	partly []byte
	more   chan struct{}
	read   int // lines that expect has looked at
	errs   bytes.Buffer
	status int
	opened object // the session_opened event, once seen
}

// newProgram returns a program that does not run yet. Its output is to be written to it, and done closed at its end.
func newProgram(t *testing.T, name string) *program {
	return &program{t: t, name: name, done: make(chan struct{}), more: make(chan struct{}, 1)}
}

// start runs a command line; it is interrupted at the end of the test if it still runs.
func start(t *testing.T, args []string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stdin, in := io.Pipe()
	p := newProgram(t, args[0])
	p.in, p.stop = in, cancel
	go func() {
		defer close(p.done)
		p.status = run(ctx, args, stdin, p, (*programErrors)(p))
		stdin.Close() // what is said from now on fails, and does not wait
	}()
	t.Cleanup(func() {
		cancel()
		in.Close()
		<-p.done
	})
	return p
}

// asProcess returns the command that runs dplay as a process of its own. before is what runs it: nothing, or a command that takes a command.
func asProcess(t *testing.T, before []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	command := slices.Concat(before, []string{self}, args)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// Write takes the program's output.
func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range bytes.Lines(b) {
		p.partly = append(p.partly, line...)
		if whole, ended := bytes.CutSuffix(p.partly, []byte("\n")); ended {
			p.lines = append(p.lines, string(whole))
			p.partly = p.partly[:0]
		}
	}
	select {
	case p.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

// programErrors is a program as the writer of its standard error.
type programErrors program

func (p *programErrors) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
	return p.errs.Write(b)
}

// stderr returns what the program wrote to standard error so far.
func (p *program) stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.errs.String()
}

// output returns all lines so far.
func (p *program) output() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// wait returns once more was printed, or the program has ended.
func (p *program) wait(what string) (ended bool) {
	p.t.Helper()
	if p.late == nil {
		p.late = testkit.Context(p.t).Done()
	}
	select {
	case <-p.more:
	case <-p.done:
		return true
	case <-p.late:
		p.t.Fatalf("%s: no %s:\n%s\n%s", p.name, what, p.written(), p.stderr())
	}
	return false
}

// written returns all that was printed so far, also of the line that has not ended.
func (p *program) written() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(append(slices.Clone(p.lines), string(p.partly)), "\n")
}

// find waits for the next line that is wanted and gives it. Lines before it are passed over.
func (p *program) find(what string, wanted func(line string) bool) string {
	p.t.Helper()
	for ended := false; ; {
		p.mu.Lock()
		for p.read < len(p.lines) {
			line := p.lines[p.read]
			p.read++
			if wanted(line) {
				p.mu.Unlock()
				return line
			}
		}
		p.mu.Unlock()
		if ended {
			p.t.Fatalf("%s ended without %s:\n%s\n%s", p.name, what, strings.Join(p.output(), "\n"), p.stderr())
		}
		ended = p.wait(what)
	}
}

// await waits for something that what is printed makes true.
func (p *program) await(what string, is func() bool) {
	p.t.Helper()
	for !is() {
		if p.wait(what) {
			require.True(p.t, is(), "%s ended without %s:\n%q", p.name, what, p.written())
			return
		}
	}
}

// complains waits for a text on standard error.
func (p *program) complains(text string) {
	p.t.Helper()
	p.await("word of "+text, func() bool { return strings.Contains(p.stderr(), text) })
}

// expect waits for a line of text.
func (p *program) expect(line string) {
	p.t.Helper()
	p.find("line "+line, func(l string) bool { return l == line })
}

// expectWith waits for a line that has a part.
func (p *program) expectWith(part string) string {
	p.t.Helper()
	return p.find("line with "+part, func(l string) bool { return strings.Contains(l, part) })
}

// An object is a line of JSON.
type object map[string]any

// event waits for an event for which all keys have the values given, as "key", value, ...
func (p *program) event(name string, want ...any) object {
	p.t.Helper()
	var got object
	p.find("event "+name, func(l string) bool {
		got = parse(p.t, l)
		if got["event"] != name {
			return false
		}
		for i := 0; i < len(want); i += 2 {
			if got[want[i].(string)] != want[i+1] {
				return false
			}
		}
		return true
	})
	return got
}

func parse(t *testing.T, line string) object {
	t.Helper()
	var o object
	require.NoError(t, json.Unmarshal([]byte(line), &o), "%s", line)
	return o
}

// inAnyOrder waits for things that are told in no order in particular.
func (p *program) inAnyOrder(waits ...func()) {
	p.t.Helper()
	from, last := p.read, p.read
	for _, wait := range waits {
		p.read = from
		wait()
		last = max(last, p.read)
	}
	p.read = last
}

// say types a line.
func (p *program) say(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

// interrupt does what Ctrl-C does, and gives the exit status.
func (p *program) interrupt() int {
	p.t.Helper()
	p.stop()
	return p.end()
}

// end waits for the program to end and gives its exit status.
func (p *program) end() int {
	p.t.Helper()
	for !p.wait("end") {
	}
	return p.status
}

// endWell waits for the program to end without an error.
func (p *program) endWell() {
	p.t.Helper()
	assert.Equal(p.t, exitOK, p.end(), p.stderr())
}

// finds runs "dplay sessions" until it has found one, and returns that.
func finds(t *testing.T, args ...string) object {
	t.Helper()
	got := once(t, append(args, "--format", "ndjson", "--timeout", anHour, "--until", "session_found")...)
	require.Equal(t, exitOK, got.status, got.err)
	return parse(t, strings.TrimSpace(got.out))
}

// once runs a command line that ends by itself.
func once(t *testing.T, args ...string) result {
	t.Helper()
	p := start(t, args)
	p.in.Close()
	status := p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	return result{status, strings.Join(append(p.lines, string(p.partly)), "\n"), p.errs.String()}
}

func mustParse(s string) wire.GUID {
	g, err := wire.ParseGUID(s)
	if err != nil {
		panic(err)
	}
	return g
}
