package local

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestPlayingLetsGo: a game that has connections to others has 47624 for itself, although another machine's game is host: it may
// become host of that session. And for a moment afterwards.
func TestPlayingLetsGo(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 1)
	far := withFar(t, m, hub)
	require.NoError(t, far.SendDatagram([]byte{datagramHost, 1}))
	m.listensForGames()
	c := m.dials(2300)
	s := m.local.list
	free := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.udp == nil
	}
	testkit.Until(t, free, "the bridge to let go of port 47624")
	closed := time.Now()
	c.Close()
	nextStream(t, far, 0)
	m.local.Drop(0)
	m.reports(event(Playing{On: false}))

	s.mu.Lock()
	assert.False(t, s.quiet.Before(closed))
	s.quiet = time.Now().AddDate(1, 0, 0) // as if it had been a moment ago, for as long as this takes
	s.mu.Unlock()
	near, far := linkWith(t, m, hub.Machine())
	require.NoError(t, m.local.Stand(0, At(0), near))
	require.NoError(t, far.SendDatagram([]byte{datagramHost, 1}))
	testkit.Until(t, func() bool { return len(m.local.hosts()) == 1 }, "a host")
	s.look()
	assert.True(t, free())
	s.mu.Lock()
	s.quiet = time.Now().Add(-usual.settled)
	s.mu.Unlock()
	s.look()
	assert.False(t, free())
}

// TestMissed has a table of the system that leaves out sockets now and then: the game hosts on, unless they are missing three times.
func TestMissed(t *testing.T) {
	there := true
	l := &Local{at: filter.Translation{Game: At(0)}, opt: Options{table: func(_ string, _ netip.Addr, ports wire.Ports) (all []sock.Holding, known bool) {
		if there {
			all = append(all, sock.Holding{Port: ports.First})
		}
		return all, true
	}}.withDefaults()}
	l.tenant = &tenant{l: l}
	s := &listing{l: l}
	var hosts []bool
	for _, there = range []bool{true, false, false, true, false, false, true, false, false, false} {
		s.seek()
		hosts = append(hosts, s.host)
	}
	assert.Equal(t, []bool{true, true, true, true, true, true, true, true, true, false}, hosts)
}

// TestUntold has a system that does not tell who has 47624: it is tried once in a while, so that a game that hosts can have it.
func TestUntold(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, 0)
	var opened int
	opt := Options{table: tellsNothing, within: func(do func()) { opened++; m.within(do) }}
	s := &listing{l: &Local{opt: opt.withDefaults()}}
	looks := func() (opens int) {
		before := opened
		s.seek()
		return opened - before - 1 // one of them is the table
	}
	assert.Equal(t, []int{1, 0, 0}, []int{looks(), looks(), looks()})
	assert.False(t, s.host)
	m.binds(wire.EnumPort)
	s.tried = s.tried.Add(-usual.games)
	assert.Equal(t, []int{1, 0}, []int{looks(), looks()})
	assert.True(t, s.host)
}

// TestElsewhere: while the game of a machine is host, those of others cannot be, and their users are told, unless they want it.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 3)
	host, ann, bob := m[0].game("ours"), m[1].game("ours"), m[2].game("ours")
	host.does("host")
	m[1].reports(event(Elsewhere{0}))
	ann.begins("host")
	assert.Contains(t, ann.waits("done host"), "47624")

	m[1].local.LetHost(true)
	m[1].reports(event(Elsewhere{-1}))
	ann.does("host")
	m[1].reports(func(e Event) bool { h, ok := e.(Hosting); return ok && h.On })
	testkit.Until(t, func() bool { return len(m[2].local.hosts()) == 2 }, "two hosts")
	testkit.Until(t, func() bool { return len(m[0].local.hosts()) == 1 }, "another host")
	m[0].local.list.look()
	assert.NotContains(t, m[0].told(), fmt.Sprintf("%+v", Elsewhere{1}), "it has the port")
	host.kill()
	bob.does("join 127.0.0.1 bob")
	ann.waits("player bob")
	bob.kill()

	m[0].reports(event(Hosting{}))
	m[0].local.LetHost(true)
	testkit.Until(t, func() bool { return !m[0].hasList() }, "the bridge to let go of port 47624")
	host = m[0].game("ours")
	host.does("host")
	ann.does("leave")
	m[1].reports(event(Hosting{}))
	m[1].reports(event(Elsewhere{0}))
}

// TestElsewhereTold: a machine that says ten times a second that its game is host, and that it is not, does not keep the program from
// seeing anything else.
func TestElsewhereTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := []Event{}
		s := &listing{l: &Local{opt: Options{Report: func(e Event) { told = append(told, e) }}.withDefaults()}, told: Elsewhere{-1}}
		for i := range 30 {
			s.tellElsewhere(Elsewhere{i % 2})
			<-time.After(100 * time.Millisecond)
		}
		assert.Equal(t, []Event{Elsewhere{0}, Elsewhere{1}, Elsewhere{0}}, told)
	})
}

// TestGamesAt reads the system's table of connections, which is dear, when there is something to learn.
func TestGamesAt(t *testing.T) {
	c, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer c.Close()
	port, looks := filter.Ports{TCP: uint16(c.Addr().(*net.TCPAddr).Port)}, 0
	l := &Local{opt: Options{table: func(network string, at netip.Addr, ports wire.Ports) ([]sock.Holding, bool) {
		if network == "TCP" {
			looks++
		}
		return sock.Holdings(network, at, ports)
	}}.withDefaults()}
	l.tenant = &tenant{l: l}
	s := &listing{l: l}
	lists := []sock.Holding{{Port: wire.EnumPort}}
	for range 3 {
		assert.Len(t, s.gamesAt(port, lists), 1)
	}
	assert.Equal(t, 1, looks)
	for range 3 {
		assert.Empty(t, s.gamesAt(port, nil), "nobody hosts")
	}
	assert.Equal(t, 1, looks)
	assert.Len(t, s.gamesAt(port, append(lists, lists...)), 1)
	assert.Equal(t, 2, looks, "another one hosts")
	c.Close()
	l.tenant.looked = l.tenant.looked.Add(-usual.games)
	for n := range 3 {
		assert.Empty(t, s.gamesAt(port, lists))
		assert.Equal(t, 3+n, looks, "our game is gone, or comes back")
	}
}
