package directplay

import (
	"context"
	"errors"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/playerlist"
	"dplay4/wire"
)

// results are the codes of what a command can fail with, besides codes of the host. The first that fits counts.
var results = []struct {
	err  error
	code wire.HResult
}{
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
	{sock.ErrClosed, wire.ErrAborted},
	{context.Canceled, wire.ErrAborted},
	{context.DeadlineExceeded, wire.ErrTimeout},
}

// result returns the code that a game gets for an error.
func (o *Object) result(err error) wire.HResult {
	if err == nil {
		return wire.OK
	}
	var h wire.HResult
	if errors.As(err, &h) {
		return h
	}
	for _, r := range results {
		if errors.Is(err, r.err) {
			return r.code
		}
	}
	o.log.Error("failed", "why", err)
	return wire.ErrGeneric
}
