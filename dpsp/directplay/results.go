package directplay

import (
	"context"
	"errors"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/playerlist"
	"dplay4/wire"
)

// codes are the result codes of errors. The first that fits counts.
type codes []struct {
	err  error
	code wire.HResult
}

// of returns the code of an error. other returns that of an error that is not in the table.
func (c codes) of(err error, other func(error) wire.HResult) wire.HResult {
	if err == nil {
		return wire.OK
	}
	for _, r := range c {
		if errors.Is(err, r.err) {
			return r.code
		}
	}
	return other(err)
}

// results are the codes of what a command can fail with, besides codes of the host.
var results = codes{
	{dpsp.ErrInSession, wire.ErrAlreadyInitialized},
	{dpsp.ErrNoSession, wire.ErrNoSessions},
	{dpsp.ErrLeft, wire.ErrAborted},
	{dpsp.ErrTimeout, wire.ErrTimeout},
	{dpsp.ErrUnreachable, wire.ErrNoConnection},
	{dpsp.ErrHungUp, wire.ErrConnectionLost},
	{dpsp.ErrLost, wire.ErrSessionLost},
	{dpsp.ErrNoHost, wire.ErrNoNameServerFound},
	{dpsp.ErrSecure, wire.ErrCantLoadSecurityPackage},
	{dpsp.ErrNotHost, wire.ErrAccessDenied},
	{dpsp.ErrNotOurs, wire.ErrAccessDenied},
	{dpsp.ErrNoID, wire.ErrInvalidPlayer},
	{dpsp.ErrTooBig, wire.ErrSendTooBig},
	{dpsp.ErrFlags, wire.ErrInvalidFlags},
	{dpsp.ErrFixed, wire.ErrInvalidParams},
	{dpsp.ErrText, wire.ErrInvalidParams},
	{dpsp.ErrNoMessage, wire.ErrCancelFailed},
	{dpsp.ErrBusy, wire.ErrBusy},
	{dpsp.ErrShare, wire.ErrOutOfMemory},
	{playerlist.ErrFull, wire.ErrOutOfMemory},
	{playerlist.ErrTooLarge, wire.ErrInvalidParams},
	{playerlist.ErrText, wire.ErrInvalidParams},
	{playerlist.ErrUnknown, wire.ErrInvalidPlayer},
	{playerlist.ErrNotPlayer, wire.ErrInvalidPlayer},
	{playerlist.ErrNotGroup, wire.ErrInvalidGroup},
	{playerlist.ErrNotMember, wire.ErrInvalidPlayer},
	{playerlist.ErrMember, wire.OK}, // who is in a group already stays there
	{sock.ErrClosed, wire.ErrAborted},
	{context.Canceled, wire.ErrAborted},
	{context.DeadlineExceeded, wire.ErrTimeout},
}

// result returns the code that a game gets for an error.
func (o *Object) result(err error) wire.HResult {
	var h wire.HResult
	if errors.As(err, &h) {
		return h
	}
	return results.of(err, func(err error) wire.HResult {
		o.log.Error("failed", "why", err)
		return wire.ErrGeneric
	})
}
