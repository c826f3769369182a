package local

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// TestWindowsRegistry registers this program as a game, starts it by its GUID, and takes it away again. It needs an
// administrator, as everybody is under Wine.
func TestWindowsRegistry(t *testing.T) {
	l := &launcher{directplay.NewLobby(Machine()), t, make(chan struct{}, 16), 0}
	folder, file := self(t)
	game := directplay.Application{Name: "dplay's test", GUID: application, File: file, Path: folder, CommandLine: `"two words" -x`, Flags: 2}
	require.Equal(t, wire.OK, l.RegisterApplication(0, &game))
	defer func() { assert.Equal(t, wire.OK, l.UnregisterApplication(0, &application)) }()
	assert.Equal(t, wire.ErrAlreadyRegistered, l.RegisterApplication(0, &game))
	list, code := l.EnumLocalApplications(0, true)
	require.Equal(t, wire.OK, code)
	assert.Contains(t, list, game)

	l.id, code = l.RunApplication(0, settings(), func() { l.came <- struct{}{} })
	require.Equal(t, wire.OK, code)
	l.follow(settings())
}
