package flags

import (
	"fmt"
	"strings"

	"dplay4/dpsp/games"
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
	g, err := parseApp(s)
	if err == nil {
		a.text, a.GUID = s, g
	}
	return err
}

// Type returns what help shows for the value.
func (a *App) Type() string { return "GUID|NAME" }

// parseApp reads a GUID, or the name of a game whose GUID is known.
func parseApp(s string) (wire.GUID, error) {
	if g, err := wire.ParseGUID(s); err == nil {
		if g.IsZero() {
			return g, fmt.Errorf("%s is no game's GUID", s)
		}
		return g, nil
	}
	g, ok := games.ByName(s)
	switch {
	case !ok:
		return wire.GUID{}, fmt.Errorf("no game is known by this name, only %s; any other is taken by its GUID, "+
			"{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, which \"dplay sessions\" shows while it hosts", strings.Join(appNames(), ", "))
	case g.GUID.IsZero():
		return wire.GUID{}, fmt.Errorf("the GUID of %s is needed, no source of this project gives it: run \"dplay sessions\" "+
			"while the game hosts, and give what stands there", g.Title)
	}
	return g.GUID, nil
}

// appNames returns the games whose GUID is known, as people type them.
func appNames() (all []string) {
	for _, g := range games.All() {
		if !g.GUID.IsZero() {
			all = append(all, g.Short+" for "+g.Title)
		}
	}
	return all
}

// AppHelp lists the games for a command's help.
func AppHelp() string {
	var b strings.Builder
	b.WriteString("Games that --app knows by name:\n")
	var missing []string
	for _, g := range games.All() {
		if g.GUID.IsZero() {
			missing = append(missing, g.Title)
			continue
		}
		fmt.Fprintf(&b, "  %s, or %s: %s\n    text: %s; ", g.Title, g.Short, g.GUID, g.Text)
		if g.StreamPorts != (wire.Ports{}) {
			fmt.Fprintf(&b, "ports: TCP %s, UDP %s; ", g.StreamPorts, g.DatagramPorts)
		}
		fmt.Fprintf(&b, "source: %s\n", g.Source)
	}
	fmt.Fprintf(&b, "  Not known yet: %s.\n  Run \"dplay sessions\" without --app while such a game hosts: it shows the GUID.",
		strings.Join(missing, ", "))
	return b.String()
}
