package hostmigrate

import (
	"errors"
)

// The reasons for which a message is refused. A [FieldError] has one of them, or one of packages wire and playerlist.
var (
	// ErrForm says that what DirectPlay 8 has no field for is not in the form of this package.
	ErrForm = errors.New("is not in the form x-directplay4:/key=value")
	// ErrNoOperation says that the message is no operation of the name table, or one that changes nothing.
	ErrNoOperation = errors.New("is no operation of the name table")
	// ErrTooLarge says that a message would be larger than MaxMessage.
	ErrTooLarge = errors.New("is too large for one message")
)

// A FieldError says which part of a message or form is wrong.
type FieldError struct {
	Field string // "URL", or the key in a form
	Err   error
}

// Error returns field and reason in one line.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the reason, for errors.Is.
func (e *FieldError) Unwrap() error { return e.Err }
