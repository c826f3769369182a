package doctor

import "dplay4/wire"

var sessionFull = rule{
	code: "session-full", severity: Failure,
	cause: "the session has as many players as the host allows. Some hosts count machines as players, and " +
		"some keep the place of a player who crashed until he is given up.",
	advice: "Let the host allow more players, or wait until one has left; after a crash, wait a minute and try again.",
	capture: func(c *Case) []Finding {
		return refusals(c, func(r *Refusal) bool {
			return noRoom(r) && r.Flags&(wire.SessionJoinDisabled|wire.SessionNewPlayersDisabled) == 0
		}, "the session is full")
	},
}
