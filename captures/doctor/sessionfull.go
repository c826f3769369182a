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
		}, tellFull)
	},
	live: func(l *Live) []Finding {
		return l.barred(full, func(o *LiveOffer) (string, Evidence) {
			players := itoa(int(o.Players)) + " of " + itoa(int(o.Max))
			return "is full: " + players + " players", o.show("CurrentPlayerCount", players)
		})
	},
}

// tellFull says that the session is full if its own description does, and otherwise no more than that the host takes
// nobody: the result code is the same for all reasons.
func tellFull(r *Refusal, f *Finding) {
	if r.Max > 0 && r.Players >= r.Max {
		f.Text += "the session is full"
		return
	}
	f.Text += "the host takes no more players"
	if r.Described && r.Max > 0 {
		f.Text += ", though it says " + itoa(int(r.Players)) + " of " + itoa(int(r.Max))
	} else if r.Described {
		f.Text += ", though it says that there is no limit"
	}
	f.Cause = "the host does not say why. It may count machines as players, keep the place of a player who crashed, or have begun the game " +
		"without telling that the session is closed."
	f.Advice = "Ask the host what his game shows: whether it has begun, and how many places are free; after a crash, wait a minute and try again."
}
