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

// refusals gives a finding for each joiner, session and result of the refusals that a rule is about, with the words for
// who was refused what. Who got in after all is a warning.
func refusals(c *Case, about func(*Refusal) bool, tell func(*Refusal, *Finding)) (list []Finding) {
	tries := map[refusalKey][]*Refusal{}
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
		list = append(list, refusal(c, tries[k], tell))
	}
	return list
}

// refusal tells of refusals that are one finding. tell adds why to its text.
func refusal(c *Case, tries []*Refusal, tell func(*Refusal, *Finding)) Finding {
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

// letIn gives the list that let a machine in after a refusal, the zero Mark if it stayed outside.
func (c *Case) letIn(r *Refusal) Mark {
	for _, j := range c.Joins {
		same := r.Session == "" || j.Session == "" || r.Session == j.Session
		if j.Joiner == r.Joiner && same && j.List.N > r.N && !j.gaveUp() {
			return j.List
		}
	}
	return Mark{}
}

// noRoom says whether a refusal is the one for a session that takes nobody, for whatever reason.
func noRoom(r *Refusal) bool {
	return r.Result == wire.ErrNoNewPlayers || r.Result == wire.ErrCantCreatePlayer
}

// because gives a reason that is the same for all refusals of a rule.
func because(why string) func(*Refusal, *Finding) {
	return func(_ *Refusal, f *Finding) { f.Text += why }
}
