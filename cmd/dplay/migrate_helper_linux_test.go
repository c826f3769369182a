package main

import (
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// keepRecordings names a folder that the recordings of these tests go to; captures/migration is made of them.
const keepRecordings = "DPLAY_MIGRATION_KEEP"

// quick has machines notice within two seconds that another one is gone. It is for recordings: where a machine does nothing else.
var quick = []string{"--period", "500ms", "--probes", "3"}

// pinging has machines notice that another one stands still, or is cut off: after half a minute, for which no live one stands still.
// Those that are killed need no pings: their connections end.
var pinging = []string{"--period", "5s", "--probes", "6"}

// needsPings skips a test that takes as long as pinging says, unless it is to take long or makes recordings, which quick is for.
func needsPings(t *testing.T) {
	t.Helper()
	if os.Getenv("DPLAY_LONG") == "" && os.Getenv(keepRecordings) == "" {
		t.Skip("pings notice it after half a minute: make long runs it")
	}
}

// A process is a dplay of its own, which prints events.
type process struct {
	*program
	cmd    *exec.Cmd
	typing io.Writer
	at     string // its address
	id     string // its machine
	player string // its player's name
}

// startProcess runs a command line as a process. before is what it is run by: nothing, or a command that takes a command.
func startProcess(t *testing.T, before []string, args ...string) *process {
	t.Helper()
	p := &process{program: newProgram(t, args[0]), cmd: asProcess(t, before, args...)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Stdout, p.cmd.Stderr = p.program, (*programErrors)(p.program)
	stdin, err := p.cmd.StdinPipe()
	require.NoError(t, err)
	p.typing = stdin
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.done)
		p.cmd.Wait() //nolint:errcheck // the status says it
		p.status = p.cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		stdin.Close()
		p.cmd.Process.Kill() //nolint:errcheck // it has ended, as a rule
		<-p.done
	})
	return p
}

// types types a line.
func (p *process) types(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.typing, line+"\n")
	require.NoError(p.t, err)
}

// kill ends the process as a crash would: it tells nobody.
func (p *process) kill() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Kill())
	p.end()
}

// leaves has the process leave as Ctrl-C does.
func (p *process) leaves() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGINT))
	p.endWell()
}

// An arena is where the processes of a test meet: an address for each, since only one of an address can host.
type arena struct {
	t      *testing.T
	name   string   // of its recordings
	common []string // flags of everybody
	app    string
	addr   func(i int) string
	before func(i int) []string // what a process is run by
	all    []*process
}

// newArena is an arena on loopback addresses that nothing else uses.
func newArena(t *testing.T, name string, common ...string) *arena {
	t.Helper()
	at := testkit.Addrs(t, 10)
	if os.Getenv(keepRecordings) != "" { // recordings look alike
		for i := range at {
			at[i] = netip.AddrFrom4([4]byte{127, 0, 3, byte(10 + i)})
		}
	}
	return &arena{t: t, name: name, common: common, app: newPlace(t).app,
		addr: func(i int) string { return at[i].String() }, before: func(int) []string { return nil }}
}

// open runs the next process: a host if it is the first one, else a joiner at another one's address. Its player is
// called p and its number.
func (a *arena) open(at *process, more ...string) *process {
	a.t.Helper()
	i := len(a.all)
	addr := a.addr(i)
	var args []string
	if at == nil {
		args = []string{"host", "--name", "Migration", "--flags", "migratehost,keepalive", "--echo"}
	} else {
		args = []string{"join", at.at, "--timeout", anHour}
	}
	args = append(args, "--app", a.app, "--bind", addr, "--player", fmt.Sprintf("p%d", i), "--events", "ndjson")
	args = append(append(args, a.common...), more...)
	folder := os.Getenv(keepRecordings)
	if folder != "" {
		args = append(args, quick...)
	} else {
		folder = a.t.TempDir()
	}
	file := filepath.Join(folder, fmt.Sprintf("%s-p%d.pcapng", a.name, i))
	p := startProcess(a.t, a.before(i), append(args, "--record", file)...)
	p.at, p.player = addr, fmt.Sprintf("p%d", i)
	p.opened = p.event("session_opened", "hosting", at == nil)
	p.id = p.opened["system"].(string)
	p.event("player_created", "local", true)
	a.all = append(a.all, p)
	a.t.Cleanup(func() {
		if a.t.Failed() {
			a.t.Logf("p%d at %s, machine %s:\n%s\n%s", i, addr, p.id, strings.Join(p.output(), "\n"), p.stderr())
		}
	})
	return p
}

// file is where a process recorded what it saw.
func (p *process) file() string { return p.cmd.Args[len(p.cmd.Args)-1] }

// here returns the processes that run.
func (a *arena) here() (list []*process) {
	for _, p := range a.all {
		select {
		case <-p.done:
		default:
			list = append(list, p)
		}
	}
	return list
}

// meet waits until everybody knows everybody.
func (a *arena) meet() {
	a.t.Helper()
	for i, p := range a.all {
		for j := range a.all {
			if j > i {
				p.event("player_created", "name", fmt.Sprintf("p%d", j))
			}
		}
	}
}

// loseHost has the host go and gives the next one: everybody says that it is the same.
func (a *arena) loseHost(host *process, goes func()) *process {
	a.t.Helper()
	goes()
	var new *process
	next := ""
	for _, p := range a.here() {
		if p == host {
			continue
		}
		changed := p.changedHost(host)
		if next == "" {
			next = changed["host_id"].(string)
		}
		assert.Equal(a.t, next, changed["host_id"], "%s has another host than others", p.at)
		assert.Equal(a.t, next == p.id, changed["hosting"])
		if next == p.id {
			new = p
		}
	}
	require.NotNil(a.t, new, "the next host is one of us")
	return new
}

// changedHost waits for what a process says when the host is gone, and gives the host_changed event. The next host may be
// quicker than the news that the old one is gone; then there is nothing to tell but the change.
func (p *process) changedHost(old *process) object {
	p.t.Helper()
	from := p.read
	changed := p.event("host_changed", "old_host_id", old.id)
	assert.GreaterOrEqual(p.t, changed["took"], 0.0)
	told := strings.Contains(strings.Join(p.output()[from:p.read], "\n"), `"event":"host_lost"`)
	if !told {
		assert.Equal(p.t, false, changed["hosting"], "the next host has to know that the old one is gone")
		assert.Zero(p.t, changed["took"])
		return changed
	}
	p.read = from
	lost := p.event("host_lost")
	assert.Equal(p.t, old.id, lost["host_id"])
	assert.NotEmpty(p.t, lost["reason"])
	p.event("migration_started") // its candidate may be lost as well, and an older release waits for the lowest id
	assert.Equal(p.t, changed, p.event("host_changed"), "in this order")
	return changed
}

// talk has everybody say something that all others hear.
func (a *arena) talk(about string) {
	a.t.Helper()
	all := a.here()
	for _, p := range all {
		p.types(about)
	}
	for _, p := range all {
		heard := map[string]bool{}
		for range len(all) - 1 {
			e := p.event("chat", "text", about)
			heard[e["from"].(string)] = true
		}
		assert.Len(a.t, heard, len(all)-1, p.at)
	}
}

// expectNext returns who is host by the rule once the machines that are gone are gone: the one that has been there
// longest, or with --legacy the one with the lowest id (3.1.7.1).
func (a *arena) expectNext() *process {
	all := a.here()
	if !slices.Contains(a.common, "--legacy") {
		return all[0]
	}
	return slices.MinFunc(all, func(p, q *process) int { return strings.Compare(p.id, q.id) })
}

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// healed waits until two halves of a session are one: one of their hosts is host, and every program is told which one. All have the ids
// that they had, and know again whom they had lost.
func (a *arena) healed(one, other *process, lost func(*process) []*process) {
	a.t.Helper()
	hosts := map[any]bool{}
	for _, p := range a.all {
		p.inAnyOrder(
			func() { hosts[p.event("session_healed", "system", p.id)["host_id"]] = true },
			func() { p.knows(lost(p)...) })
	}
	assert.Len(a.t, hosts, 1)
	assert.True(a.t, hosts[one.id] || hosts[other.id], "%v", hosts)
}

// knows waits until a process knows some players again that it had lost.
func (p *process) knows(again ...*process) {
	p.t.Helper()
	var waits []func()
	for _, q := range again {
		waits = append(waits, func() { p.event("player_created", "name", q.player) })
	}
	p.inAnyOrder(waits...)
}
