package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/dropin/dropintest"
)

// TestDLLBesideGame installs beside a game, as a player does who reads what is printed: below Wine that it needs more than the
// files; what is set there, and what is wrong with it; and everything is as it was in the end.
func TestDLLBesideGame(t *testing.T) {
	t.Parallel()
	game, from := t.TempDir(), dropintest.Release(t, "v1.2.3")
	dropintest.Put(t, dropintest.Game.Octets(), game, "castle.exe")
	const placed = "placed    dplayx.dll: dplay's v1.2.3, 32 bits\nplaced    dplay.dll: dplay's v1.2.3, 32 bits\n"
	override := "start the game with WINEDLLOVERRIDES=\"dplayx,dplay=n,b\", or Wine prefers its own\n"
	if runtime.GOOS == "windows" {
		override = ""
	}
	got := once(t, "dll", "install", "--game", game, "--from", from, "--dry-run")
	assert.Equal(t, placed+"in "+game+"; nothing was changed (--dry-run)\n", got.out)
	got = once(t, "dll", "install", "--game", game, "--from", from)
	assert.Equal(t, placed+"in "+game+"\n"+override, got.out)
	got = once(t, "dll", "install", "--game", filepath.Join(game, "castle.exe"), "--from", from)
	assert.Regexp(t, `^same .*\nsame .*\nin .*\n`+override+"$", got.out)

	toml := filepath.Join(game, "dplayx.toml")
	require.NoError(t, os.WriteFile(toml, []byte("udp = 2371\nadress = \"x\"\n"), 0o600))
	got = once(t, "dll", "status", "--game", game)
	assert.Zero(t, got.status)
	assert.Regexp(t, `(?m)^386   dplayx\.dll  dplay's v1\.2\.3: it is beside the game`, got.out)
	assert.Contains(t, got.out, "\nsetting udp = 2371 ("+toml+", line 1)\nproblem "+toml+", line 2: there is no key \"adress\"")
	got = once(t, "dll", "status", "--game", game, "--format", "ndjson")
	assert.Contains(t, got.out, `{"type":"setting","key":"udp","value":"2371","where":"`)
	assert.Contains(t, got.out, `{"type":"problem","where":"`)
	require.NoError(t, os.Remove(toml))

	got = once(t, "dll", "remove", "--game", game)
	assert.Equal(t, "removed   dplayx.dll: dplay's v1.2.3, 32 bits\nremoved   dplay.dll: dplay's v1.2.3, 32 bits\nin "+game+"\n", got.out)
	got = once(t, "dll", "remove", "--game", game)
	assert.Equal(t, result{exitOK, "nothing of dplay is in " + game + "\n", ""}, got)
	entries, err := os.ReadDir(game)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "the game alone")
}

// TestDLLLeft removes the DLLs of a game in which somebody replaced one: nothing says how to start the game with them.
func TestDLLLeft(t *testing.T) {
	t.Parallel()
	game, from := t.TempDir(), dropintest.Release(t, "v1.2.3")
	dropintest.Put(t, dropintest.Game.Octets(), game, "castle.exe")
	dropintest.Put(t, dropintest.Microsoft.Octets(), game, "dplayx.dll")
	once(t, "dll", "install", "--game", game, "--from", from)
	dropintest.Put(t, dropintest.Microsoft.Octets(), game, "dplayx.dll")
	got := once(t, "dll", "remove", "--game", game)
	assert.Equal(t, "left      dplayx.dll: Microsoft's 5.3.2600, 32 bits: it is not ours; what was there before is dplayx.dll.before-dplay4\n"+
		"removed   dplay.dll: dplay's v1.2.3, 32 bits\nin "+game+"\n", got.out)
}

// TestDLLRefuses says what is wrong with the command line, and with what it names.
func TestDLLRefuses(t *testing.T) {
	t.Parallel()
	nothing, game := t.TempDir(), t.TempDir()
	dropintest.Put(t, dropintest.Game.Octets(), game, "castle.exe")
	for want, args := range map[string][]string{
		"which one? install, status, remove or config":         {},
		`there is no "statsu": install`:                        {"statsu"},
		"either --wine-prefix or --game: where are the games?": {"status", "--wine-prefix", nothing, "--game", nothing},
	} {
		got := once(t, append([]string{"dll"}, args...)...)
		assert.Equal(t, exitUsage, got.status, want)
		assert.Contains(t, got.err, want)
	}
	for want, args := range map[string][]string{
		nothing + " is no Wine prefix":                 {"status", "--wine-prefix", nothing},
		nothing + " has no program of Windows in it":   {"status", "--game", nothing},
		"there is no " + filepath.Join(nothing, "win"): {"install", "--from", nothing, "--game", game},
	} {
		got := once(t, append([]string{"dll"}, args...)...)
		assert.Equal(t, exitInput, got.status, want)
		assert.Contains(t, got.err, want)
	}
}
