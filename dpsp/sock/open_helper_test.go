package sock

import (
	"context"

	"dplay4/dpsp"
)

// hosted gives a new machine with a session of its own, nil if it fails.
func hosted(ctx context.Context, opt Options, h dpsp.Host) (*Session, error) {
	return opened(opt, func(s *Session) error { return s.Host(ctx, h) })
}

// joined gives a new machine in a session, nil if it fails.
func joined(ctx context.Context, opt Options, at Found, password dpsp.Text) (*Session, error) {
	return opened(opt, func(s *Session) error { return s.Join(ctx, at, password) })
}

func opened(opt Options, enter func(*Session) error) (*Session, error) {
	s, err := Open(opt)
	if err != nil {
		return nil, err
	}
	if err := enter(s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
