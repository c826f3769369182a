package doctor

import (
	"cmp"
	"net/netip"

	"dplay4/wire"
)

// Refusals with one refusalKey are one finding, because a joiner tries again.
type refusalKey struct {
	joiner  netip.AddrPort
	session string
	result  wire.HResult
	system  bool
}

// refusals returns a rule's function: it returns a finding for each joiner, session and result of the refusals for which about is true. tell
// adds the reason to the text. If the joiner got in later, it is a warning.
func refusals(about func(*refusal) bool, tell func(*refusal, *Finding)) func(*facts) []*Finding {
	return each(func(c *facts) [][]*refusal {
		return groups(where(c.Refusals, about), func(r *refusal) refusalKey { return refusalKey{r.Joiner, r.Session, r.Result, r.System} })
	}, func(c *facts, tries []*refusal) *Finding { return c.refused(tries, tell) })
}

// refused returns the finding for refusals of one joiner.
func (c *facts) refused(tries []*refusal, tell func(*refusal, *Finding)) *Finding {
	r, last := tries[0], tries[len(tries)-1]
	what, how, in := " got no player in ", last.Later, "; it got one at "
	if r.System {
		what, how, in = " was not let into ", c.letIn(last), "; it was let in at "
	}
	f := found(c.who(r.Joiner) + what + named(r.Session) + ": ")
	tell(r, f)
	f.Text += pick(len(tries) > 1, " ("+itoa(len(tries))+" tries)", "")
	f.with(mapped(tries[:min(len(tries), maxEvidence)], func(t *refusal) Evidence { return t.show(t.Field, t.Result.String()) })...)
	f.More = len(tries) - len(f.Evidence)
	if how.N > 0 {
		f.ends(how.show("", "a later try went well")).as(Warning)
		f.Text += in + seconds(how.Time.Sub(c.Begin))
		f.Advice = "Nothing: a later try went well."
	}
	return f
}

// letIn returns the list that let a machine in after a refusal, the zero mark if it stayed outside.
func (c *facts) letIn(r *refusal) mark {
	return cmp.Or(find(c.Joins, func(j *join) bool {
		same := cmp.Or(j.Session, r.Session) == cmp.Or(r.Session, j.Session) // or one of them is not known
		return j.Joiner == r.Joiner && same && j.List.N > r.N && !j.gaveUp()
	}), new(join)).List
}

// noRoom returns the refusals of sessions that take nobody, for whatever reason, of which some flags are those of want.
func noRoom(flags, want wire.SessionFlags) func(*refusal) bool {
	return func(r *refusal) bool {
		return (r.Result == wire.ErrNoNewPlayers || r.Result == wire.ErrCantCreatePlayer) && r.Flags&flags == want
	}
}

// because returns a reason that is the same for all refusals of a rule.
func because(why string) func(*refusal, *Finding) {
	return func(_ *refusal, f *Finding) { f.Text += why }
}

// refused is the rule refused for captures.
var refused = refusals(func(r *refusal) bool { return !noRoom(0, 0)(r) && r.Result != wire.ErrInvalidPassword },
	func(r *refusal, f *Finding) { f.Text += "the host answered " + r.Result.String() })

// passwordWrong is the rule password-wrong for captures.
var passwordWrong = refusals(func(r *refusal) bool { return r.Result == wire.ErrInvalidPassword }, because("the password was wrong"))

// livePasswordWrong is the rule password-wrong for this machine.
func livePasswordWrong(l *Live) []*Finding {
	return flat(l.sessions(), func(o LiveOffer) []*Finding {
		wrong := where(l.Keys, func(k Key) bool { return !k.Fits && k.Session == o.Instance })
		return mapped(wrong, func(Key) *Finding {
			return found(o.title()+" wants another password than the one that was given",
				o.show("Flags", o.Flags.String()), Evidence{Message: "ENUMSESSIONS", Field: "Password", Value: "no answer to it alone"})
		})
	})
}

// closing are the flags of a session that takes nobody.
const closing = wire.SessionJoinDisabled | wire.SessionNewPlayersDisabled

// sessionFull is the rule session-full for captures.
var sessionFull = refusals(noRoom(closing, 0), tellFull)

// liveSessionFull is the rule session-full for this machine.
var liveSessionFull = barred(full, func(o LiveOffer) (string, Evidence) {
	players := of(o.Players, o.Max)
	return "is full: " + players + " players", o.show("CurrentPlayerCount", players)
})

// tellFull says that the session is full if its own description does, and otherwise no more than that the host takes
// nobody: the result code is the same for all reasons.
func tellFull(r *refusal, f *Finding) {
	if isFull(r.Players, r.Max) {
		f.Text += "the session is full"
		return
	}
	room := pick(r.Max > 0, of(r.Players, r.Max), "that there is no limit")
	f.Text += "the host takes no more players" + pick(r.Described, ", though it says "+room, "")
	f.section = "unsaid"
}

// joinDisabled is the rule join-disabled for captures.
var joinDisabled = refusals(noRoom(wire.SessionJoinDisabled, wire.SessionJoinDisabled), because("the host lets nobody join any more"))

// liveJoinDisabled is the rule join-disabled for this machine.
var liveJoinDisabled = barred(closed, func(o LiveOffer) (string, Evidence) {
	return "is closed: the host lets nobody join any more", o.show("Flags", o.Flags.String())
})

// newPlayersDisabled is the rule new-players-disabled for captures.
var newPlayersDisabled = refusals(noRoom(closing, wire.SessionNewPlayersDisabled), because("the host takes no new players"))

// liveNewPlayersDisabled is the rule new-players-disabled for this machine.
var liveNewPlayersDisabled = barred(noNewPlayers, func(o LiveOffer) (string, Evidence) {
	return "takes no new players", o.show("Flags", o.Flags.String())
})
