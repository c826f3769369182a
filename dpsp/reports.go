package dpsp

import "time"

// The reports are what the program is still to be told of messages that it sent with a token, by token. They outlive the session, as
// what is said in parting does.
type reports map[uint64]*report

// A report is about the messages with one token.
type report struct {
	left  int // addressees of which nothing is known yet, and commands that are at work
	since time.Duration
	err   error
}

// expect counts one more of whom something is to be known.
func (r reports) expect(token uint64, now time.Duration) {
	if token == 0 {
		return
	}
	if r[token] == nil {
		r[token] = &report{since: now}
	}
	r[token].left++
}

// know counts one less, and returns the report once nobody is left.
func (r reports) know(token uint64, err error) *report {
	x := r[token]
	if x == nil {
		return nil
	}
	if x.err == nil {
		x.err = err
	}
	if x.left--; x.left > 0 {
		return nil
	}
	delete(r, token)
	return x
}

// know takes what became of a message for one addressee, and tells the program once that is known of all.
func (s *sender) know(token uint64, err error) {
	if x := s.reports.know(token, err); x != nil {
		s.event(Delivered{Notify: token, Took: s.now - x.since, Err: x.err})
	}
}
