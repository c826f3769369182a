package commands

import (
	"context"
	"errors"
	"slices"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/hostmigrate/object"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A Code says why a command failed. Codes are stable: programs may test for them.
type Code string

// The codes of lines that are not understood.
const (
	NotJSON        Code = "not-json"
	InvalidUTF8    Code = "invalid-utf8"
	LineTooLong    Code = "line-too-long"
	UnknownCommand Code = "unknown-command"
	UnknownKey     Code = "unknown-key"
	RepeatedKey    Code = "repeated-key"
	TooManyKeys    Code = "too-many-keys"
	MissingKey     Code = "missing-key"
	WrongType      Code = "wrong-type"
	BadValue       Code = "bad-value"
)

// The codes of commands that cannot be done.
const (
	NoSuchID        Code = "no-such-id"
	NoPlayer        Code = "no-player"
	NoGroup         Code = "no-group"
	NotOurs         Code = "not-ours"
	NotHost         Code = "not-host"
	WrongID         Code = "wrong-id"
	AlreadyMember   Code = "already-member"
	NotMember       Code = "not-member"
	TooLarge        Code = "too-large"
	Limit           Code = "limit"
	Flags           Code = "flags"
	UnknownPassword Code = "unknown-password"
	NoHost          Code = "no-host"
	NoObjects       Code = "no-objects"
	NothingWaits    Code = "nothing-waits"
	Busy            Code = "busy"
	Timeout         Code = "timeout"
	Refused         Code = "refused"
	NoSession       Code = "no-session"
	Failed          Code = "failed"
)

// codes says what each code means, in the order in which they are documented.
var codes = []struct {
	code  Code
	about string
	errs  []error // of the library
}{
	{NotJSON, "the line is no JSON object", nil},
	{InvalidUTF8, "the line is not UTF-8", nil},
	{LineTooLong, "the line is longer than 4 MiB; it was left out", nil},
	{UnknownCommand, "there is no such command", nil},
	{UnknownKey, "the command has no such key", nil},
	{RepeatedKey, "the line has a key twice", nil},
	{TooManyKeys, "two keys do not go together", nil},
	{MissingKey, "a key is missing", nil},
	{WrongType, "a value has the wrong type", nil},
	{BadValue, "a value is out of range, or not well formed", []error{dpsp.ErrText, playerlist.ErrText}},
	{NoSuchID, "no player, group or object has the id (any more)",
		[]error{dpsp.ErrNoID, playerlist.ErrUnknown, object.ErrUnknown, object.ErrDestroyed, object.ErrNoPeer}},
	{NoPlayer, "we have no player that could say it", nil},
	{NoGroup, "there is no group of the name of --group now; later there may be", nil},
	{NotOurs, "it belongs to another machine", []error{dpsp.ErrNotOurs, object.ErrNotOwner}},
	{NotHost, "only the host may do it", []error{dpsp.ErrNotHost, object.ErrNotHost}},
	{WrongID, "it is the id of a group where a player is meant, or the like",
		[]error{playerlist.ErrNotPlayer, playerlist.ErrNotGroup, playerlist.ErrSelf}},
	{AlreadyMember, "the player is in the group, or the shortcut there, already", []error{playerlist.ErrMember}},
	{NotMember, "the player is not in the group, or there is no such shortcut", []error{playerlist.ErrNotMember}},
	{TooLarge, "a message, name, data or state is larger than any can be",
		[]error{dpsp.ErrTooBig, playerlist.ErrTooLarge, object.ErrTooLarge}},
	{Limit, "there are as many players, groups or objects as there can be",
		[]error{dpsp.ErrShare, playerlist.ErrFull, object.ErrFull, object.ErrExhausted}},
	{Flags, "flags contradict each other, or cannot change",
		[]error{dpsp.ErrFlags, dpsp.ErrFixed, dpsp.ErrSecure, playerlist.ErrFlags}},
	{UnknownPassword, `set_session has to say "password": another machine changed it`, nil},
	{NoHost, "the session has no host at the moment", []error{dpsp.ErrNoHost, object.ErrNoHost}},
	{NoObjects, "the session has no objects", []error{dpsp.ErrNoObjects}},
	{NothingWaits, "no such message waits to be sent", []error{dpsp.ErrNoMessage}},
	{Busy, "too much of the kind is under way: try again", []error{dpsp.ErrBusy, object.ErrPending}},
	{Timeout, "the host did not answer", []error{dpsp.ErrTimeout}},
	{Refused, "the host, or the session's flags, do not allow it; the text has the HRESULT", nil},
	{NoSession, "we are in no session now, or left", []error{dpsp.ErrNoSession, dpsp.ErrLeft, dpsp.ErrLost, sock.ErrClosed,
		context.Canceled, context.DeadlineExceeded}},
	{Failed, "anything else; the text says what", nil},
}

// faultOf returns what an error of the library means.
func faultOf(err error) *Fault {
	var refused wire.HResult
	if errors.As(err, &refused) {
		return &Fault{Refused, "", err.Error()}
	}
	for _, c := range codes {
		if slices.ContainsFunc(c.errs, func(e error) bool { return errors.Is(err, e) }) {
			return &Fault{c.code, "", err.Error()}
		}
	}
	return &Fault{Failed, "", err.Error()}
}
