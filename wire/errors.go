package wire

import (
	"errors"
	"strconv"

	"dplay4/wire/internal/field"
)

// The reasons for which decoding or encoding stops. A [DecodeError] or [EncodeError] wraps one of them.
var (
	// ErrShort says that the message ends inside the field, or inside what the field says the length or number of.
	ErrShort = field.ErrShort
	// ErrLimit says that a size or count is above a limit of this package.
	ErrLimit = field.ErrLimit
	// ErrOffset says that an offset field points outside the message, or that the size of an SP header does.
	ErrOffset = field.ErrOffset
	// ErrOverlap says that a part begins inside another part of the message.
	ErrOverlap = field.ErrOverlap
	// ErrTerminator says that a text has no terminating zero WCHAR.
	ErrTerminator = field.ErrTerminator
	// ErrSignature says that 'play' is not where a message begins.
	ErrSignature = errors.New("signature is not 'play'")
	// ErrValue says that a field has a value that the specification rules out and that the layout depends on.
	ErrValue = errors.New("value is not allowed")
	// ErrNesting says that messages are wrapped in messages more than MaxNesting deep.
	ErrNesting = errors.New("messages nested too deep")
	// ErrLayout says that a decoded message was changed and no longer fits the layout it was decoded with;
	// Layout.Reset lets it be laid out anew.
	ErrLayout = field.ErrLayout
)

// A DecodeError tells where decoding stopped and why.
type DecodeError struct {
	Message string // the message's name in the specification, "SPHEADER", or "MESSAGE" before the command is known
	Field   string // the field's name in the specification, with its path: "Players[2].ShortName"
	Offset  int    // octets from the first octet of what was decoded: the signature, or the SP header for "SPHEADER"
	Value   uint32 // the value that was refused: an offset, a length, a count; 0 where there is none
	Err     error  // one of the reasons of this package
}

// Error returns message, field, offset and reason in one line.
func (e *DecodeError) Error() string {
	s := e.Message + "." + e.Field + " at octet " + strconv.Itoa(e.Offset) + ": " + e.Err.Error()
	switch e.Err {
	case ErrShort:
		if e.Value == 0 {
			break
		}
		fallthrough
	case ErrLimit, ErrOffset, ErrOverlap, ErrValue:
		s += " (" + strconv.FormatUint(uint64(e.Value), 10) + ")"
	}
	return s
}

// Unwrap returns the reason, for errors.Is.
func (e *DecodeError) Unwrap() error { return e.Err }

// An EncodeError tells which field of a message cannot be encoded and why.
type EncodeError struct {
	Message string // the message's name in the specification
	Field   string // the field's name, with its path
	Err     error  // one of the reasons of this package
}

// Error returns message, field and reason in one line.
func (e *EncodeError) Error() string { return e.Message + "." + e.Field + ": " + e.Err.Error() }

// Unwrap returns the reason, for errors.Is.
func (e *EncodeError) Unwrap() error { return e.Err }
