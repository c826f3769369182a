package sock

import "net/netip"

// sourceAt returns the source of who listens at an address, in exchange for another one.
func (l *loop) sourceAt(at netip.AddrPort, old *source) *source {
	if old.at == at {
		return old
	}
	l.sourceGone(old)
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sources[at]
	if s == nil {
		s = &source{at: at}
		l.sources[at] = s
	}
	s.users++
	return s
}

// sourceGone ends a use of a source.
func (l *loop) sourceGone(s *source) {
	if s == &l.strangers {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(l.sources, s.at)
	}
}
