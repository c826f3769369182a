package link

import (
	"errors"
	"fmt"
	"time"

	"github.com/pion/stun/v4"

	"dplay4/dpsp/bridge/code"
)

// A RefusedError is why a relay that answers does not let us in.
type RefusedError struct {
	Credential bool // another name and password would do
	text       string
}

func (e *RefusedError) Error() string { return e.text }

// refused returns what a relay has against us, if it is the relay that gave the error, or else nil.
func refused(err error, r code.Relay, now time.Time) *RefusedError {
	e, is := errors.AsType[*stun.TurnError](err)
	if !is {
		return nil
	}
	switch c := e.ErrorCodeAttr.Code; c {
	case stun.CodeUnauthorized, stun.CodeBadRequest, stun.CodeWrongCredentials: // pion's has 400 for 401
		return &RefusedError{true, unknown(r, now)}
	case stun.CodeAllocQuotaReached:
		return &RefusedError{false, "it is full: it takes no more machines, with this address or this name, or in all"}
	case stun.CodeInsufficientCapacity:
		return &RefusedError{false, "it is full, or about to end"}
	default:
		return &RefusedError{false, fmt.Sprintf("it refuses with error %d (%s)", c, e.ErrorCodeAttr.Reason)}
	}
}

// unknown says why a relay does not know who we are.
func unknown(r code.Relay, now time.Time) string {
	user, err := code.ParseUser(r.User)
	switch {
	case r.User == "":
		return "it lets in only who has a name and a password"
	case err == nil && !user.Expires.After(now):
		return "the name and the password for it expired at " + user.Expires.UTC().Format("15:04 UTC on 2 January 2006")
	case err == nil:
		return "the name or the password for it is wrong, or has expired by its clock"
	}
	return "the name or the password for it is wrong"
}
