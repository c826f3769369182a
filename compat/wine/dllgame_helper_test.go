//go:build linux

package wine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// What the game of dll/game says: a line for each thing that it saw, and at its end a report.
type gameSaid struct {
	Event string `json:"event"`
	T     int    `json:"t"` // milliseconds since it began

	DLL         string       `json:"dll"` // providers: the file that it loaded
	Names       []string     `json:"names"`
	Name        string       `json:"name"` // session
	Application wine.GUID    `json:"application"`
	Instance    wine.GUID    `json:"instance"` // open, settings
	Flags       wine.Word    `json:"flags"`    // session, desc
	Max         uint32       `json:"max_players"`
	Players     int          `json:"players"`   // session, menu, play, desc
	Described   int          `json:"described"` // play, desc: the number of players in the description
	Me          wine.Word    `json:"me"`        // players
	List        []gamePlayer `json:"list"`
	gamePlayer               // created, destroyed
	HR          string       `json:"hr"` // open, fails
	Microsecond int          `json:"us"`
	What        string       `json:"what"` // fails
	Detail      string       `json:"detail"`
	Turn        int          `json:"turn"`
	For         []wine.Word  `json:"for"`     // stuck: whose turn did not come
	Session     string       `json:"session"` // settings
	Player      string       `json:"player"`
	AddressSize int          `json:"address_size"`
	Size        int          `json:"size"` // description
	Structure   int          `json:"structure"`

	gameReport
}

type gamePlayer struct {
	ID    wine.Word `json:"id"`
	Short string    `json:"short"`
	Long  string    `json:"long"`
}

// A gameReport is what a player knows at the end.
type gameReport struct {
	Lost       bool                `json:"lost"` // the session is
	Host       bool                `json:"host"` // it is host
	Received   int                 `json:"received"`
	Empty      int                 `json:"empty"`     // polls that found nothing
	TooSmall   int                 `json:"too_small"` // buffers that had to grow
	Played     int                 `json:"played"`
	Waited     callTimes           `json:"waited"` // for the others' turns
	Others     []gameOther         `json:"others"`
	Members    []wine.Word         `json:"members"` // of the group
	Last       []gameLast          `json:"last"`    // what Send said of each at the end
	Close      wine.Word           `json:"close"`
	Destroy    wine.Word           `json:"destroy_player"`
	References int                 `json:"references"`
	Calls      map[string]callTime `json:"calls"`
	Stops      int                 `json:"stops"` // of the machine: see calls.c
}

// A gameOther is what a player heard from another one.
type gameOther struct {
	ID           wine.Word `json:"id"`
	Here         bool      `json:"here"`
	GivenUp      bool      `json:"given_up"`
	Done         bool      `json:"done"`
	Turns        int       `json:"turns"`
	Twice        int       `json:"twice"`
	Damaged      int       `json:"damaged"`
	Acknowledged int       `json:"acknowledged"`
	Menu         int       `json:"menu"`
	Asides       int       `json:"asides"`
	Group        int       `json:"group"`
	Gaps         int       `json:"gaps"`
	Large        []int     `json:"large"`
}

type gameLast struct {
	ID wine.Word `json:"id"`
	HR string    `json:"hr"`
}

// callTimes are in microseconds.
type callTimes struct {
	N      int `json:"n"`
	Median int `json:"median_us"`
	Worst  int `json:"worst_us"`
}

type callTime struct {
	callTimes
	OwnWorst int `json:"own_worst_us"` // without the time in which the machine stopped everybody
}

// builtin stands for Wine's own DLL where one of ours is named by its architecture.
const builtin = "builtin"

// A gameMachine is a Wine machine that the game is installed on.
type gameMachine struct {
	*windowsBuild
	program string
}

// newGameMachine plugs in a machine with the game. with is the architecture of our DLL, or builtin.
func newGameMachine(ctx context.Context, t *testing.T, lab *wine.Lab, with string) *gameMachine {
	t.Helper()
	g := &gameMachine{windowsBuild: new(windowsBuild)}
	if with == builtin {
		g.boot(ctx, t, lab, "386")
		g.program = "/opt/dplay/game.exe"
		g.put(t, buildGame(t, "386"), g.program)
		return g
	}
	g.boot(ctx, t, lab, with)
	g.program = g.putDLLs(ctx, t, with, buildGame(t, with))
	return g
}

// buildGame compiles the game.
func buildGame(t *testing.T, arch string) string {
	t.Helper()
	compiles(t, arch)
	return filepath.Join(buildOnce(t, "game-"+arch, func(dir string) *exec.Cmd {
		sources, err := filepath.Glob("dll/game/*.c")
		require.NoError(t, err)
		args := append([]string{"-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-s", "-o", filepath.Join(dir, "game.exe")}, sources...)
		return exec.Command(mingw[arch], append(args, "client/json.c", "client/hresult.c", "-ldxguid", "-lole32", "-luuid")...)
	}), "game.exe")
}

// A gamer is a game at work.
type gamer struct {
	*process[gameSaid]
	me    wine.Word
	label string
}

// plays starts the game. Its arguments are KEY=VALUE; label is what the test calls it.
func (g *gameMachine) plays(ctx context.Context, t *testing.T, label string, args ...string) *gamer {
	t.Helper()
	cmd := g.command(ctx, g.program, append(args, "name="+label)...)
	return &gamer{process: start[gameSaid](t, cmd), label: label}
}

// next returns the next thing of a kind that it said.
func (g *gamer) next(ctx context.Context, t *testing.T, event string) gameSaid {
	t.Helper()
	return g.wait(ctx, t, event, func(s gameSaid) bool { return s.Event == event })
}

// wait returns the first thing that fits, and takes it away. A game that fails says why, and that fails the test.
func (g *gamer) wait(ctx context.Context, t *testing.T, what string, fits func(gameSaid) bool) gameSaid {
	t.Helper()
	bad := []string{"fails", "crash", "hangs", "usage", "damaged", "stuck", "send"}
	s := g.find(ctx, t, g.label+": "+what, func(s gameSaid) bool { return slices.Contains(bad, s.Event) || fits(s) })
	require.True(t, fits(s), "%s, waiting for %s: %+v", g.label, what, s)
	return s
}

// enters waits until the game has found its session and has its player.
func (g *gamer) enters(ctx context.Context, t *testing.T) gameSaid {
	t.Helper()
	s := g.next(ctx, t, "players")
	g.me = s.Me
	return s
}

// told returns the kinds of things that it said and nobody waited for.
func (g *gamer) told(kinds ...string) (all []string) {
	for _, s := range g.kept {
		if slices.Contains(kinds, s.Event) {
			all = append(all, s.Event)
		}
	}
	return all
}

// report waits for the end of the game.
func (g *gamer) report(ctx context.Context, t *testing.T) gameSaid {
	t.Helper()
	r := g.next(ctx, t, "end")
	var calls []string
	for name, c := range r.Calls {
		calls = append(calls, fmt.Sprintf("%s %d times, %d us, worst %d us (own %d us)", name, c.N, c.Median, c.Worst, c.OwnWorst))
	}
	slices.Sort(calls)
	t.Logf("%s: %d messages, %d empty polls, a turn waits %d us, at worst %d us; the machine stopped %d times\n\t%s", g.label,
		r.Received, r.Empty, r.Waited.Median, r.Waited.Worst, r.Stops, strings.Join(calls, "\n\t"))
	g.end(t)
	return r
}

// The times that a game can bear: DirectPlay is called from what draws the picture.
const (
	mostReceive = 20_000 // microseconds
	mostSearch  = 50_000
	mostOther   = 1_000_000 // also while its host is lost
)

// bearable holds the times of calls against what a game can bear, where DPLAY_QUIET says that nothing else runs on the machine.
func bearable(t *testing.T, r gameSaid) {
	t.Helper()
	if os.Getenv("DPLAY_QUIET") == "" {
		return
	}
	assert.LessOrEqual(t, r.Calls["Receive"].OwnWorst, mostReceive)
	assert.Less(t, r.Calls["EnumSessions"].OwnWorst, mostSearch)
}

// heardAll holds that a player heard all that another one said: every turn once and whole, what was guaranteed without gaps.
func heardAll(t *testing.T, who string, o gameOther, large []int) {
	t.Helper()
	assert.Equal(t, []int{turns, 0, 0, turns, 0}, []int{o.Turns, o.Twice, o.Damaged, o.Acknowledged, o.Gaps},
		"%s: turns, twice, damaged, acknowledged, gaps: %+v", who, o)
	assert.ElementsMatch(t, large, o.Large, who)
	assert.Positive(t, o.Menu, who)
	assert.True(t, o.Done, who)
}
