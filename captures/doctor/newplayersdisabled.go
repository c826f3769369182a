package doctor

import "dplay4/wire"

var newPlayersDisabled = rule{
	code: "new-players-disabled", severity: Failure,
	cause:  "the host takes no new players: most games do that when the game begins.",
	advice: "Join before the host starts the game, or let the host allow new players again.",
	capture: func(c *Case) []Finding {
		return refusals(c, func(r *Refusal) bool {
			return noRoom(r) && r.Flags&(wire.SessionNewPlayersDisabled|wire.SessionJoinDisabled) == wire.SessionNewPlayersDisabled
		}, because("the host takes no new players"))
	},
	live: func(l *Live) []Finding {
		return l.barred(noNewPlayers, func(o *LiveOffer) (string, Evidence) {
			return "takes no new players", o.show("Flags", o.Flags.String())
		})
	},
}
