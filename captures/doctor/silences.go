package doctor

import "net/netip"

// A quiet is all silences of one machine that are of a kind.
type quiet struct {
	machine netip.AddrPort
	pings   int
	list    []*Silence
}

// quiets gathers the silences that a rule is about by the machine that was silent.
func (c *Case) quiets(about func(*Silence) bool) (list []*quiet) {
	by := map[netip.AddrPort]*quiet{}
	for _, s := range c.Silences {
		if !about(s) {
			continue
		}
		q := by[s.Machine]
		if q == nil {
			q = &quiet{machine: s.Machine}
			by[s.Machine] = q
			list = append(list, q)
		}
		q.pings += s.Count
		q.list = append(q.list, s)
	}
	return list
}

// evidence gives the pings that got no answer.
func (q *quiet) evidence() (list []Evidence, more int) {
	for _, s := range q.list {
		for _, m := range s.Marks {
			list = append(list, m.show("", "to "+s.Machine.String()+", no answer"))
		}
	}
	return list, q.pings - len(list)
}
