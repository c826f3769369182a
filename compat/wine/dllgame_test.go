//go:build linux

package wine_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// turns is how many turns a game has, of 50 ms.
const turns = 200

// dplayProgram stands for "dplay host" and "dplay join" where a game's DLL is named by its architecture.
const dplayProgram = "dplay"

// TestDLLGame plays a game that calls DirectPlay as one of 1997 does (facts, dll 1 to 4), on our DLL in both architectures, on
// Wine's own, and with dplay: whoever hosts, every turn of everybody arrives once and whole, and nobody waits in a call.
func TestDLLGame(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for name, players := range map[string]struct {
		host, password string
		joiners        []string
		group          bool
	}{
		"DLL hosts, DLL and Wine join":      {"386", "sesame", []string{"amd64", builtin}, true},
		"DLL hosts, dplay joins":            {"386", "", []string{dplayProgram}, false},
		"64-bit DLL hosts, Wine joins":      {"amd64", "", []string{builtin}, true},
		"64-bit DLL hosts, DLL joins":       {"amd64", "sesame", []string{"386", dplayProgram}, false},
		"dplay hosts, DLL and Wine join":    {dplayProgram, "sesame", []string{"386", builtin}, false},
		"dplay hosts, the 64-bit DLL joins": {dplayProgram, "", []string{"amd64"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			s := &gameSession{lab: lab, password: players.password, group: players.group, large: []int{9000, 60000}}
			s.plays(ctx, t, players.host, players.joiners...)
		})
	}
}

// A gameSession is a game to its end, with everybody who plays it.
type gameSession struct {
	lab      *wine.Lab
	password string
	group    bool
	large    []int

	plugged func(m *wine.Machine) // is told of each machine before its game starts; nil for nothing
	puppet  *puppet               // nil: none
	games   []*gamer              // the host first, if it is one
	names   []string              // of their players
}

// plays plays the game, and holds what each player saw against what the others did.
func (s *gameSession) plays(ctx context.Context, t *testing.T, host string, joiners ...string) {
	t.Helper()
	players := len(joiners) + 1
	s.begins(ctx, t, host, players, true)
	for _, with := range joiners {
		if s.group && with == builtin { // it ignores what changes in a group after it has joined
			for _, g := range s.games {
				g.wait(ctx, t, "the menu", func(f gameSaid) bool { return f.Event == "menu" }) // before that it enters the group
			}
		}
		s.begins(ctx, t, with, players, false)
	}
	if s.puppet != nil {
		s.puppet.turns, s.puppet.large, s.puppet.wanted, s.puppet.hosts = turns, s.large, players, host == dplayProgram
		s.puppet.play(ctx, t)
		if host != dplayProgram {
			s.puppet.end(t) // the host waits until it has left
		}
	}
	for i, g := range s.games {
		s.sees(ctx, t, g, s.names[i])
	}
	for i, g := range s.games {
		s.judge(ctx, t, g, s.names[i])
	}
	if s.puppet != nil {
		for i, g := range s.games {
			o := s.puppet.others[g.me]
			require.NotNil(t, o, "the puppet does not know %s", s.names[i])
			assert.Equal(t, s.names[i]+"/"+s.names[i], o.name)
			heardAll(t, s.names[i]+" at dplay", o.gameOther, s.large)
		}
	}
}

// begins starts one of the programs.
func (s *gameSession) begins(ctx context.Context, t *testing.T, with string, players int, hosts bool) {
	t.Helper()
	if with == dplayProgram {
		s.begunPuppet(ctx, t, hosts)
		return
	}
	args := []string{"password=" + s.password, "large=9000,60000"}
	if s.group {
		args = append(args, "group=1")
	}
	switch {
	case hosts:
		args = append(args, "role=host", "leave=close")
	case s.password != "":
		args = append(args, "wrong=open", "search=0x51") // who does not say PASSWORDREQUIRED does not find it
	}
	if len(s.games)%2 == 1 {
		args = append(args, "provider=guid")
	}
	if with != builtin {
		args = append(args, "status=1")
	}
	m := newGameMachine(ctx, t, s.lab, with)
	if s.plugged != nil {
		s.plugged(m.windows)
	}
	game := m.plays(ctx, t, with, append(args, fmt.Sprintf("players=%d", players))...)
	s.games, s.names = append(s.games, game), append(s.names, with)
	if hosts {
		assert.Equal(t, "DP_OK", game.wait(ctx, t, "open", func(f gameSaid) bool { return f.Event == "open" }).HR)
	}
}

// begunPuppet starts dplay.
func (s *gameSession) begunPuppet(ctx context.Context, t *testing.T, hosts bool) {
	t.Helper()
	m, err := s.lab.Machine(ctx, dplayProgram)
	require.NoError(t, err)
	args := []string{"join", "--session", "game", "--timeout", "10m"}
	if hosts {
		args = []string{"host", "--app", application, "--name", "game", "--max", "8", "--flags", "keepalive,nodatamessages"}
	}
	if s.password != "" {
		args = append(args, "--password", s.password)
	}
	args = append(args, "--player", "dplay", "--commands", "ndjson")
	s.puppet = newPuppet(ctx, t, m.Command(ctx, buildDplay(t), args...))
}

// sees looks at what a game saw until it was in the session, and learns its player's id.
func (s *gameSession) sees(ctx context.Context, t *testing.T, g *gamer, name string) {
	t.Helper()
	providers := g.next(ctx, t, "providers")
	assert.Len(t, providers.Names, 4, "%q: the buttons of a menu go by their number", providers.Names)
	assert.Equal(t, name != builtin, strings.EqualFold(providers.DLL, `Z:\opt\dplay\dll\dplayx.dll`), providers.DLL)
	if g != s.games[0] || s.puppet != nil && s.puppet.hosts {
		found := g.next(ctx, t, "session")
		assert.Equal(t, application, found.Application.String())
		assert.Equal(t, wire.SessionKeepAlive|wire.SessionNoDataMessages, wire.SessionFlags(found.Flags)&0xC5)
		assert.Equal(t, []any{"game", uint32(8)}, []any{found.Name, found.Max})
		if s.password != "" {
			assert.Equal(t, "DPERR_INVALIDPASSWORD", g.next(ctx, t, "open").HR)
		}
		opened := g.next(ctx, t, "open")
		assert.Equal(t, "DP_OK", opened.HR)
	}
	entered := g.enters(ctx, t)
	for _, p := range entered.List {
		assert.Equal(t, p.Short, p.Long)
		assert.Contains(t, append(slices.Clone(s.names), dplayProgram), p.Short)
	}
	assert.Contains(t, entered.List, gamePlayer{ID: g.me, Short: name, Long: name})
}

// judge holds a game's report against what everybody did.
func (s *gameSession) judge(ctx context.Context, t *testing.T, g *gamer, name string) {
	t.Helper()
	r := g.report(ctx, t)
	assert.Equal(t, turns, r.Played)
	assert.False(t, r.Lost)
	others := len(s.games) - 1
	if s.puppet != nil {
		others++
	}
	assert.Len(t, r.Others, others)
	for _, o := range r.Others {
		heardAll(t, o.ID.String()+" at "+name, o, s.large)
		if s.group {
			assert.Equal(t, 1, o.Group, "%s said one thing to the group, heard by %s", o.ID, name)
		}
	}
	assert.GreaterOrEqual(t, r.TooSmall, 2, "the buffer grew")
	assert.Zero(t, r.References)
	if name == builtin {
		return
	}
	bearable(t, r)
	for _, f := range g.kept {
		if f.Event == "play" || f.Event == "desc" {
			assert.Equal(t, f.Players, f.Described, "dwCurrentPlayers at %s: %+v", name, f)
		}
	}
	assert.Contains(t, g.told("play"), "play")
	if g == s.games[0] && r.Calls["Close"].N > 0 {
		assert.Equal(t, []wine.Word{0, wine.Word(wire.ErrInvalidPlayer)}, []wine.Word{r.Close, r.Destroy}, "Close, then DestroyPlayer")
		for _, l := range r.Last {
			assert.Equal(t, "DPERR_INVALIDPLAYER", l.HR, "%s has left", l.ID)
		}
		return
	}
	locked := slices.ContainsFunc(g.kept, func(f gameSaid) bool { return f.Event == "desc" && f.Flags&0xE1 == 0xE1 })
	assert.True(t, locked, "%s was told that nobody can join any more: %+v", name, g.told("desc"))
}

// TestDLLGameHostKilled kills the host of a session without MIGRATEHOST in the middle of the play. The others lose every player,
// then the session; nobody hangs, and what they send is for nobody (facts, dll 3).
func TestDLLGameHostKilled(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	host := newGameMachine(ctx, t, lab, "386").plays(ctx, t, "host", "role=host", "players=3")
	host.next(ctx, t, "open")
	var left []*gamer
	for _, with := range []string{"386", "amd64"} {
		left = append(left, newGameMachine(ctx, t, lab, with).plays(ctx, t, with, "players=3"))
	}
	host.next(ctx, t, "turn")
	host.kill(t)
	for _, g := range left {
		g.next(ctx, t, "lost")
	}
	for _, g := range left {
		assert.Equal(t, []string{"destroyed", "destroyed"}, g.told("destroyed"), "before the session is lost")
		r := g.report(ctx, t)
		assert.Equal(t, turns, r.Played, "it plays on, alone")
		assert.True(t, r.Lost)
		require.Len(t, r.Others, 2)
		for _, l := range r.Last {
			assert.Equal(t, "DPERR_INVALIDPLAYER", l.HR)
		}
		for name, c := range r.Calls { // dll/game says "hangs" where nothing else runs either
			if name != "Open" && name != "CreatePlayer" && os.Getenv("DPLAY_QUIET") != "" {
				assert.Less(t, c.OwnWorst, mostOther, "nobody hangs in %s", name)
			}
		}
		bearable(t, r)
		assert.Zero(t, r.References)
	}
}

// TestDLLGameTakesOver kills the host of a session with MIGRATEHOST while others are in its menu: one of them is told that it is host,
// newcomers find it, and it begins the play.
func TestDLLGameTakesOver(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	machine := newGameMachine(ctx, t, lab, "386")
	host := machine.plays(ctx, t, "host", "role=host", "players=8", "flags=0x44")
	host.next(ctx, t, "open")
	var games []*gamer
	for _, with := range []string{"amd64", "386"} {
		games = append(games, newGameMachine(ctx, t, lab, with).plays(ctx, t, with, "players=4", "takes-over=1", "locked=0"))
	}
	for _, g := range games {
		g.wait(ctx, t, "three players", func(s gameSaid) bool { return s.Event == "menu" && s.Players == 3 })
	}
	host.kill(t)
	killed := time.Now()
	successor := first(ctx, t, games, "host")
	t.Logf("%s is host after %s", successor.label, time.Since(killed))
	games = append(games, machine.plays(ctx, t, "again", "players=4"),
		newGameMachine(ctx, t, lab, builtin).plays(ctx, t, builtin, "players=4"))
	for _, g := range games {
		if r := g.report(ctx, t); assert.Equal(t, turns, r.Played) {
			here := 0
			for _, o := range r.Others {
				if o.Turns > 0 {
					here++
					heardAll(t, o.ID.String()+" at "+g.label, o, nil)
				}
			}
			assert.Equal(t, 3, here)
			assert.Equal(t, g == successor, r.Host)
			assert.False(t, r.Lost)
		}
	}
}

// first returns the first of some games that says something.
func first(ctx context.Context, t *testing.T, games []*gamer, event string) *gamer {
	t.Helper()
	require.Len(t, games, 2)
	for {
		var g *gamer
		var s gameSaid
		select {
		case s = <-games[0].said:
			g = games[0]
		case s = <-games[1].said:
			g = games[1]
		case <-ctx.Done():
			require.NoError(t, ctx.Err(), event)
		}
		if s.Event == event {
			return g
		}
		g.kept = append(g.kept, s)
	}
}

// TestDLLGameLobby starts two games as a lobby does: one hosts, and the other one joins at the address that the lobby names
// (facts, dll 5).
func TestDLLGameLobby(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	text := func(s string) *string { return &s }
	name := text("lobbied")
	settings := &directplay.Settings{Flags: directplay.OpenCreate, Provider: directplay.ProviderTCP,
		Session: &directplay.SessionDesc{Application: guidOf(t, application), Name: name},
		Player:  &directplay.Name{Short: text("Ann"), Long: text("Ann")}}
	hosts := newGameMachine(ctx, t, lab, "386")
	host := hosts.lobbied(ctx, t, "Ann", settings, "leave=close", "players=2")
	read := host.next(ctx, t, "settings")
	assert.Equal(t, []any{"lobbied", "Ann"}, []any{read.Session, read.Player})
	opened := host.next(ctx, t, "description")
	assert.Equal(t, []any{"lobbied", uint32(8), wine.Word(0xC0)}, []any{opened.Name, opened.Max, opened.Flags})
	assert.Equal(t, "DPERR_BUFFERTOOSMALL", opened.HR, "there is no room for the name")
	assert.Greater(t, opened.Size, opened.Structure)

	settings.Flags = directplay.OpenJoin
	settings.Session.Instance = wire.GUID(opened.Instance)
	settings.Address = directplay.AppendAddress(nil,
		directplay.Chunk{Type: directplay.AddressServiceProvider, Data: directplay.ProviderTCP[:]},
		directplay.Chunk{Type: directplay.AddressINet, Data: append([]byte(hosts.windows.Addr().String()), 0)})
	settings.Player = &directplay.Name{Short: text("Ben"), Long: text("Ben")}
	joiner := newGameMachine(ctx, t, lab, "amd64").lobbied(ctx, t, "Ben", settings, "players=2")
	joined := joiner.next(ctx, t, "description")
	assert.Equal(t, opened.Instance, joined.Instance)
	games := []*gamer{host, joiner}
	for i, g := range games {
		entered := g.enters(ctx, t)
		assert.Contains(t, entered.List, gamePlayer{ID: g.me, Short: []string{"Ann", "Ben"}[i], Long: []string{"Ann", "Ben"}[i]})
	}
	for _, g := range games {
		r := g.report(ctx, t)
		require.Len(t, r.Others, 1)
		heardAll(t, g.label, r.Others[0], nil)
		bearable(t, r)
	}
}

// lobbied starts the game as a lobby would.
func (g *gameMachine) lobbied(ctx context.Context, t *testing.T, label string, s *directplay.Settings, args ...string) *gamer {
	t.Helper()
	v, err := directplay.SettingsVariable(s)
	require.NoError(t, err)
	before := g.environment
	g.environment = append(slices.Clone(before), directplay.EnvironmentSettings+"="+v)
	defer func() { g.environment = before }()
	return g.plays(ctx, t, label, append(args, "role=lobby")...)
}

// guidOf reads a GUID.
func guidOf(t *testing.T, s string) wire.GUID {
	t.Helper()
	g, err := wire.ParseGUID(s)
	require.NoError(t, err)
	return g
}
