package local

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// TestGamesAt reads the system's table of connections, which is dear, when there is something to learn.
func TestGamesAt(t *testing.T) {
	c, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer c.Close()
	port, looks := uint16(c.Addr().(*net.TCPAddr).Port), 0
	s := &listing{l: &Local{opt: Options{within: func(do func()) { looks++; do() }}}}
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
	s.looked = s.looked.Add(-lookGames)
	for n := range 3 {
		assert.Empty(t, s.gamesAt(port, lists))
		assert.Equal(t, 3+n, looks, "our game is gone, or comes back")
	}
}
