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

// The codes that are set or tested by name. codes has all.
const (
	NotJSON         Code = "not-json"
	InvalidUTF8     Code = "invalid-utf8"
	LineTooLong     Code = "line-too-long"
	UnknownCommand  Code = "unknown-command"
	UnknownKey      Code = "unknown-key"
	RepeatedKey     Code = "repeated-key"
	TooManyKeys     Code = "too-many-keys"
	MissingKey      Code = "missing-key"
	WrongType       Code = "wrong-type"
	BadValue        Code = "bad-value"
	NoPlayer        Code = "no-player"
	NoGroup         Code = "no-group"
	UnknownPassword Code = "unknown-password"
	Refused         Code = "refused"
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
	{"no-such-id", "no player, group or object has the id (any more)",
		[]error{dpsp.ErrNoID, playerlist.ErrUnknown, object.ErrUnknown, object.ErrDestroyed, object.ErrNoPeer}},
	{NoPlayer, "we have no player that could say it", nil},
	{NoGroup, "there is no group of the name of --group now; later there may be", nil},
	{"not-ours", "it belongs to another machine", []error{dpsp.ErrNotOurs, object.ErrNotOwner}},
	{"not-host", "only the host may do it", []error{dpsp.ErrNotHost, object.ErrNotHost}},
	{"wrong-id", "it is the id of a group where a player is meant, or the like",
		[]error{playerlist.ErrNotPlayer, playerlist.ErrNotGroup, playerlist.ErrSelf}},
	{"already-member", "the player is in the group, or the shortcut there, already", []error{playerlist.ErrMember}},
	{"not-member", "the player is not in the group, or there is no such shortcut", []error{playerlist.ErrNotMember}},
	{"too-large", "a message, name, data or state is larger than any can be",
		[]error{dpsp.ErrTooBig, playerlist.ErrTooLarge, object.ErrTooLarge}},
	{"limit", "there are as many players, groups or objects as there can be",
		[]error{dpsp.ErrShare, playerlist.ErrFull, object.ErrFull, object.ErrExhausted}},
	{"flags", "flags contradict each other, or cannot change",
		[]error{dpsp.ErrFlags, dpsp.ErrFixed, dpsp.ErrSecure, playerlist.ErrFlags}},
	{UnknownPassword, `set_session has to say "password": another machine changed it`, nil},
	{"no-host", "the session has no host at the moment", []error{dpsp.ErrNoHost, object.ErrNoHost}},
	{"no-objects", "the session has no objects", []error{dpsp.ErrNoObjects}},
	{"nothing-waits", "no such message waits to be sent", []error{dpsp.ErrNoMessage}},
	{"busy", "too much of the kind is under way: try again", []error{dpsp.ErrBusy, object.ErrPending}},
	{"timeout", "the host did not answer", []error{dpsp.ErrTimeout}},
	{Refused, "the host, or the session's flags, do not allow it; the text has the HRESULT", nil},
	{"no-session", "we are in no session now, or left", []error{dpsp.ErrNoSession, dpsp.ErrLeft, dpsp.ErrLost, sock.ErrClosed,
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
