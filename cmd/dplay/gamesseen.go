package main

import (
	"fmt"
	"slices"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/wire"
)

// mostGamesSeen bounds the games of a capture that are named.
const mostGamesSeen = 16

// gamesSeen are the applications that messages named, in the order in which they were met.
type gamesSeen []wire.GUID

// note takes a message.
func (g *gamesSeen) note(r *captures.Record) {
	var app wire.GUID
	switch m := r.Envelope.Message.(type) {
	case *wire.EnumSessions:
		app = m.Application
	case *wire.EnumSessionsReply:
		app = m.Desc.Application
	case *wire.SuperEnumPlayersReply:
		app = m.Desc.Application
	case *wire.SessionDescChanged:
		app = m.Desc.Application
	}
	if !app.IsZero() && len(*g) < mostGamesSeen && !slices.Contains(*g, app) {
		*g = append(*g, app)
	}
}

// append appends a line for each game: what it is called, and how other commands take it.
func (g gamesSeen) append(b []byte) []byte {
	for _, app := range g {
		game, ok := gamelist.Games().ByGUID(app)
		switch {
		case !ok:
			b = fmt.Appendf(b, "  Game: one that \"dplay games\" does not list; other commands take it by --app %s.\n", app)
		case game.Short == "":
			b = fmt.Appendf(b, "  Game: %s (--app '%s').\n", game.Title, game.Title)
		default:
			b = fmt.Appendf(b, "  Game: %s (--app %s).\n", game.Title, game.Short)
		}
	}
	return b
}
