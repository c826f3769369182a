package bridge

import (
	"context"
	"errors"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
)

// Options are what a user decides.
type Options struct {
	// Name is how others see this machine, the user's choice or the machine's name. What is too long or no text is left out.
	Name string
	// Relays are those of a session that is shared, what is best first. A session that is joined has those of its code.
	Relays []code.Relay
	// Ask has each newcomer wait for Answer on the machine that answers newcomers, as long as that is this one.
	Ask bool
	// ForceRelay hides this machine's addresses from the others: nothing goes directly.
	ForceRelay bool
	// Visit has this machine be in the session without a game: it holds no ports, and nothing of a game's gets anywhere. That is how
	// a doctor sees the ways to the others.
	Visit bool
	// Record, if not nil, is told what passes between the game of this machine and those of the others.
	Record sock.Recorder

	network func(context.Context, code.Code) (link.Network, error) // for tests
}

// A Session is this machine's part in a bridged session. Its methods may be called by several goroutines.
type Session struct{}

// Share opens a session. It fails if none of the relays answers, or if other programs have ports that the session needs.
// Done of the context ends the session, as Close does.
func Share(ctx context.Context, opt Options) (*Session, error) { return nil, errors.ErrUnsupported }

// Join enters a session. It fails if nobody answers at the code's address, if this machine is not let in, or as Share does.
func Join(ctx context.Context, with code.Code, opt Options) (*Session, error) {
	return nil, errors.ErrUnsupported
}

// Code returns what newcomers need to know at the moment.
func (s *Session) Code() string { return "" }

// Events returns what happens. Whoever does not read it loses nothing but the events; it is closed behind Ended.
func (s *Session) Events() <-chan Event { return nil }

// Members returns the machines of the session, this one among them, in the order of their slots.
func (s *Session) Members() []Member { return nil }

// Kick sends the machine in a slot away, for all, if this machine is the keeper; otherwise it only breaks our own link to it.
// What is sent away does not get in again with the key of that start.
func (s *Session) Kick(slot int, reason string) error { return errors.ErrUnsupported }

// Answer lets a newcomer in, or not, that an Asked event told of.
func (s *Session) Answer(id link.ID, yes bool) error { return errors.ErrUnsupported }

// Close says goodbye to the others, which have the slot free at once, and closes all that the session has open.
func (s *Session) Close() error { return nil }

var (
	// ErrFull means that the session has no slot left.
	ErrFull = errors.New("the session is full: it has 50 machines")
	// ErrNotLetIn means that whoever shares the session said no.
	ErrNotLetIn = errors.New("the session did not let this machine in")
	// ErrNobodyThere is what Kick and Answer give for a machine that is not there, or is no more.
	ErrNobodyThere = errors.New("there is no such machine in the session")
)
