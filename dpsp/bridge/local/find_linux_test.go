package local

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

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

// TestFoundLater: a game was there before the bridge, on ports of another slot, and nobody told the bridge. It has to be
// started again.
func TestFoundLater(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := []*machine{newMachine(t, hub, 0).open(Options{}), newMachine(t, hub, 1)}
	ann := m[1].game("ours") // on 2300 and 2350
	m[1].open(Options{})
	m[0].meets(m[1])
	m[1].reports(event(Waiting{fmt.Sprintf("TCP port 2300 is held by %s (process %d): the game does not reach machine 0. "+
		"Quit it; if it is the game, start it again", program, ann.cmd.Process.Pid)}))
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

// TestOnePort: games that have one number for TCP and UDP, as Lego Loco has, host and join, and new ones after a migration.
func TestOnePort(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 4)
	var all []*game
	for _, x := range m[:3] {
		g := x.game("one port")
		require.Equal(t, filter.Ports{TCP: 31415, UDP: 31415}, g.ports)
		all = append(all, g)
	}
	host, ann, bob := all[0], all[1], all[2]
	host.does("host")
	m[0].reports(event(Translating{Game: host.ports, Plan: At(0)}))
	m[0].reports(func(e Event) bool { h, ok := e.(Hosting); return ok && h.On })
	ann.does("join 127.0.0.1 ann")
	m[1].reports(event(Translating{Game: ann.ports, Plan: At(1)}))
	bob.does("join 127.0.0.1 bob")
	know(all, "host", "ann", "bob")
	talk(all)
	host.kill()
	ann.waits("newhost true")
	bob.waits("newhost false")
	late := m[3].game("ours")
	late.does("join 127.0.0.1 late")
	ann.waits("player late")
	bob.waits("player late")
	talk([]*game{ann, bob, late})
}

// TestGamePorts picks a game's ports among those of its program.
func TestGamePorts(t *testing.T) {
	for _, x := range []struct {
		name     string
		tcp, udp []uint16
		game     filter.Ports
		sure     bool
	}{
		{"of DirectPlay", []uint16{80, 2301, 6000}, []uint16{80, 2301, 2351}, filter.Ports{TCP: 2301, UDP: 2351}, true},
		{"one for both", []uint16{80, 31415}, []uint16{53, 31415}, filter.Ports{TCP: 31415, UDP: 31415}, true},
		{"TCP alone", []uint16{6000}, []uint16{53, 2399}, filter.Ports{TCP: 6000, UDP: 2399}, true},
		{"one of each", []uint16{6000}, []uint16{6001, 40000}, filter.Ports{TCP: 6000, UDP: 6001}, false},
		{"what it searches by", []uint16{6000}, []uint16{40000}, filter.Ports{TCP: 6000}, false},
		{"too many", []uint16{80, 6000}, []uint16{6001}, filter.Ports{UDP: 6001}, false},
	} {
		tcp := streamPort(x.tcp, x.udp)
		udp, sure := datagramPort(tcp, x.udp)
		assert.Equal(t, x.game, filter.Ports{TCP: tcp, UDP: udp}, x.name)
		assert.Equal(t, x.sure, sure, x.name)
	}
}

// TestOnePortOfSlot: a player sets the TCP port of our slot in a game that has one for both.
func TestOnePortOfSlot(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	host := m[0].game("its slot's")
	require.Equal(t, filter.Ports{TCP: 2300, UDP: 2300}, host.ports)
	host.does("host")
	m[0].reports(event(Translating{Game: host.ports, Plan: At(0)}))
	ann := m[1].game("ours")
	ann.does("join 127.0.0.1 ann")
	know([]*game{host, ann}, "host", "ann")
	talk([]*game{host, ann})
}

// TestBack: a game that was translated is started again, and lands on its slot.
func TestBack(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	host, ann := m[0].game("one port"), m[1].game("one port")
	host.does("host")
	ann.does("join 127.0.0.1 ann")
	know([]*game{host, ann}, "host", "ann")
	ann.kill()
	host.kill()
	host, ann = m[0].game("ours"), m[1].game("ours")
	host.does("host")
	ann.does("join 127.0.0.1 ann")
	know([]*game{host, ann}, "host", "ann")
	talk([]*game{host, ann})
	for i := range m {
		m[i].reports(event(Translating{Game: filter.Ports{TCP: 31415, UDP: 31415}, Plan: At(i)}))
		assert.NotContains(t, m[i].told(), fmt.Sprintf("%+v", At(i)), "nothing is translated any more")
	}
}

// TestSecondGame: two games run on a machine, and only one can have its place. The user is told of the other one as long as it
// looks for sessions.
func TestSecondGame(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	host, first, second := m[0].game("ours"), m[1].game("ours"), m[1].game("one port")
	host.does("host")
	m[1].listensForGames()
	second.begins("see 127.0.0.1")
	m[1].reports(event(Waiting{"a second game, on TCP 31415, looks for sessions, and this machine has a place for one: quit the other one"}))
	first.does("join 127.0.0.1 ann")
	know([]*game{host, first}, "host", "ann")
	talk([]*game{host, first})
}

// TestSecondHosts: the second game of a machine hosts, which is not to be had.
func TestSecondHosts(t *testing.T) {
	t.Parallel()
	m := newMachine(t, linktest.New(), 1).open(Options{})
	first, second := m.game("ours"), m.game("one port")
	require.Equal(t, At(1), first.ports)
	second.does("host")
	m.reports(event(Waiting{fmt.Sprintf("47624 is held by %s (process %d), but the game that hosts is not on TCP 2301 and UDP 2351: "+
		"start it after the bridge, or set these ports in it", program, second.cmd.Process.Pid)}))
	assert.Equal(t, At(1), m.local.at.Game)
}

// TestHelper: a helper has 47624, as on Windows, and the game the TCP port of our slot, and the same for UDP.
func TestHelper(t *testing.T) {
	t.Parallel()
	m := newMachine(t, linktest.New(), 0).open(Options{})
	g := m.game("its slot's")
	m.binds(wire.EnumPort)
	m.reports(event(Translating{Game: g.ports, Plan: At(0)}))
}

// TestHostsOffSlot: a program has 47624 whose ports cannot be told.
func TestHostsOffSlot(t *testing.T) {
	t.Parallel()
	m := newMachine(t, linktest.New(), 1).open(Options{})
	m.binds(wire.EnumPort)
	m.listens(7001)
	m.listens(7002)
	m.reports(event(Waiting{"47624 is held by " + us + ", but the game that hosts is not on TCP 2301 and UDP 2351: " +
		"start it after the bridge, or set these ports in it"}))
}

// TestSameProcess: a game that is a part of the program that runs the bridge is not taken for what stands for others, nor is it on
// 47624.
func TestSameProcess(t *testing.T) {
	t.Parallel()
	m := newMachine(t, linktest.New(), 1).open(Options{})
	m.listens(wire.EnumPort)
	m.plays(filter.Ports{TCP: 50001, UDP: 50001})
	m.binds(wire.EnumPort)
	m.reports(event(Translating{Game: filter.Ports{TCP: 50001, UDP: 50001}, Plan: At(1)}))
}

// TestNameless: the system does not tell whose the ports are. Then those of several programs have the same name, and are not taken
// together for a game's.
func TestNameless(t *testing.T) {
	has := map[string][]uint16{"TCP": {53, 7001}, "UDP": {53, 5353, wire.EnumPort}}
	l := &Local{at: filter.Translation{Game: At(1), Slot: At(1)}}
	l.opt = Options{table: func(network string, _ netip.Addr, ports wire.Ports) (all []sock.Holding, ok bool) {
		for _, p := range has[network] {
			if p >= ports.First && p <= ports.Last {
				all = append(all, sock.Holding{Port: p})
			}
		}
		return all, true
	}}.withDefaults()
	l.tenant = &tenant{l: l}
	l.owner([]string{sock.By([]sock.Holding{{Port: wire.EnumPort}})[0]})
	assert.Equal(t, At(1), l.at.Game)
	assert.Equal(t, filter.Ports{TCP: 7001, UDP: At(1).UDP}, l.program(7001))
	assert.Equal(t, filter.Ports{TCP: 53, UDP: 53}, l.program(53))
	has["TCP"] = append(has["TCP"], 2301)
	has["UDP"] = append(has["UDP"], 2301)
	l.owner([]string{sock.By([]sock.Holding{{Port: wire.EnumPort}})[0]})
	assert.Equal(t, At(1), l.at.Game)
}

// TestWish: where programs have ports of some slots the wish is another one, and it is not the same for everybody.
func TestWish(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, 0)
	m.card()
	syscall.ForkLock.RLock() // as in moves
	defer syscall.ForkLock.RUnlock()
	m.within(func() { assert.Zero(t, Wish(7)) })
	m.listens(2300)
	m.binds(2351)
	m.within(func() {
		c, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.7:2302"))) // at one address
		require.NoError(t, err)
		defer c.Close()
		for i := range uint64(Slots) {
			assert.Equal(t, At(3+int(i%(Slots-3))), Wish(i))
		}
	})
	m.within(func() { assert.Equal(t, At(2), Wish(0)) })
}
