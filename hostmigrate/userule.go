package hostmigrate

// UseRule changes which of two candidates is the better one: a session may get, and lose, members that know no other
// rule than DirectPlay 4's.
func (t *Table) UseRule(r Rule) { t.cfg.Rule = r }
