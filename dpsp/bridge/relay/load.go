package relay

// A Load is who is there, and what they have sent so far.
type Load struct {
	Sessions  int // that newcomers find
	Machines  int // of bridges, and other clients
	Addresses int // of these
	Octets    uint64
}

// Load returns that of the relay now.
func (s *Server) Load() Load {
	x := s.exchange
	x.mu.RLock()
	defer x.mu.RUnlock()
	l := Load{Machines: len(x.at), Addresses: len(x.sources), Octets: s.counts[relayedOctets].Load()}
	for t := range x.tagged {
		if t.tag[0] == 'm' { // it is where a session is met, and nobody's
			l.Sessions++
			l.Machines--
		}
	}
	return l
}
