package doctor

import (
	"net/netip"

	"dplay4/wire"
)

// A refusalKey is what refusals have in common that are one finding: somebody tried again.
type refusalKey struct {
	joiner  netip.AddrPort
	session string
	result  wire.HResult
	system  bool
}

// refusals returns a finding for each joiner, session and result of the refusals that a rule is about, with the words for
// who was refused what. Who got in after all is a warning.
func refusals(c *facts, about func(*refusal) bool, tell func(*refusal, *Finding)) (list []Finding) {
	tries := map[refusalKey][]*refusal{}
	var order []refusalKey
	for _, r := range c.Refusals {
		if !about(r) {
			continue
		}
		k := refusalKey{r.Joiner, r.Session, r.Result, r.System}
		if tries[k] == nil {
			order = append(order, k)
		}
		tries[k] = append(tries[k], r)
	}
	for _, k := range order {
		list = append(list, tellRefusal(c, tries[k], tell))
	}
	return list
}

// refusal tells of refusals that are one finding. tell adds why to its text.
func tellRefusal(c *facts, tries []*refusal, tell func(*refusal, *Finding)) Finding {
	r, last := tries[0], tries[len(tries)-1]
	text := c.who(r.Joiner) + " was not let into " + named(r.Session) + ": "
	if !r.System {
		text = c.who(r.Joiner) + " got no player in " + named(r.Session) + ": "
	}
	f := Finding{Text: text}
	tell(r, &f)
	if len(tries) > 1 {
		f.Text += " (" + itoa(len(tries)) + " tries)"
	}
	for _, t := range tries[:min(len(tries), maxEvidence)] {
		f.Evidence = append(f.Evidence, t.show(t.Field, t.Result.String()))
	}
	f.More = len(tries) - len(f.Evidence)
	how, in := last.Later, "; it got one at "
	if r.System {
		how, in = c.letIn(last), "; it was let in at "
	}
	if how.N > 0 {
		n := min(len(f.Evidence), maxEvidence-1)
		f.Evidence, f.More = append(f.Evidence[:n:n], how.show("", "a later try went well")), f.More+len(f.Evidence)-n
		f.Severity = Warning
		f.Text += in + seconds(how.Time.Sub(c.Begin))
		f.Advice = "Nothing: a later try went well."
	}
	return f
}

// letIn returns the list that let a machine in after a refusal, the zero mark if it stayed outside.
func (c *facts) letIn(r *refusal) mark {
	for _, j := range c.Joins {
		same := r.Session == "" || j.Session == "" || r.Session == j.Session
		if j.Joiner == r.Joiner && same && j.List.N > r.N && !j.gaveUp() {
			return j.List
		}
	}
	return mark{}
}

// noRoom reports whether a refusal is the one for a session that takes nobody, for whatever reason.
func noRoom(r *refusal) bool {
	return r.Result == wire.ErrNoNewPlayers || r.Result == wire.ErrCantCreatePlayer
}

// because returns a reason that is the same for all refusals of a rule.
func because(why string) func(*refusal, *Finding) {
	return func(_ *refusal, f *Finding) { f.Text += why }
}

var refused = rule{
	code: "refused", severity: Failure,
	capture: func(c *facts) []Finding {
		return refusals(c, func(r *refusal) bool {
			return !noRoom(r) && r.Result != wire.ErrInvalidPassword
		}, func(r *refusal, f *Finding) { f.Text += "the host answered " + r.Result.String() })
	},
}

var passwordWrong = rule{
	code: "password-wrong", severity: Failure,
	capture: func(c *facts) []Finding {
		return refusals(c, func(r *refusal) bool { return r.Result == wire.ErrInvalidPassword }, because("the password was wrong"))
	},
	live: func(l *Live) (list []Finding) {
		for _, o := range l.sessions() {
			for _, k := range l.Keys {
				if k.Fits || k.Session != o.Instance {
					continue
				}
				list = append(list, Finding{
					Text:     o.title() + " wants another password than the one that was given",
					Evidence: []Evidence{o.show("Flags", o.Flags.String()), {Message: "ENUMSESSIONS", Field: "Password", Value: "no answer to it alone"}},
				})
			}
		}
		return list
	},
}

var sessionFull = rule{
	code: "session-full", severity: Failure,
	capture: func(c *facts) []Finding {
		return refusals(c, func(r *refusal) bool {
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
func tellFull(r *refusal, f *Finding) {
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
	f.section = "unsaid"
}

var joinDisabled = rule{
	code: "join-disabled", severity: Failure,
	capture: func(c *facts) []Finding {
		return refusals(c, func(r *refusal) bool {
			return noRoom(r) && r.Flags&wire.SessionJoinDisabled != 0
		}, because("the host lets nobody join any more"))
	},
	live: func(l *Live) []Finding {
		return l.barred(closed, func(o *LiveOffer) (string, Evidence) {
			return "is closed: the host lets nobody join any more", o.show("Flags", o.Flags.String())
		})
	},
}

var newPlayersDisabled = rule{
	code: "new-players-disabled", severity: Failure,
	capture: func(c *facts) []Finding {
		return refusals(c, func(r *refusal) bool {
			return noRoom(r) && r.Flags&(wire.SessionNewPlayersDisabled|wire.SessionJoinDisabled) == wire.SessionNewPlayersDisabled
		}, because("the host takes no new players"))
	},
	live: func(l *Live) []Finding {
		return l.barred(noNewPlayers, func(o *LiveOffer) (string, Evidence) {
			return "takes no new players", o.show("Flags", o.Flags.String())
		})
	},
}
