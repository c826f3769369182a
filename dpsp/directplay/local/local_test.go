package local

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

var (
	application = wire.GUID{1, 2, 3}
	instance    = wire.GUID{4, 5, 6}
	face        = directplay.Face{Pointer: 4}
)

const greeting = "hello from the launcher"

// TestMain is what the launcher of the test starts: this program is the game then.
func TestMain(m *testing.M) {
	if os.Getenv(directplay.EnvironmentLobby) != "" {
		if err := play(); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is a lobbied game: it reads its settings, says their session's name, and hears one message.
func play() error {
	l := directplay.NewLobby(Machine())
	came := make(chan struct{}, 8)
	l.SetLobbyMessageEvent(0, 0, func() { came <- struct{}{} })
	b := directplay.Buffer{Size: math.MaxUint32}
	if code := l.GetConnectionSettings(0, &b, face); code != wire.OK {
		return fmt.Errorf("GetConnectionSettings: %w", code)
	}
	if code := l.SendLobbyMessage(0, 0, b.Data); code != wire.OK {
		return fmt.Errorf("SendLobbyMessage: %w", code)
	}
	<-came
	b = directplay.Buffer{Size: math.MaxUint32}
	if _, code := l.ReceiveLobbyMessage(0, 0, &b); code != wire.OK || string(b.Data) != greeting {
		return fmt.Errorf("heard %q: %w", b.Data, code)
	}
	l.SendLobbyMessage(0, 0, []byte("heard"))
	return nil
}

// A launcher starts this program as a game.
type launcher struct {
	*directplay.Lobby
	t    *testing.T
	came chan struct{}
	id   uint32
}

// next waits for the next message of the game.
func (l *launcher) next() (flags uint32, data []byte) {
	l.t.Helper()
	<-l.came
	b := directplay.Buffer{Size: math.MaxUint32}
	flags, code := l.ReceiveLobbyMessage(0, l.id, &b)
	require.Equal(l.t, wire.OK, code)
	return flags, b.Data
}

func (l *launcher) system(want directplay.LobbyMessageType) {
	l.t.Helper()
	_, b := l.next()
	m, err := directplay.ParseLobbyMessage(b)
	require.NoError(l.t, err, "%q", b)
	assert.Equal(l.t, directplay.LobbyMessage{Type: want, Instance: instance}, m)
}

// follow goes with a game that was started, from its first message to its end.
func (l *launcher) follow(s *directplay.Settings) {
	l.t.Helper()
	l.system(directplay.ConnectionSettingsRead)
	_, read := l.next()
	assert.Equal(l.t, s.Block(face).Data, read, "the game has the settings of the launcher")
	require.Equal(l.t, wire.OK, l.SendLobbyMessage(0, l.id, []byte(greeting)))
	_, heard := l.next()
	assert.Equal(l.t, "heard", string(heard))
	l.system(directplay.AppTerminated)
}

func settings() *directplay.Settings {
	name := "a game"
	return &directplay.Settings{Flags: directplay.OpenJoin, Provider: directplay.ProviderTCP,
		Session: &directplay.SessionDesc{Application: application, Instance: instance, Name: &name}}
}

// self returns where this program is.
func self(t *testing.T) (folder, file string) {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return filepath.Dir(path), filepath.Base(path)
}

// TestGameOfItsOwn starts another process, and hears of it from beginning to end.
func TestGameOfItsOwn(t *testing.T) {
	t.Parallel()
	folder, file := self(t)
	self := filepath.Join(folder, file)
	l := &launcher{directplay.NewLobby(Machine()), t, make(chan struct{}, 16), 0}
	var code wire.HResult
	l.id, code = l.Run(directplay.Command{File: self}, settings(), func() { l.came <- struct{}{} })
	require.Equal(t, wire.OK, code)
	l.follow(settings())

	_, code = l.Run(directplay.Command{File: self + ".none"}, settings(), nil)
	assert.Equal(t, wire.ErrCantCreateProcess, code)
}

func TestSecret(t *testing.T) {
	a, b := Machine().Secret(), Machine().Secret()
	assert.NotEqual(t, a, b)
}
