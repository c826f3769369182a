package doctor

import "dplay4/wire"

// refusals gives a finding for each refusal that a rule is about, with the words for who was refused what.
func refusals(c *Case, about func(*Refusal) bool, why string) (list []Finding) {
	for _, r := range c.Refusals {
		if !about(r) {
			continue
		}
		what := c.who(r.Joiner) + " was not let into " + named(r.Session)
		if !r.System {
			what = c.who(r.Joiner) + " got no player in " + named(r.Session)
		}
		list = append(list, Finding{
			Text:     what + ": " + why,
			Evidence: []Evidence{r.show(r.Field, r.Result.String())},
		})
	}
	return list
}

// noRoom says whether a refusal is the one for a session that takes nobody, for whatever reason.
func noRoom(r *Refusal) bool {
	return r.Result == wire.ErrNoNewPlayers || r.Result == wire.ErrCantCreatePlayer
}
