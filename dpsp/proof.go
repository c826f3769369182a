package dpsp

import (
	"net/netip"
	"slices"
	"time"

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

// A challenge asks a host that claims the session, from where another machine of ours is, to claim it once more. Connections keep
// what was said long ago: what is true still is said again.
type challenge struct {
	at    netip.AddrPort
	host  wire.PlayerID
	until time.Duration
}

// answered reports whether a claim is the answer, and takes it for the only one.
func (c *challenge) answered(at netip.AddrPort, host wire.PlayerID, now time.Duration) bool {
	if c.at != at || c.host != host || now >= c.until {
		return false
	}
	*c = challenge{}
	return true
}

// A voucher is what a peer, or a lost one, said over a connection: that another host of the session is at a listener. One that
// lost its first host before it was told the secret has nothing else to show, and knows the other one by nothing else.
type voucher struct {
	host  wire.PlayerID
	at    netip.AddrPort
	until time.Duration
}

// covers reports whether it is for a host that claims the session.
func (v *voucher) covers(host wire.PlayerID, at netip.AddrPort, now time.Duration) bool {
	return v.host == host && v.at == at && now < v.until
}
