package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp/games"
)

// ownGames makes a file of the user's games, and returns its path. It is gone with the test.
func ownGames(t *testing.T, text string) string {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	path, err := gamelist.Path()
	require.NoError(t, err)
	if text != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return path
}

const monstersGame = "[[game]]\nname = \"Monsters II\"\nshort = \"monsters2\"\nguid = \"{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}\"\n" +
	"text = \"8bit\"\nflags = \"migratehost\"\ntcp = \"31000\"\n"

// TestGames lists the games as a table and in JSON, and says all about one.
func TestGames(t *testing.T) {
	path := ownGames(t, monstersGame)
	list := dplay(t, "games")
	require.Equal(t, exitOK, list.status)
	assert.Regexp(t, `(?m)\ANAME +GAME +FLAGS +TEXT +PORTS\nmonsters2 +Monsters II +0x4 +8-bit +31000\naoe +Age of Empires +8-bit\n`, list.out)
	assert.Contains(t, strings.Join(strings.Fields(list.out), " "), "Yours stand first, from "+path+".")
	for line := range strings.Lines(list.out) {
		assert.LessOrEqual(t, len([]rune(line)), 81+len(path))
	}
	for _, words := range [][]string{{"monsters2"}, {"Monsters", "II"}, {"{BDCFE03E-F0EC-415B-8211-6F86D8197FE1}"}} {
		assert.Equal(t, "Monsters II\n  --app     monsters2\n  GUID      {bdcfe03e-f0ec-415b-8211-6f86d8197fe1}\n"+
			"  sessions  0x4: migratehost\n  text      8-bit\n  ports     TCP 31000, UDP 2350-2399; who hosts: TCP and UDP 47624 as well\n"+
			"  source    "+path+"\n", dplay(t, append([]string{"games"}, words...)...).out)
	}
	assert.Contains(t, dplay(t, "games", "jk").out, "sessions  flags not known\n")
	assert.Contains(t, dplay(t, "games", "blitz3d").out, "--app     blitz3d\n  GUID      {00000000-0000-0000-0000-000000000000}\n")
	var names []string
	for line := range strings.Lines(dplay(t, "games", "--format", "ndjson").out) {
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &o))
		assert.Equal(t, "game", o["type"])
		assert.Equal(t, o["name"] == "Monsters II", o["own"])
		names = append(names, o["name"].(string))
	}
	assert.Len(t, names, len(games.All())+1)
	shc := dplay(t, "games", "shc", "--format", "ndjson").out
	assert.Contains(t, shc, `"flags":{"value":41028,"names":["MIGRATEHOST","KEEPALIVE","DIRECTPLAYPROTOCOL","OPTIMIZELATENCY"]},`+
		`"asking":{"value":145,"names":["AVAILABLE","ASYNC","RETURNSTATUS"]}`)
	for _, c := range [][2]string{
		{"crusade", "dplay: crusade: no game is known by this name: did you mean shc for Stronghold Crusader,"},
		{"{11111111-2222-3333-4444-555555555555}", "no game with this GUID is known; --app {11111111-"},
	} {
		got := dplay(t, "games", c[0])
		assert.Equal(t, exitUsage, got.status)
		assert.Contains(t, got.err, c[1])
	}
	assert.Contains(t, dplay(t, "__complete", "games", "").out, "monsters2\tMonsters II\n")
}

// TestOwnGameHosted hosts a game of the user's own by its name: with its flags, unless others are given, and found by it.
func TestOwnGameHosted(t *testing.T) {
	ownGames(t, monstersGame)
	at := newPlace(t)
	host := func(more ...string) string {
		got := dplay(t, append([]string{"host", "--app", "monsters2", "--name", "Lair", "--for", "50ms", "--bind", at.address}, more...)...)
		require.Equal(t, exitOK, got.status, got.err)
		return got.out
	}
	assert.Regexp(t, `Monsters II, migratehost; TCP [0-9.]+:31000`, host())
	assert.Contains(t, host("--flags", "keepalive"), "Monsters II, keepalive;")
	assert.Contains(t, host("--flags", "none"), "Monsters II, no flags;")
}

// TestOwnGamesWrong: commands that can name games say once that the file is wrong, and where, and go on; others say nothing.
func TestOwnGamesWrong(t *testing.T) {
	path := ownGames(t, monstersGame+"colour = \"red\"\n")
	const wrong = ", line 8: there is no key \"game.colour\""
	for _, line := range []string{"decode " + lab(t, "02"), "doctor " + lab(t, "02"), "draw " + lab(t, "02"), "games",
		"annotate -o - " + lab(t, "02")} {
		got := dplay(t, strings.Fields(line)...)
		assert.NotEqual(t, exitUsage, got.status, line)
		assert.NotEmpty(t, got.out)
		assert.Equal(t, 1, strings.Count(got.err, "dplay: your own games are left out: "+path+wrong), "%s: %s", line, got.err)
	}
	for _, line := range []string{"version", "--help", "simulate --minutes 10", "help ports"} {
		got := dplay(t, strings.Fields(line)...)
		assert.Equal(t, exitOK, got.status, line)
		assert.NotContains(t, got.err, "games.toml", line)
	}
	at := newPlace(t)
	assert.Contains(t, dplay(t, at.sessions("--app", "monsters2", "--timeout", "1ms")...).err, wrong, "it may be in it")
	got := dplay(t, "games", "import", filepath.Join("testdata", "applications.reg"))
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, wrong)
}

// TestGamesImport imports the two files that there are, twice.
func TestGamesImport(t *testing.T) {
	path := ownGames(t, "")
	regedit, wine := filepath.Join("testdata", "applications.reg"), filepath.Join("testdata", "system.reg")
	const added = "added    Monsters II {bdcfe03e-f0ec-415b-8211-6f86d8197fe1}\n"
	const known = "known    Crusader, as Stronghold Crusader {1d5e2f48-e8c0-49e5-aed8-b124da9e3059}\n"
	got := dplay(t, "games", "import", "--dry-run", regedit)
	assert.Equal(t, result{exitOK, added + known + "2 games: 1 would be added to " + path + ", 1 known, 0 refused\n", ""}, got)
	assert.NoFileExists(t, path)
	got = dplay(t, "games", "import", regedit)
	assert.Equal(t, result{exitOK, added + known + "2 games: 1 added to " + path + ", 1 known, 0 refused\n", ""}, got)
	assert.Contains(t, dplay(t, "games", "Monsters II").out, "source    applications.reg, line 6\n")
	assert.Equal(t, "known    Monsters II {bdcfe03e-f0ec-415b-8211-6f86d8197fe1}\n1 game: 0 added to "+path+", 1 known, 0 refused\n",
		dplay(t, "games", "import", wine).out)
	for _, file := range []string{"no.reg", filepath.Join("testdata", "empty.reg"), lab(t, "02")} {
		got := dplay(t, "games", "import", file)
		assert.Equal(t, exitInput, got.status)
		assert.Contains(t, got.err, "dplay: "+file+": ")
	}
	assert.Equal(t, exitUsage, dplay(t, "games", "import").status)
}

// TestGamesSeen: decode and sessions name the games that are known, and say how to type the others, each once.
func TestGamesSeen(t *testing.T) {
	ownGames(t, "")
	const unknown = "--app {a052a50b-ffe0-11cf-9c4e-00a0c905425e}."
	got := dplay(t, "decode", lab(t, "02"))
	assert.Equal(t, 1, strings.Count(got.err, "\n  Game: one that \"dplay games\" does not list; other commands take it by "+unknown+"\n"), got.err)
	assert.NotContains(t, dplay(t, "decode", "-q", lab(t, "02")).err, "Game")
	ownGames(t, "[[game]]\nname = \"The Lab\"\nguid = \"{a052a50b-ffe0-11cf-9c4e-00a0c905425e}\"\n")
	assert.Contains(t, dplay(t, "decode", lab(t, "02")).err, "\n  Game: The Lab (--app 'The Lab').\n")
	assert.Contains(t, dplay(t, "annotate", lab(t, "02"), "-o", "-").out, " of the game The Lab {a052a50b-")

	at := newPlace(t)
	startHost(t, at)
	look := func(args ...string) result {
		return dplay(t, append([]string{"sessions", at.address, "--bind", at.address, "--timeout", anHour, "--until", "session_found"}, args...)...)
	}
	typed := "type it as --app " + at.app + ", or give it a name"
	assert.Equal(t, 1, strings.Count(look().err, "the game of \"Test\" is none that \"dplay games\" lists: "+typed))
	assert.Empty(t, look("--app", at.app).err, "who typed it knows")
	ownGames(t, "[[game]]\nname = \"The Test\"\nguid = \""+at.app+"\"\n")
	named := look()
	assert.Empty(t, named.err)
	assert.Regexp(t, `Test +\S+ +The Test `, named.out)
}
