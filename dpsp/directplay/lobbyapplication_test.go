package directplay

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

func TestApplications(t *testing.T) {
	d := newDesk(t)
	l := d.process(1)
	a := Application{Name: "Another", GUID: guid("99999999-0000-0000-0000-000000000001"), File: "a.exe", CommandLine: "-c",
		Path: `D:\a`, CurrentDirectory: `D:\here`, Description: "what it is"}
	require.Equal(t, wire.OK, l.RegisterApplication(0, &a))
	assert.Equal(t, map[string]string{"Guid": "{99999999-0000-0000-0000-000000000001}", "File": "a.exe", "CommandLine": "-c",
		"Path": `D:\a`, "CurrentDirectory": `D:\here`, "Description": "what it is"}, d.registry["Another"])
	d.registry["Half"] = map[string]string{"File": "h.exe"}
	d.registry["Odd"] = map[string]string{"Guid": "odd"}

	list, code := l.EnumLocalApplications(0, true)
	require.Equal(t, wire.OK, code)
	require.Len(t, list, 2, "what has no GUID is no application")
	assert.Equal(t, a, list[0])
	assert.Equal(t, "Game", list[1].Name)
	assert.Equal(t, testApplication, list[1].GUID)
	assert.Equal(t, Command{File: `D:\a\a.exe`, CommandLine: `"D:\a\a.exe" -c`, Directory: `D:\here`}, a.command())
	assert.Equal(t, Command{File: "a.exe", CommandLine: `"a.exe"`}, Application{File: "a.exe"}.command())

	hidden := Application{Name: "Hidden", Flags: ApplicationHidden | 2, GUID: guid("99999999-0000-0000-0000-000000000002"), File: "h.exe",
		Path: `D:\h`, Launcher: "starter.exe"}
	require.Equal(t, wire.OK, l.RegisterApplication(0, &hidden))
	known, ok := applicationOf("Hidden", d.registry["Hidden"])
	assert.True(t, ok)
	assert.Equal(t, hidden, known)
	assert.Equal(t, Command{File: `D:\h\starter.exe`, CommandLine: `"D:\h\starter.exe"`, Directory: `D:\h`}, hidden.command())
	list, _ = l.EnumLocalApplications(0, true)
	assert.NotContains(t, list, hidden, "it is not listed")
	assert.Equal(t, wire.ErrAlreadyRegistered, l.RegisterApplication(0, &hidden), "but it is there")

	require.Equal(t, wire.OK, l.UnregisterApplication(0, &a.GUID))
	assert.Equal(t, wire.ErrNotRegistered, l.UnregisterApplication(0, &a.GUID))
	assert.NotContains(t, d.registry, "Another")
}

// source: DPLAPPINFO of mingw-w64's dplobby.h, by hand; i686-w64-mingw32-gcc has 24 octets, the name at 20.
func TestApplicationLayout(t *testing.T) {
	a := Application{Name: "Game", GUID: testApplication}
	assert.Equal(t, octets(t, `18 00 00 00  A3 E1 3B 8D 1F 2C 7E 4D 9B 55 01 23 45 67 89 AB  18 00 50 00  47 61 6D 65 00`),
		moved(a.Block(face32), 0x500000, face32))
	assert.Equal(t, octets(t, `20 00 00 00  A3 E1 3B 8D 1F 2C 7E 4D 9B 55 01 23 45 67 89 AB  00 00 00 00
		20 00 00 00 01 00 00 00  47 00 61 00 6D 00 65 00 00 00`), moved(a.Block(face64), 0x100000000, face64))
}

// A locked registry is one that this user may not change, or not even read.
type locked struct{ MapRegistry }

var errLocked = errors.New("access denied")

func (locked) Write(string, map[string]string) error { return errLocked }
func (locked) Remove(string) error                   { return errLocked }

type unreadable struct{ MapRegistry }

func (unreadable) Keys() ([]string, error) { return nil, errLocked }

func TestRegistryRefuses(t *testing.T) {
	l := NewLobby(Machine{Registry: locked{newDesk(t).registry}, Getenv: func(string) string { return "" }})
	other := Application{Name: "a", File: "f", GUID: testInstance}
	assert.Equal(t, wire.ErrGeneric, l.RegisterApplication(0, &other))
	assert.Equal(t, wire.ErrGeneric, l.UnregisterApplication(0, &testApplication))
	l.machine.Registry = unreadable{}
	list, code := l.EnumLocalApplications(0, true)
	assert.Equal(t, wire.OK, code, "a machine without DirectPlay has no applications")
	assert.Empty(t, list)
}
