package local

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
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
	us := fmt.Sprintf("(process %d): quit it, and start it again", os.Getpid())
	for slot, port := range map[int]string{3: "TCP port 2303", 5: "UDP port 2355"} {
		require.NoError(t, m.local.Stand(slot, filter.Ports{}, near))
		m.reports(func(e Event) bool {
			w, ok := e.(Waiting)
			return ok && strings.HasPrefix(w.For, port+" is held by ") && strings.HasSuffix(w.For, us)
		})
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

// TestOtherPorts: a slot whose machine announced other ports is reached on those.
func TestOtherPorts(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := []*machine{newMachine(t, hub, 0).open(Options{Ports: filter.Ports{TCP: 2407, UDP: 2366}}), newMachine(t, hub, 1).open(Options{})}
	m[0].meets(m[1])
	l := m[0].listens(2407)
	second := m[1].dials(2407)
	first := accepts(t, l)
	passes(t, second, first, message(1, "hello"))
	udp, there := m[1].binds(At(1).UDP), m[0].binds(2366)
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
	us := fmt.Sprintf("(process %d): close the game that hosts", os.Getpid())
	m[1].reports(func(e Event) bool {
		w, ok := e.(Waiting)
		return ok && strings.HasPrefix(w.For, "47624 is held by ") && strings.HasSuffix(w.For, us)
	})
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
	}
}

// TestFound: a game that was there before the bridge keeps its ports. As host it has the session know those; as joiner on a
// machine where another slot has them it is translated.
func TestFound(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := []*machine{newMachine(t, hub, 0), newMachine(t, hub, 1), newMachine(t, hub, 2)}
	others := []io.Closer{m[0].listens(2300), m[0].listens(2301), m[0].binds(2350)}
	host := m[0].game("ours")
	require.Equal(t, filter.Ports{TCP: 2302, UDP: 2351}, host.ports)
	host.does("host")
	var found []Game
	m[0].within(func() { found = Find() })
	require.NotEmpty(t, found)
	require.Len(t, found, 2, "%+v", found)
	i := 0
	if !found[0].Hosts {
		i = 1
	}
	assert.Equal(t, host.ports, found[i].Ports)
	assert.True(t, found[i].Hosts)
	assert.Contains(t, found[i].Program, fmt.Sprintf("(process %d)", host.cmd.Process.Pid))

	for _, c := range others {
		c.Close()
	}
	ann := m[1].game("ours") // on 2300 and 2350, which are another slot's
	require.Equal(t, At(0), ann.ports)
	m[1].within(func() { found = Find() })
	require.Len(t, found, 1)
	assert.False(t, found[0].Hosts)
	m[0].open(Options{Ports: host.ports})
	m[1].open(Options{Ports: filter.Ports{TCP: 2320, UDP: 2370}, Game: found[0].Ports})
	m[1].reports(event(Translating{Game: ann.ports, Plan: filter.Ports{TCP: 2320, UDP: 2370}}))
	m[2].open(Options{Ports: At(0)}) // the slot that ann's game sits on there
	for i := range m {
		for k := range i {
			m[i].meets(m[k])
		}
	}
	bob := m[2].game("ours")
	require.Equal(t, At(0), bob.ports)
	ann.does("join 127.0.0.1 ann")
	bob.does("join 127.0.0.1 bob")
	all := []*game{host, ann, bob}
	know(all, "host", "ann", "bob")
	talk(all)
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

// TestFoundLater: a game was there before the bridge, on ports of another slot, and nobody told the bridge. It has to be
// started again.
func TestFoundLater(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := []*machine{newMachine(t, hub, 0).open(Options{}), newMachine(t, hub, 1)}
	ann := m[1].game("ours") // on 2300 and 2350
	m[1].open(Options{})
	m[0].meets(m[1])
	m[1].reports(func(e Event) bool {
		w, ok := e.(Waiting)
		return ok && w.For == fmt.Sprintf("TCP port 2300 is held by %s (process %d): quit it, and start it again",
			filepath.Base(os.Args[0]), ann.cmd.Process.Pid)
	})
	ann.kill()
	m[1].reports(event(Waiting{}))
	ann, host := m[1].game("ours"), m[0].game("ours")
	require.Equal(t, At(1), ann.ports)
	host.does("host")
	ann.does("join 127.0.0.1 ann")
	know([]*game{host, ann}, "host", "ann")
}

// TestFoundBySearch: a game that has other ports says so when it searches, and is translated from there on.
func TestFoundBySearch(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 3)
	host, ann, bob := m[0].game("ours"), m[1].game("elsewhere"), m[2].game("ours")
	require.Equal(t, filter.Ports{TCP: 6000, UDP: At(1).UDP}, ann.ports)
	host.does("host")
	ann.does("join 127.0.0.1 ann")
	m[1].reports(event(Translating{Game: ann.ports, Plan: At(1)}))
	bob.does("join 127.0.0.1 bob")
	all := []*game{host, ann, bob}
	know(all, "host", "ann", "bob")
	talk(all)
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
	m[1].reports(event(Translating{Game: At(5), Plan: At(1)}))
	ann.does("leave")
	m[0].local.Drop(5)
	m[1].meets(m[0])
	ann.does("join 127.0.0.1 again")
	host.waits("player again")
	talk([]*game{host, ann})
	assert.Error(t, m[1].local.Move(-1, filter.Ports{}))
}

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
		l := m[0].listens(At(0).TCP)
		c[1] = m[1].dials(At(0).TCP)
		c[0] = accepts(t, l)
		passes(t, c[1], c[0], message(1, "hello"))
		l.Close()
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
	limit := time.After(patience)
	for runtime.NumGoroutine() > before || openFiles(t) > files {
		select {
		case <-limit:
			b := make([]byte, 1<<20)
			require.Fail(t, "left over", "%d goroutines before, %d files before and %d now:\n%s", before, files, openFiles(t),
				b[:runtime.Stack(b, true)])
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// openFiles returns how many this process has open.
func openFiles(t testing.TB) int {
	all, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(all)
}
