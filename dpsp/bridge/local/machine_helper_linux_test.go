package local

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
)

// program is how the system calls this program, and the games.
var program = func() string {
	b, _ := os.ReadFile("/proc/self/comm")
	return strings.TrimSpace(string(b))
}()

// quick are the times of bridges here. Those that end something are long: it does not end because the machine is busy.
var quick = times{games: usual.games / 10, tell: usual.tell / 10, settled: usual.settled / 10, connect: 1000 * usual.connect,
	announced: 1000 * usual.announced}

// A machine of a test is a network namespace with a loopback. Its bridge is in this process, its games are processes in it.
type machine struct {
	t      *testing.T
	slot   int
	net    *linktest.Machine
	thread int // one that is in the namespace
	work   chan func()
	local  *Local

	mu     sync.Mutex
	events []Event
	heard  chan struct{}
}

// newMachine makes a machine without a bridge.
func newMachine(t *testing.T, hub *linktest.Hub, slot int) *machine {
	t.Helper()
	m := &machine{t: t, slot: slot, heard: make(chan struct{}, 1)}
	m.enter()
	if hub != nil {
		m.net = hub.Machine()
	}
	return m
}

// card gives the machine a card that leads nowhere, at 192.0.2.7.
func (m *machine) card() {
	m.t.Helper()
	m.ip("link", "add", "card", "type", "veth", "peer", "name", "drac")
	m.ip("link", "set", "drac", "up")
	m.ip("addr", "add", "192.0.2.7/24", "broadcast", "192.0.2.255", "dev", "card")
	m.ip("link", "set", "card", "up")
}

// ip runs the program of that name in the machine's network.
func (m *machine) ip(args ...string) {
	m.t.Helper()
	var out []byte
	var err error
	m.within(func() { out, err = exec.Command("ip", args...).CombinedOutput() })
	require.NoError(m.t, err, "%s", out)
}

// threads is how many are in a machine's network: what waits on one of them holds nobody up.
const threads = 8

// enter makes the network, and has threads be in it.
func (m *machine) enter() {
	m.work = make(chan func())
	m.t.Cleanup(func() { close(m.work) })
	entered := make(chan error)
	begin := func(enter func() error) error {
		go func() {
			runtime.LockOSThread() // for good: the thread ends with this goroutine
			err := enter()
			entered <- err
			for do := range m.work {
				do()
			}
		}()
		return <-entered
	}
	if err := begin(func() error {
		m.thread = unix.Gettid()
		return errors.Join(unix.Unshare(unix.CLONE_NEWNET), loopbackUp())
	}); err != nil {
		m.t.Skip("machines are network namespaces: ", err)
	}
	for range threads - 1 {
		require.NoError(m.t, begin(func() error {
			f, err := os.Open(fmt.Sprintf("/proc/self/task/%d/ns/net", m.thread))
			if err != nil {
				return err
			}
			defer f.Close()
			return unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
		}))
	}
}

// loopbackUp switches on the loopback of the network that this thread is in.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // it was used
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// within calls a function on a thread that is in the machine's network.
func (m *machine) within(do func()) {
	done := make(chan struct{})
	m.work <- func() {
		defer close(done)
		do()
	}
	<-done
}

// open opens the machine's bridge.
func (m *machine) open(opt Options) *machine {
	m.t.Helper()
	opt.Slot, opt.within, opt.by = m.slot, m.within, by
	if opt.times == (times{}) {
		opt.times = quick
	}
	opt.Report = func(e Event) {
		m.mu.Lock()
		m.events = append(m.events, e)
		m.mu.Unlock()
		select {
		case m.heard <- struct{}{}:
		default:
		}
	}
	l, err := Open(opt)
	require.NoError(m.t, err)
	m.t.Cleanup(func() { l.Close() })
	m.local = l
	return m
}

// names are those of sockets that by has found. Here no process gives a socket to another one.
var names = struct {
	sync.Mutex
	of map[sock.Holding]string
}{of: map[sock.Holding]string{}}

// by is sock.By, which reads what files all processes of the system have, and remembers its answers.
func by(all []sock.Holding) []string {
	names.Lock()
	defer names.Unlock()
	of := make([]string, len(all))
	unknown := false
	for i, h := range all {
		of[i] = names.of[h]
		unknown = unknown || of[i] == ""
	}
	if !unknown {
		return of
	}
	of = sock.By(all)
	for i, name := range of {
		if named(name) {
			names.of[all[i]] = name
		}
	}
	return of
}

// session makes machines with bridges, each linked with each.
func session(t *testing.T, hub *linktest.Hub, n int) (all []*machine) {
	t.Helper()
	for i := range n {
		m := newMachine(t, hub, i).open(Options{})
		for _, other := range all {
			m.meets(other)
		}
		all = append(all, m)
	}
	return all
}

// meets links two machines.
func (m *machine) meets(other *machine) (there, here link.Link) {
	m.t.Helper()
	here, there = linkWith(m.t, other, m.net)
	require.NoError(m.t, m.local.Stand(other.slot, other.local.at.Slot, there))
	require.NoError(m.t, other.local.Stand(m.slot, m.local.at.Slot, here))
	return there, here
}

// linkWith links a machine with one that a test may play itself.
func linkWith(t testing.TB, m *machine, far *linktest.Machine) (here, there link.Link) {
	t.Helper()
	ctx := testkit.Context(t)
	there, err := far.Dial(ctx, m.net.ID(), m.net.Addresses())
	require.NoError(t, err)
	here, err = m.net.Accept(ctx)
	require.NoError(t, err)
	return here, there
}

// reports waits for an event.
func (m *machine) reports(is func(Event) bool) {
	m.t.Helper()
	ctx := testkit.Context(m.t)
	for {
		m.mu.Lock()
		if i := slices.IndexFunc(m.events, is); i >= 0 {
			m.events = slices.Delete(m.events, i, i+1)
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
		select {
		case <-m.heard:
		case <-ctx.Done():
			require.Fail(m.t, "it does not happen", "slot %d: %s", m.slot, m.told())
		}
	}
}

// told returns the events that nobody waited for.
func (m *machine) told() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprintf("%+v", m.events)
}

// event returns what reports waits for.
func event(e Event) func(Event) bool { return func(x Event) bool { return x == e } }

// moves gives it another slot. No process is begun meanwhile: it would have copies of the sockets that are closed, for a moment,
// and the game that comes next would find their ports taken.
func (m *machine) moves(slot int) {
	m.t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(m.t, m.local.Move(slot, filter.Ports{}))
	m.slot = slot
}

// A game is a process on a machine.
type game struct {
	t     *testing.T
	slot  int
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	early []string // that nobody waited for yet
	ports filter.Ports
}

// game starts one.
func (m *machine) game(kind string) *game {
	m.t.Helper()
	self, err := os.Executable()
	require.NoError(m.t, err)
	g := &game{t: m.t, slot: m.slot, cmd: exec.Command(self), lines: make(chan string, 1000)}
	g.cmd.Env = append(os.Environ(), playing+"="+kind)
	g.cmd.Stderr = os.Stderr
	g.in, err = g.cmd.StdinPipe()
	require.NoError(m.t, err)
	out, err := g.cmd.StdoutPipe()
	require.NoError(m.t, err)
	m.within(func() { err = g.cmd.Start() })
	require.NoError(m.t, err)
	go func() {
		defer close(g.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			g.lines <- s.Text()
		}
	}()
	m.t.Cleanup(g.kill)
	_, err = fmt.Sscanf(g.waits("ports "), "ports %d %d", &g.ports.TCP, &g.ports.UDP)
	require.NoError(m.t, err)
	return g
}

// kill ends it as a crash does.
func (g *game) kill() {
	g.cmd.Process.Kill() //nolint:errcheck // it may have ended
	g.in.Close()
	for range g.lines {
	}
	g.cmd.Wait() //nolint:errcheck // it was killed
}

// does has it do something, and waits until it is done.
func (g *game) does(what string) {
	g.t.Helper()
	g.begins(what)
	require.Equal(g.t, "done "+what+" <nil>", g.waits("done "+what))
}

// begins has it do something.
func (g *game) begins(what string) {
	g.t.Helper()
	_, err := fmt.Fprintln(g.in, what)
	require.NoError(g.t, err)
}

// waits waits until it says a line that begins like this.
func (g *game) waits(prefix string) string {
	g.t.Helper()
	if i := slices.IndexFunc(g.early, func(s string) bool { return strings.HasPrefix(s, prefix) }); i >= 0 {
		line := g.early[i]
		g.early = slices.Delete(g.early, i, i+1)
		return line
	}
	ctx := testkit.Context(g.t)
	for {
		select {
		case line, ok := <-g.lines:
			if strings.HasPrefix(line, prefix) {
				return line
			}
			require.True(g.t, ok, "the game in slot %d ended before it said %q: %q", g.slot, prefix, g.early)
			g.early = append(g.early, line)
		case <-ctx.Done():
			require.Fail(g.t, "nothing", "the game in slot %d does not say %q: %q", g.slot, prefix, g.early)
		}
	}
}

// gets waits for a message of a size, of the game's own.
func (g *game) gets(size int) {
	g.t.Helper()
	g.waits(fmt.Sprintf("message %d %d", size, crc32.ChecksumIEEE(payload(size))))
}
