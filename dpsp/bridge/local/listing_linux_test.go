package local

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

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
	s.tried = s.tried.Add(-lookGames)
	assert.Equal(t, []int{1, 0}, []int{looks(), looks()})
	assert.True(t, s.host)
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
	l.tenant.looked = l.tenant.looked.Add(-lookGames)
	for n := range 3 {
		assert.Empty(t, s.gamesAt(port, lists))
		assert.Equal(t, 3+n, looks, "our game is gone, or comes back")
	}
}
