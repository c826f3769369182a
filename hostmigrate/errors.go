package hostmigrate

import (
	"errors"

	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// The reasons for which a message is ignored, or a peer dropped. An [IgnoredError], a [FieldError] or a [Drop] has one
// of them, or one of packages wire and playerlist.
var (
	// ErrForm says that what DirectPlay 8 has no field for is not in the form of this package.
	ErrForm = errors.New("is not in the form x-directplay4:/key=value")
	// ErrNoOperation says that the message is no operation of the name table, or one that changes nothing.
	ErrNoOperation = errors.New("is no operation of the name table")
	// ErrTooLarge says that a message would be larger than MaxMessage.
	ErrTooLarge = errors.New("is too large for one message")
	// ErrParts says that parts of a table came out of order, or were too many.
	ErrParts = errors.New("parts of a name table that do not belong together")
	// ErrNotHost says that only the host, or the leader of a migration, may say this.
	ErrNotHost = errors.New("does not come from the host")
	// ErrNotLeading says that the receiver is not the host.
	ErrNotLeading = errors.New("the receiver is not the host")
	// ErrNotMember says that it comes from, or is about, somebody who is not told the table.
	ErrNotMember = errors.New("is no member")
	// ErrCandidate says that somebody wants to be host while a better candidate is known.
	ErrCandidate = errors.New("there is a better candidate")
	// ErrGone says that it comes from somebody whose contact was lost.
	ErrGone = errors.New("comes from a peer that is gone")
	// ErrUnexpected says that nothing of the kind was asked for.
	ErrUnexpected = errors.New("was not expected")
	// ErrBehind says that a table is older than the one that there is: tables never go back.
	ErrBehind = errors.New("is older than the table that there is")
	// ErrAhead says that a peer has operations which are not of this table.
	ErrAhead = errors.New("has operations of another table")
	// ErrSilent says that a peer did not answer in time.
	ErrSilent = errors.New("no answer in time")
	// ErrAnswer says that a peer did not send the operations that it said it has.
	ErrAnswer = errors.New("did not send what it said it has")
	// ErrAlive says that a peer reported another one as lost that is there ([MC-DPL8CS] 1.3.5).
	ErrAlive = errors.New("lost a peer that is still there")
)

// An IgnoredError says which message was ignored, from whom, and why.
type IgnoredError struct {
	Type dpl8.Type
	From wire.PlayerID
	Err  error
}

// Error returns type, sender and reason in one line.
func (e *IgnoredError) Error() string {
	return e.Type.String() + " from " + e.From.String() + ": " + e.Err.Error()
}

// Unwrap returns the reason, for errors.Is.
func (e *IgnoredError) Unwrap() error { return e.Err }

// A FieldError says which part of a message or form is wrong.
type FieldError struct {
	Field string // "URL", or the key in a form
	Err   error
}

// Error returns field and reason in one line.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the reason, for errors.Is.
func (e *FieldError) Unwrap() error { return e.Err }
