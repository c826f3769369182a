package dpsp

import (
	"slices"

	"dplay4/wire"
)

// The secrets of a session show that somebody is, or was, in it, though not with us. There is one, which the first host
// draws. A host that took over before anybody told it draws another one, and then the parts of a session have several.
type secrets struct {
	current wire.GUID   // what newcomers are told, and other parts are shown; zero: none was told
	others  []wire.GUID // what it was before, and what believed machines showed: at most maxSecrets
}

const maxSecrets = 8

// knows reports whether a secret is one of the session's.
func (s *secrets) knows(g wire.GUID) bool {
	return !g.IsZero() && (g == s.current || slices.Contains(s.others, g))
}

// learn notes what somebody showed who is believed: it is the secret, if there was none.
func (s *secrets) learn(g wire.GUID) {
	switch {
	case g.IsZero() || s.knows(g):
	case s.current.IsZero():
		s.current = g
	default:
		s.others = append(s.others[max(0, len(s.others)-maxSecrets+1):], g)
	}
}

// take notes the secret as our host has it.
func (s *secrets) take(g wire.GUID) {
	if g.IsZero() || g == s.current {
		return
	}
	was := s.current
	s.others = slices.DeleteFunc(s.others, func(o wire.GUID) bool { return o == g })
	s.current = g
	s.learn(was)
}
