package main

import (
	"fmt"
	"strings"

	"dplay4/wire"
)

// playersText says how many players there are and may be: "2 of 8 players", or "2 players" without a limit.
func playersText(d *wire.SessionDesc) string {
	if d.MaxPlayers == 0 {
		return fmt.Sprintf("%d players", d.CurrentPlayers)
	}
	return fmt.Sprintf("%d of %d players", d.CurrentPlayers, d.MaxPlayers)
}

// playersColumn says it in a column for players: "2 of 8", or "2".
func playersColumn(d *wire.SessionDesc) string {
	if d.MaxPlayers == 0 {
		return fmt.Sprint(d.CurrentPlayers)
	}
	return fmt.Sprintf("%d of %d", d.CurrentPlayers, d.MaxPlayers)
}

// flagsText gives the names of a session's flags as --flags takes them; "no flags" for none.
func flagsText(d *wire.SessionDesc) string {
	if d.Flags == 0 {
		return "no flags"
	}
	return strings.ToLower(strings.ReplaceAll(d.Flags.String(), "|", ","))
}

// appText gives the name of a game, or its GUID.
func appText(g wire.GUID) string {
	if title := gameTitle(g); title != "" {
		return title
	}
	return g.String()
}
