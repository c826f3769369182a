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

// refusals returns a rule's function: it adds a finding for each joiner, session and result of the refusals for which about is true. tell adds
// the reason to the text. If the joiner got in later, it is a warning.
func refusals(about func(*refusal) bool, tell func(*refusal, *Finding)) func(*facts, *findings) {
	return func(c *facts, out *findings) {
		var tries table[refusalKey, []*refusal]
		for _, r := range where(c.Refusals, about) {
			list := tries.at(refusalKey{r.Joiner, r.Session, r.Result, r.System})
			*list = append(*list, r)
		}
		for _, list := range tries.list {
			tellRefusal(c, out, *list, tell)
		}
	}
}

// tellRefusal adds the finding for refusals of one joiner.
func tellRefusal(c *facts, out *findings, tries []*refusal, tell func(*refusal, *Finding)) {
	r, last := tries[0], tries[len(tries)-1]
	what, how, in := " got no player in ", last.Later, "; it got one at "
	if r.System {
		what, how, in = " was not let into ", c.letIn(last), "; it was let in at "
	}
	f := out.add(c.who(r.Joiner) + what + named(r.Session) + ": ")
	tell(r, f)
	f.Text += pick(len(tries) > 1, " ("+itoa(len(tries))+" tries)", "")
	for _, t := range tries[:min(len(tries), maxEvidence)] {
		f.Evidence = append(f.Evidence, t.show(t.Field, t.Result.String()))
	}
	f.More = len(tries) - len(f.Evidence)
	if how.N > 0 {
		f.ends(how.show("", "a later try went well"))
		f.Severity = Warning
		f.Text += in + seconds(how.Time.Sub(c.Begin))
		f.Advice = "Nothing: a later try went well."
	}
}

// letIn returns the list that let a machine in after a refusal, the zero mark if it stayed outside.
func (c *facts) letIn(r *refusal) mark {
	if j := find(c.Joins, func(j *join) bool {
		same := r.Session == "" || j.Session == "" || r.Session == j.Session
		return j.Joiner == r.Joiner && same && j.List.N > r.N && !j.gaveUp()
	}); j != nil {
		return j.List
	}
	return mark{}
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

// refused adds what refused finds in a capture.
var refused = refusals(func(r *refusal) bool { return !noRoom(0, 0)(r) && r.Result != wire.ErrInvalidPassword },
	func(r *refusal, f *Finding) { f.Text += "the host answered " + r.Result.String() })

// passwordWrong adds what password-wrong finds in a capture.
var passwordWrong = refusals(func(r *refusal) bool { return r.Result == wire.ErrInvalidPassword }, because("the password was wrong"))

// livePasswordWrong adds what password-wrong finds on this machine.
func livePasswordWrong(l *Live, out *findings) {
	for _, o := range l.sessions() {
		for _, k := range l.Keys {
			if !k.Fits && k.Session == o.Instance {
				out.add(o.title()+" wants another password than the one that was given",
					o.show("Flags", o.Flags.String()), Evidence{Message: "ENUMSESSIONS", Field: "Password", Value: "no answer to it alone"})
			}
		}
	}
}

// closing are the flags of a session that takes nobody.
const closing = wire.SessionJoinDisabled | wire.SessionNewPlayersDisabled

// sessionFull adds what session-full finds in a capture.
var sessionFull = refusals(noRoom(closing, 0), tellFull)

// liveSessionFull adds what session-full finds on this machine.
var liveSessionFull = barred(full, func(o *LiveOffer) (string, Evidence) {
	players := itoa(int(o.Players)) + " of " + itoa(int(o.Max))
	return "is full: " + players + " players", o.show("CurrentPlayerCount", players)
})

// tellFull says that the session is full if its own description does, and otherwise no more than that the host takes
// nobody: the result code is the same for all reasons.
func tellFull(r *refusal, f *Finding) {
	if r.Max > 0 && r.Players >= r.Max {
		f.Text += "the session is full"
		return
	}
	room := pick(r.Max > 0, itoa(int(r.Players))+" of "+itoa(int(r.Max)), "that there is no limit")
	f.Text += "the host takes no more players" + pick(r.Described, ", though it says "+room, "")
	f.section = "unsaid"
}

// joinDisabled adds what join-disabled finds in a capture.
var joinDisabled = refusals(noRoom(wire.SessionJoinDisabled, wire.SessionJoinDisabled), because("the host lets nobody join any more"))

// liveJoinDisabled adds what join-disabled finds on this machine.
var liveJoinDisabled = barred(closed, func(o *LiveOffer) (string, Evidence) {
	return "is closed: the host lets nobody join any more", o.show("Flags", o.Flags.String())
})

// newPlayersDisabled adds what new-players-disabled finds in a capture.
var newPlayersDisabled = refusals(noRoom(closing, wire.SessionNewPlayersDisabled), because("the host takes no new players"))

// liveNewPlayersDisabled adds what new-players-disabled finds on this machine.
var liveNewPlayersDisabled = barred(noNewPlayers, func(o *LiveOffer) (string, Evidence) {
	return "takes no new players", o.show("Flags", o.Flags.String())
})
