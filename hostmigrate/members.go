package hostmigrate

import "dplay4/wire"

// UseRule changes which of two candidates is the better one: a session may get, and lose, members that know no other
// rule than DirectPlay 4's.
func (t *Table) UseRule(r Rule) { t.cfg.Rule = r }

// Told reports whether a member is told every operation.
func (t *Table) Told(id wire.PlayerID) bool { return t.leading && t.indexOf(id) >= 0 }

// Follows reports whether a member has said that it follows this machine: it answered in the migration that this machine
// led, or reported a version since.
func (t *Table) Follows(id wire.PlayerID) bool {
	i := t.indexOf(id)
	return i >= 0 && t.members[i].follows
}
