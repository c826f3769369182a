package doctor

import "dplay4/wire"

var joinDisabled = rule{
	code: "join-disabled", severity: Failure,
	cause:  "the host has closed the session: most games do that when the game begins.",
	advice: "Join before the host starts the game, or let the host open the session again.",
	capture: func(c *Case) []Finding {
		return refusals(c, func(r *Refusal) bool {
			return noRoom(r) && r.Flags&wire.SessionJoinDisabled != 0
		}, because("the host lets nobody join any more"))
	},
	live: func(l *Live) []Finding {
		return l.barred(closed, func(o *LiveOffer) (string, Evidence) {
			return "is closed: the host lets nobody join any more", o.show("Flags", o.Flags.String())
		})
	},
}
