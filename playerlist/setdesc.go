package playerlist

// SetDesc gives the session a new description, name and password. What makes it this session stays: both GUIDs,
// which Windows ignores too (facts, 5.4), and Reserved1, from which ids are made. The current number of players
// is the list's own.
type SetDesc struct{ Session Session }

func (o SetDesc) check(l *List) error { return l.checkSession("SetDesc", &o.Session) }

func (o SetDesc) keep(l *List) Op {
	s := o.Session.clone()
	s.Desc = plain(&o.Session.Desc)
	s.Desc.Instance, s.Desc.Application = l.session.Desc.Instance, l.session.Desc.Application
	s.Desc.Reserved1 = l.session.Desc.Reserved1
	return SetDesc{s}
}

func (o SetDesc) do(l *List) {
	l.octets -= l.session.octets()
	l.session = o.Session
	l.octets += l.session.octets()
}

func (o SetDesc) octets() int { return o.Session.octets() }
