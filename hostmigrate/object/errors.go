package object

import (
	"errors"
	"fmt"
)

// The reasons for which a call is refused or a message ignored. Errors of [Table.Receive] wrap one of them and
// name the message.
var (
	ErrOp        = errors.New("not a message about objects")
	ErrSender    = errors.New("the sender is not whom the message names")
	ErrOld       = errors.New("older than what is known")
	ErrEarly     = errors.New("newer than what is known")
	ErrUnknown   = errors.New("there is no such object")
	ErrDestroyed = errors.New("the object was destroyed")
	ErrNotOwner  = errors.New("not the owner")
	ErrNotHost   = errors.New("not the host")
	ErrNoHost    = errors.New("no host that knows of objects")
	ErrNoPeer    = errors.New("no such machine that knows of objects")
	ErrPending   = errors.New("a migration was decided already")
	ErrFull      = errors.New("no room for more objects")
	ErrShare     = fmt.Errorf("%w: those that one machine made have states of %d KiB at most", ErrFull, MaxMade>>10)
	ErrTooLarge  = errors.New("the state is too large")
	ErrExhausted = errors.New("no numbers left")
)

// Harmless reports whether an error of [Table.Receive] says no more than that messages crossed each other.
func Harmless(err error) bool {
	for _, usual := range []error{ErrOld, ErrEarly, ErrUnknown, ErrDestroyed, ErrPending, ErrNotOwner, ErrNotHost, ErrNoPeer} {
		if errors.Is(err, usual) {
			return true
		}
	}
	return false
}

// The reasons why objects of others are refused that are within their maker's share.
var (
	errSite = fmt.Errorf("%w, and those of the machines of one address %d KiB", ErrShare, MaxSite>>10)
	errKept = fmt.Errorf("%w, and those of departed machines that the machines of one address bring %d KiB", ErrShare, MaxKept>>10)
)
