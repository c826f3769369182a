package dpsp

import "time"

// The reports are what the program is still to be told of messages that it sent with a token. They outlive the session, as what is
// said in parting does.
type reports struct {
	e      *Engine
	tokens map[uint64]*report
}

// A report is about the messages with one token.
type report struct {
	left  int // addressees of which nothing is known yet, and commands that are at work
	since time.Duration
	err   error
}

// expect counts one more of whom something is to be known.
func (r *reports) expect(token uint64) {
	if token == 0 {
		return
	}
	if r.tokens == nil {
		r.tokens = map[uint64]*report{}
	}
	if r.tokens[token] == nil {
		r.tokens[token] = &report{since: r.e.now}
	}
	r.tokens[token].left++
}

// know counts one less, and tells the program once nobody is left.
func (r *reports) know(token uint64, err error) {
	x := r.tokens[token]
	if x == nil {
		return
	}
	if x.err == nil {
		x.err = err
	}
	if x.left--; x.left == 0 {
		delete(r.tokens, token)
		r.e.event(Delivered{Notify: token, Took: r.e.now - x.since, Err: x.err})
	}
}

// fail is for a message that nobody gets.
func (r *reports) fail(token uint64, err error) {
	r.expect(token)
	r.know(token, err)
}

// withdraw takes back what a command expected that failed: its Done says so.
func (r *reports) withdraw(token uint64) {
	if x := r.tokens[token]; x != nil {
		if x.left--; x.left == 0 {
			delete(r.tokens, token)
		}
	}
}
