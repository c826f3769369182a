package local

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestHeldPort: while another program has a port of a machine that is there, the bridge says who it is, and takes it afterwards.
func TestHeldPort(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 0)
	others := map[int]io.Closer{3: m.listens(2303), 5: m.binds(2355)}
	m.open(Options{})
	far := hub.Machine()
	near, _ := linkWith(t, m, far)
	for slot, port := range map[int]string{3: "TCP port 2303", 5: "UDP port 2355"} {
		require.NoError(t, m.local.Stand(slot, filter.Ports{}, near))
		m.reports(event(Waiting{fmt.Sprintf("%s is held by %s: the game does not reach machine %d. Quit it; if it is the game, start it again",
			port, us, slot)}))
		others[slot].Close()
		m.reports(event(Waiting{}))
		m.local.Drop(slot)
	}
	assert.NoError(t, m.local.Stand(4, filter.Ports{}, near))
	assert.Error(t, m.local.Stand(0, filter.Ports{}, near), "it is ours")
	assert.Error(t, m.local.Stand(Slots, filter.Ports{}, near))
	assert.Error(t, m.local.Stand(6, filter.Ports{TCP: 2300, UDP: 2356}, near), "it has our port")

	_, err := Open(Options{Slot: 1, within: m.within})
	assert.ErrorContains(t, err, us, "another bridge has all ports")
	_, err = Open(Options{Slot: Slots})
	assert.Error(t, err)
}

// TestHeldPortOfMember: a program has a port of a member's slot. The game does not reach that member, but it plays with the others,
// whose lists name it.
func TestHeldPortOfMember(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := []*machine{newMachine(t, hub, 0).open(Options{}), newMachine(t, hub, 1), newMachine(t, hub, 2).open(Options{})}
	m[1].plays(At(2))
	m[1].open(Options{})
	for i := range m {
		for k := range i {
			m[i].meets(m[k])
		}
	}
	host, bob := m[0].game("ours"), m[2].game("ours")
	host.does("host")
	bob.does("join 127.0.0.1 bob")
	ann := m[1].game("ours")
	ann.does("join 127.0.0.1 ann")
	host.waits("player ann")
	ann.does("send 3000")
	host.gets(3000)
	host.does("send 3001")
	ann.gets(3001)
	m[1].reports(event(Waiting{"TCP port 2302 is held by " + us +
		": the game does not reach machine 2. Quit it; if it is the game, start it again"}))
	assert.NotContains(t, m[1].told(), "Err:")
}

// TestHeldService: a member says that its game is where a service of this machine is. Its lists do not send our game there.
func TestHeldService(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 0)
	m.listens(2375)
	m.binds(2301)
	m.listens(2304) // where no member is
	m.open(Options{})
	near, _ := linkWith(t, m, hub.Machine())
	require.NoError(t, m.local.Stand(1, filter.Ports{TCP: 2375, UDP: 2301}, near))
	assert.Equal(t, filter.NewPlan(append(slotsBut(1, 4), filter.Ports{UDP: 2354})...), m.local.planNow())
	require.NoError(t, m.local.Stand(1, filter.Ports{}, near))
	assert.Equal(t, filter.NewPlan(append(slotsBut(4), filter.Ports{UDP: 2354})...), m.local.planNow())
}

// slotsBut returns the ports of all slots but some.
func slotsBut(none ...int) (all []filter.Ports) {
	for slot := range Slots {
		if !slices.Contains(none, slot) {
			all = append(all, At(slot))
		}
	}
	return all
}

// TestOtherPorts: a slot whose machine announced other ports is reached on those.
func TestOtherPorts(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := []*machine{newMachine(t, hub, 0).open(Options{Ports: filter.Ports{TCP: 2407, UDP: 2366}}), newMachine(t, hub, 1).open(Options{})}
	m[0].meets(m[1])
	l, there := m[0].plays(filter.Ports{TCP: 2407, UDP: 2366})
	second := m[1].dials(2407)
	first := accepts(t, l)
	passes(t, second, first, message(1, "hello"))
	_, udp := m[1].plays(At(1))
	_, err := udp.WriteToUDPAddrPort([]byte("hello"), here(2366))
	require.NoError(t, err)
	assert.Equal(t, "hello", string(datagramFrom(t, there, At(1).UDP)))
}

// TestHeldList: while another program has port 47624 the game cannot search, and the bridge says who it is; then it finds the
// host.
func TestHeldList(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	other := m[1].binds(47624)
	host, ann := m[0].game("ours"), m[1].game("ours")
	host.does("host")
	m[1].reports(event(Waiting{"47624 is held by " + us + ": close the game that hosts"}))
	other.Close()
	m[1].reports(event(Waiting{}))
	ann.does("join 127.0.0.1 ann")
	host.waits("player ann")
}

// TestNobodyHosts: as long as no machine has a host, port 47624 is free everywhere, and any game may become one.
func TestNobodyHosts(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	for i := range 2 {
		g := m[i].game("ours")
		g.does("host")
		m[i].reports(func(e Event) bool { h, ok := e.(Hosting); return ok && h.On })
		g.does("leave")
		m[i].reports(event(Hosting{}))
		g.kill()
		for _, x := range m {
			testkit.Until(t, func() bool { return len(x.local.Hosts()) == 0 && !x.hasList() }, "port 47624 to be free in slot %d", x.slot)
		}
	}
}

// know waits until each knows all others, by their names.
func know(all []*game, names ...string) {
	for i, g := range all {
		for k, name := range names {
			if i != k {
				g.waits("player " + name)
			}
		}
	}
}

// talk has each say something to all others, guaranteed and not.
func talk(all []*game) {
	for i, g := range all {
		g.does(fmt.Sprint("send ", 2000+i))
		g.does(fmt.Sprint("throw ", 300+i))
		for k, other := range all {
			if i != k {
				other.gets(2000 + i)
				other.gets(300 + i)
			}
		}
	}
}

// TestMove: a machine gets another slot. Without a game its new ports are left free for one, with one that is translated.
func TestMove(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := session(t, hub, 2)
	m[1].moves(5)
	m[0].local.Drop(1)
	m[1].meets(m[0])
	ann := m[1].game("ours")
	require.Equal(t, At(5), ann.ports)
	host := m[0].game("ours")
	host.does("host")
	ann.does("join 127.0.0.1 ann")
	know([]*game{host, ann}, "host", "ann")
	talk([]*game{host, ann})

	m[1].moves(1)
	require.Equal(t, At(5), m[1].local.at.Game)
	m[1].reports(event(Translating{Game: At(5), Plan: At(1)}))
	ann.does("leave")
	m[0].local.Drop(5)
	m[1].meets(m[0])
	ann.does("join 127.0.0.1 again")
	host.waits("player again")
	talk([]*game{host, ann})
	assert.Error(t, m[1].local.Move(-1, filter.Ports{}))

	m[1] = newMachine(t, nil, 1).open(Options{table: tellsNothing})
	m[1].moves(5)
	assert.Equal(t, At(1), m[1].local.at.Game, "it may be there")
}

// tellsNothing is the table of a system that does not tell who has which port.
func tellsNothing(string, netip.Addr, wire.Ports) ([]sock.Holding, bool) { return nil, false }

// TestClose: a bridge that is closed leaves nothing: no goroutine, no port, no connection; its links are still there.
func TestClose(t *testing.T) {
	hub := linktest.New()
	m := []*machine{newMachine(t, hub, 0), newMachine(t, hub, 1)}
	before, files := runtime.NumGoroutine(), openFiles(t)
	var c [2]*net.TCPConn
	var ways [2]link.Link
	for range 3 {
		m[0].open(Options{})
		m[1].open(Options{})
		ways[0], ways[1] = m[0].meets(m[1])
		l, udp := m[0].plays(At(0))
		c[1] = m[1].dials(At(0).TCP)
		c[0] = accepts(t, l)
		passes(t, c[1], c[0], message(1, "hello"))
		l.Close()
		udp.Close()
		require.NoError(t, m[0].local.Close())
		require.NoError(t, m[0].local.Close())
		assert.Equal(t, link.ErrClosed, m[0].local.Stand(1, filter.Ports{}, ways[0]))
		isReset(t, c[0])
		isReset(t, c[1])
		require.NoError(t, m[1].local.Close())
		assert.NoError(t, ways[0].Context().Err())
		assert.NoError(t, ways[1].Context().Err())
		for i := range c {
			c[i].Close()
			ways[i].Close("over") //nolint:errcheck // that is not what is tested
		}
	}
	testkit.Until(t, func() bool { return runtime.NumGoroutine() <= before && openFiles(t) <= files },
		"%d goroutines and %d open files, as before", before, files)
}

// openFiles returns how many this process has open.
func openFiles(t testing.TB) int {
	all, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(all)
}
