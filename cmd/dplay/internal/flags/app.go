package flags

import (
	"dplay4/cmd/dplay/internal/games"
	"dplay4/wire"
)

// An App is a game: a GUID, or the name of one that is known.
type App struct {
	text string
	GUID wire.GUID // zero: not given
}

// String returns what was given.
func (a *App) String() string { return a.text }

// Set takes a GUID or a name.
func (a *App) Set(s string) error {
	g, err := games.Parse(s)
	if err == nil {
		a.text, a.GUID = s, g
	}
	return err
}

// Type returns what help shows for the value.
func (a *App) Type() string { return "GUID|NAME" }
