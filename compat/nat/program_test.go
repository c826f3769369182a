//go:build linux

package nat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// An event is one of "dplay --events ndjson": EVENTS.md describes the keys.
type event struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"`
	Code    string    `json:"code"`
	Machine *machine  `json:"machine"`
	Slot    int       `json:"slot"`
	Reason  string    `json:"reason"`
	Text    string    `json:"text"`
	ID      any       `json:"id"`
	OK      bool      `json:"ok"`
	Hosting bool      `json:"hosting"`
	Name    string    `json:"name"`
	Local   bool      `json:"local"`
	From    string    `json:"from_name"`
	Payload string    `json:"payload"`

	Machines []machine `json:"machines"`
	raw      string
	index    int       // among the program's
	at       time.Time // when it was read
}

// A machine is one of a bridged session.
type machine struct {
	ID        string  `json:"id"`
	Slot      int     `json:"slot"`
	Name      string  `json:"name"`
	Self      bool    `json:"self"`
	Keeper    bool    `json:"keeper"`
	Way       string  `json:"way"`
	Over      string  `json:"over"`
	RoundTrip float64 `json:"round_trip"`
	Loss      float64 `json:"loss"`
}

// programFolder is where the program is built; TestMain removes it.
var programFolder string

// dplayProgram returns the program, which is built once a test process.
var dplayProgram = sync.OnceValues(func() (name string, err error) {
	if programFolder, err = os.MkdirTemp("", "dplay-nat-"); err != nil {
		return "", err
	}
	name = filepath.Join(programFolder, "dplay")
	cmd := exec.Command("go", "build", "-o", name, "dplay4/cmd/dplay")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

// A program is a "dplay" that runs in a machine, and the events that it has printed.
type program struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	began time.Time

	mu      sync.Mutex
	events  []event
	lines   []string // that are no objects
	changed chan struct{}
	over    bool
	stderr  bytes.Buffer
	waited  sync.Once
	err     error
}

// homes are the folders of the machines' users.
var homes sync.Map

// start runs "dplay" with arguments in a machine, until the test ends.
func start(ctx context.Context, t testing.TB, m *nat.Machine, args ...string) *program {
	t.Helper()
	exe, err := dplayProgram()
	require.NoError(t, err)
	p := &program{name: m.Name(), cmd: m.Command(ctx, exe, args...), changed: make(chan struct{})}
	home, _ := homes.LoadOrStore(m, t.TempDir())
	p.cmd.Env = append(p.cmd.Env, "HOME="+home.(string))
	p.cmd.Stderr = &p.stderr
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.began = time.Now()
	require.NoError(t, p.cmd.Start())
	go p.read(stdout)
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			t.Logf("%s: dplay %s\n%s", p.name, strings.Join(args, " "), &p.stderr)
			for _, e := range p.events[max(0, len(p.events)-30):] {
				t.Log(p.name, e.raw)
			}
			for _, l := range p.lines {
				t.Log(p.name, l)
			}
		}
	})
	return p
}

// read takes what the program prints.
func (p *program) read(out io.Reader) {
	b := make([]byte, 0, 1<<16)
	piece := make([]byte, 1<<16)
	for {
		n, err := out.Read(piece)
		b = append(b, piece[:n]...)
		for {
			line, rest, whole := bytes.Cut(b, []byte("\n"))
			if !whole {
				break
			}
			p.take(string(line))
			b = rest
		}
		if err != nil {
			p.mu.Lock()
			p.over = true
			close(p.changed)
			p.changed = make(chan struct{})
			p.mu.Unlock()
			return
		}
	}
}

// take takes a line.
func (p *program) take(line string) {
	e := event{raw: line, at: time.Now()}
	err := json.Unmarshal([]byte(line), &e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.lines = append(p.lines, line)
	} else {
		e.index = len(p.events)
		p.events = append(p.events, e)
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// find waits for the first event that fits, behind the first skip ones.
func (p *program) find(ctx context.Context, t testing.TB, what string, skip int, fits func(*event) bool) (*event, int) {
	t.Helper()
	for {
		p.mu.Lock()
		changed, over := p.changed, p.over
		for i := min(skip, len(p.events)); i < len(p.events); i++ {
			if e := &p.events[i]; fits(e) {
				p.mu.Unlock()
				return e, i
			}
		}
		p.mu.Unlock()
		require.False(t, over, "%s has ended, and there was no %s", p.name, what)
		select {
		case <-changed:
		case <-ctx.Done():
			require.FailNow(t, "time is up", "%s: there was no %s", p.name, what)
		}
	}
}

// named waits for the first event of a name.
func (p *program) named(ctx context.Context, t testing.TB, name string) *event {
	t.Helper()
	e, _ := p.find(ctx, t, name, 0, func(e *event) bool { return e.Event == name })
	return e
}

// seen returns the events so far that fit.
func (p *program) seen(fits func(*event) bool) (all []event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.events {
		if fits(&p.events[i]) {
			all = append(all, p.events[i])
		}
	}
	return all
}

// count returns how many events there were.
func (p *program) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.events)
}

// command gives the program a command.
func (p *program) command(t testing.TB, object map[string]any) {
	t.Helper()
	line, err := json.Marshal(object)
	require.NoError(t, err)
	_, err = p.stdin.Write(append(line, '\n'))
	require.NoError(t, err)
}

// leave has the program leave and end, and waits for that.
func (p *program) leave(t testing.TB) {
	t.Helper()
	p.command(t, map[string]any{"command": "leave"})
	p.wait()
	assert.NoError(t, p.err, "%s: %s", p.name, &p.stderr)
}

// kill ends the program at once.
func (p *program) kill() {
	_ = p.cmd.Cancel()
	p.wait()
}

// interrupt does what Ctrl-C does, to the program alone.
func (p *program) interrupt(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGINT)
}

// signal sends the program alone a signal.
func (p *program) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(p.inside(t), s))
}

// inside returns the program's process: nsenter executed it as a child.
func (p *program) inside(t testing.TB) int {
	t.Helper()
	outer := strconv.Itoa(p.cmd.Process.Pid)
	children, err := os.ReadFile(filepath.Join("/proc", outer, "task", outer, "children"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	require.NoError(t, err)
	return pid
}

func (p *program) wait() { p.waited.Do(func() { p.err = p.cmd.Wait() }) }

// What a program has of the system.
type holdings struct {
	descriptors, threads int
	memory               int // octets
}

// holds returns what the program has.
func (p *program) holds(t testing.TB) (h holdings) {
	t.Helper()
	dir := filepath.Join("/proc", strconv.Itoa(p.inside(t)))
	all, err := os.ReadDir(filepath.Join(dir, "fd"))
	require.NoError(t, err)
	h.descriptors = len(all)
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	require.NoError(t, err)
	for _, line := range strings.Split(string(status), "\n") {
		key, value, _ := strings.Cut(line, ":")
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch key {
		case "Threads":
			h.threads = n
		case "VmRSS":
			h.memory = n << 10
		}
	}
	require.NotZero(t, h.memory)
	return h
}

// oneOf fits events of these names.
func oneOf(names ...string) func(*event) bool {
	return func(e *event) bool { return slices.Contains(names, e.Event) }
}
