package flags

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp/games"
	"dplay4/wire"
)

// An App is a game: a GUID, or the name of one that is known.
type App struct {
	text  string
	flags wire.SessionFlags
	GUID  wire.GUID // zero is GUID_NULL if Given, under which games host that have no GUID of their own
}

// Given reports whether a game was named.
func (a *App) Given() bool { return a.text != "" }

// String returns what was given.
func (a *App) String() string { return a.text }

// Set takes a GUID or a name.
func (a *App) Set(s string) error {
	g, err := parseApp(s)
	if err == nil {
		a.text, a.flags, a.GUID = s, g.Flags, g.GUID
	}
	return err
}

// Type returns what help shows for the value.
func (a *App) Type() string { return "GUID|NAME" }

// SessionFlags returns the flags of the sessions that the game hosts; 0 if they are not known.
func (a *App) SessionFlags() wire.SessionFlags { return a.flags }

// parseApp reads a GUID, or the name of a game. Of a GUID that no known game has only that is returned.
func parseApp(s string) (games.Game, error) {
	if guid, err := wire.ParseGUID(s); err == nil {
		g, _ := gamelist.Games().ByGUID(guid)
		g.GUID = guid
		return g, nil
	}
	return FindGame(s)
}

// FindGame returns the game with a name; the error suggests others, and says how to get at games that are not known.
func FindGame(s string) (games.Game, error) {
	list := gamelist.Games()
	if g, ok := list.ByName(s); ok {
		return g, nil
	}
	if err := gamelist.Err(); err != nil { // it may be one of the user's own
		return games.Game{}, fmt.Errorf("no such game among those that this program knows, and the list of your own is not used: %w", err)
	}
	if meant := suggestion(s, list); meant != "" {
		return games.Game{}, fmt.Errorf("no game is known by this name%s \"dplay games\" lists them all", meant)
	}
	return games.Game{}, errors.New("no game is known by this name; \"dplay games\" lists them. Any other is taken by its GUID, {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, which \"dplay sessions\" shows while it hosts")
}

// suggestion says which games may be meant, as cli.Nearest does: those whose title has the word, too.
func suggestion(s string, list games.List) string {
	bare := games.Bare(s)
	var names, within []string
	for _, g := range list {
		names = append(names, games.Bare(g.Short), games.Bare(g.Title))
		if strings.Contains(games.Bare(g.Title), bare) {
			within = append(within, cmp.Or(g.Short, strconv.Quote(g.Title))+" for "+g.Title)
		}
	}
	if len(bare) >= 3 && len(within) > 0 {
		return ": did you mean " + strings.Join(within[:min(4, len(within))], ", ") + "?"
	}
	return cli.Nearest(bare, names)
}

// GameNames returns the games that can be named, as shells offer them.
func GameNames() (list []cobra.Completion) {
	for _, g := range gamelist.Games() {
		list = append(list, cobra.CompletionWithDesc(cmp.Or(g.Short, g.Title), g.Title))
	}
	return list
}

func (a *App) offers() []cobra.Completion { return GameNames() }

// AppHelp says for a command's help what --app takes. The user's own games are not in it: help is the same everywhere.
func AppHelp() string {
	var names []string
	for _, g := range games.All() {
		names = append(names, g.Short)
	}
	return `Games:
  --app takes a game by its name, its short name, or its GUID. "dplay games" lists those that are known, and says how to add your
  own: ` + strings.Join(names, ", ") + `. Of any other run "dplay sessions" without --app while it hosts: it shows the GUID.`
}
