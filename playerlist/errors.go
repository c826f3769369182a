package playerlist

import (
	"errors"
	"strconv"

	"dplay4/wire"
)

// The reasons for which an operation is refused. An [OpError] or [EntryError] wraps one of them.
var (
	// ErrUnknown says that no player or group has the id.
	ErrUnknown = errors.New("no player or group has this id")
	// ErrInUse says that a player or group has the id already.
	ErrInUse = errors.New("the id is in use")
	// ErrReserved says that the id names nobody in particular: 0, 0xffffffff, or 1 for anybody but a server player.
	ErrReserved = errors.New("the id is reserved")
	// ErrNotPlayer says that the id is a group's.
	ErrNotPlayer = errors.New("is a group, not a player")
	// ErrNotGroup says that the id is a player's.
	ErrNotGroup = errors.New("is a player, not a group")
	// ErrNotSystem says that a system player was needed: only they own players and groups, and only they are hosts.
	ErrNotSystem = errors.New("is not a system player")
	// ErrFlags says that the flags contradict each other or the kind: NAMESERVER without SYSTEM, a group with either.
	ErrFlags = errors.New("flags contradict each other")
	// ErrHost says that a second player was to be added as host.
	ErrHost = errors.New("the session has a host")
	// ErrOwns says that a system player owns players or groups and cannot go before them.
	ErrOwns = errors.New("still owns players or groups")
	// ErrMember says that it is in the group already.
	ErrMember = errors.New("is in the group already")
	// ErrNotMember says that it is not in the group.
	ErrNotMember = errors.New("is not in the group")
	// ErrSelf says that a group was to hold itself.
	ErrSelf = errors.New("a group cannot hold itself")
	// ErrFull says that the list cannot hold more: MaxRows, MaxLinks or MaxOctets.
	ErrFull = errors.New("the list is full")
	// ErrTooLarge says that names and data are too large for one message.
	ErrTooLarge = errors.New("names and data are too large")
	// ErrText says that a name or password does not end with its only zero WCHAR, so no list could be sent.
	ErrText = errors.New("a name without terminating zero, or with something after it")
	// ErrOp says that there is no operation: it is nil.
	ErrOp = errors.New("no operation")
	// ErrOrder says that rows of a state are not in order of joining, or have numbers beyond its version.
	ErrOrder = errors.New("is not in order of joining")
)

// An OpError says which operation was refused, on account of which id, and why.
type OpError struct {
	Op  string        // the operation's name, "AddPlayer"
	ID  wire.PlayerID // which is not always the one that the operation is about: an owner, a group
	Err error         // one of the reasons of this package
}

// Error returns operation, id and reason in one line.
func (e *OpError) Error() string { return e.Op + " " + e.ID.String() + ": " + e.Err.Error() }

// Unwrap returns the reason, for errors.Is.
func (e *OpError) Unwrap() error { return e.Err }

// The reasons for which a number is refused. A [VersionError] wraps one of them.
var (
	// ErrGap says that operations are missing before this one.
	ErrGap = errors.New("operations before it are missing")
	// ErrRepeat says that an operation of this number was applied before.
	ErrRepeat = errors.New("was applied before")
	// ErrVersions says that the numbers are used up.
	ErrVersions = errors.New("no number is left")
)

// A VersionError says that an operation came out of order.
type VersionError struct {
	Have uint32 // the list's version
	Got  uint32 // the operation's number
	Err  error  // ErrGap, ErrRepeat or ErrVersions
}

// Error returns both numbers and the reason in one line.
func (e *VersionError) Error() string {
	return "operation " + decimal(e.Got) + " at version " + decimal(e.Have) + ": " + e.Err.Error()
}

// Unwrap returns the reason, for errors.Is.
func (e *VersionError) Unwrap() error { return e.Err }

// An EntryError says which part of a state or message could not be taken into a list as it stands.
type EntryError struct {
	Place string // "Players[2]", "Groups[0].PlayerIDs[7]"
	Err   error  // an *OpError, or a reason of this package
}

// Error returns place and reason in one line.
func (e *EntryError) Error() string { return e.Place + ": " + e.Err.Error() }

// Unwrap returns what is wrong, for errors.Is and errors.As.
func (e *EntryError) Unwrap() error { return e.Err }

// Refused is what of a message could not be taken into a list, in the order in which it was found out. It is
// never empty.
type Refused []*EntryError

// Error returns the first one and the number of the others.
func (r Refused) Error() string {
	if len(r) == 1 {
		return r[0].Error()
	}
	return r[0].Error() + " (and " + strconv.Itoa(len(r)-1) + " more)"
}

// Unwrap returns all of them, for errors.Is and errors.As.
func (r Refused) Unwrap() []error {
	all := make([]error, len(r))
	for i, e := range r {
		all[i] = e
	}
	return all
}

func decimal(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
