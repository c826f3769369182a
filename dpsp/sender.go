package dpsp

import "dplay4/wire"

// A sender is a session with what leaves this machine: messages, and events for the program. Its methods send, announce, deliver and
// drop, in order. None changes who is in the session or who is host, or ends it: the engine does, and a sender cannot reach it.
type sender struct {
	sessionState
	out       outbox
	dec       wire.Decoder
	arrivals  arrivals  // of messages at peers, and from them
	fragments fragments // of large messages
	framing   framing   // of what goes in frames of the reliable protocol
	reports   reports   // of what became of messages

	// The state of these is in sessionState. They point back here.
	admission admission  // of newcomers, if we are the host
	join      joining    // if state is joinState
	liveness  liveness   // of the others
	migration migration  // from one host to the next
	requests  requests   // for ids
	search    search     // for sessions, and for ours
	views     viewSender // of the session
}

// An outbox is what a step gives.
type outbox struct {
	Output
	buf     []byte // the octets of this step's sends
	refused uint64 // how many messages were dropped, in all steps
}

// event tells the program.
func (s *sender) event(ev Event) {
	s.carry()
	s.out.Events = append(s.out.Events, ev)
}

// done answers a command.
func (s *sender) done(token uint64, id wire.PlayerID, err error) {
	s.event(Done{Token: token, ID: id, Err: err})
}

// drop says that a message was ignored.
func (s *sender) drop(o origin, command string, r Reason, text string) {
	s.out.refused++
	s.event(Dropped{From: o.from, Command: command, Reason: r, Text: text})
}
