package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"dplay4/dpsp"
	"dplay4/wire"
)

// refusals explains the codes with which hosts refuse a player. A host passes on the code of its own calls, or of its game. What needs
// more than the code is in trouble.
var refusals = map[wire.HResult]string{
	wire.ErrInvalidPassword:         "wrong password",
	wire.ErrNoNewPlayers:            "the session is full or takes nobody in",
	wire.ErrBusy:                    "refused, the host is busy, or too much waits in its queues: try again in a moment",
	wire.ErrUnavailable:             "refused, the host cannot do that at the moment, such as while it loses or changes its connection: try again in a moment",
	wire.ErrPending:                 "refused, the host has not finished something that it began before: try again in a moment",
	wire.ErrConnecting:              "refused, the host is still on its way into the session itself: try again in a moment",
	wire.ErrTimeout:                 "refused, the host waited for another machine in vain: one of the session may have gone without a word; try again in a minute",
	wire.ErrConnectionLost:          "refused, the host lost its connection: look for the session again",
	wire.ErrSessionLost:             "refused, the host lost the session: look for it again",
	wire.ErrNoSessions:              "refused, there is no such session at the host any more: look for it again",
	wire.ErrUninitialized:           "refused, the host's program is in no session any more: look for it again",
	wire.ErrNoNameServerFound:       "refused, the host knows no host of the session: it may be changing; look for it again",
	wire.ErrCantAddPlayer:           "refused, the host cannot take a player in: it may be full or have begun",
	wire.ErrCantCreateGroup:         "refused, the host makes no group",
	wire.ErrActivePlayers:           "refused, the host does not do that while there are players",
	wire.ErrAccessDenied:            "refused, the host does not allow it",
	wire.ErrUserCancel:              "refused, somebody at the host said no",
	wire.ErrCancelled:               "refused, it was cancelled at the host",
	wire.ErrAborted:                 "refused, it was broken off at the host",
	wire.ErrInvalidPlayer:           "refused, the host does not know our player: we were lost to it; join again",
	wire.ErrInvalidGroup:            "refused, the host does not know the group",
	wire.ErrPlayerLost:              "refused, we were lost to the host: join again",
	wire.ErrInvalidFlags:            "refused, the host does not take a player of this kind, such as a second server",
	wire.ErrInvalidParams:           "refused, the host takes what we said for wrong: record it (--record) and ask dplay doctor",
	wire.ErrInvalidObject:           "refused, the host's program has lost what it works with: it has to be started again",
	wire.ErrException:               "refused, the host's program failed inside: it may have to be started again",
	wire.ErrGeneric:                 "refused, something failed at the host that it does not name",
	wire.ErrOutOfMemory:             "refused, the host has no memory left",
	wire.ErrUnsupported:             "refused, the host's program does not know how to do that",
	wire.ErrSendTooBig:              "refused, the host's answer is too large for its network: the session has too much in it",
	wire.ErrBufferTooSmall:          "refused, the host's answer does not fit where it wants it: the session has too much in it",
	wire.ErrLogonDenied:             loginWanted,
	wire.ErrNotLoggedIn:             loginWanted,
	wire.ErrAuthenticationFailed:    loginWanted,
	wire.ErrCantLoadSSPI:            loginWanted,
	wire.ErrCantLoadSecurityPackage: loginWanted,
	wire.ErrCantLoadCAPI:            loginWanted,
	wire.ErrEncryptionNotSupported:  loginWanted,
	wire.ErrEncryptionFailed:        loginWanted,
	wire.ErrSignFailed:              loginWanted,
}

const loginWanted = "refused, the session is a secure one, which wants a login; this program cannot log in"

// recordIt is the advice for answers that make no sense.
const recordIt = "record it (--record) and ask dplay doctor"

// trouble explains the error of a session. password reports whether the user gave one; ports are the TCP ports that this machine
// listens at.
func trouble(err error, password bool, ports wire.Ports) error {
	var h wire.HResult
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted before the session was there")
	case errors.Is(err, wire.ErrCantCreatePlayer):
		return fmt.Errorf("the session is full or takes no new players: %s", wire.ErrCantCreatePlayer)
	case errors.As(err, &h):
		why := cmp.Or(refusals[h], "refused")
		switch {
		case h == wire.ErrInvalidPassword && !password:
			why = "the session wants a password, --password"
		case h == wire.ErrNoConnection:
			why = "refused, the host has no connection to us: a firewall or router may stop it from reaching our TCP " + ports.String()
		}
		return fmt.Errorf("%s: the host answers %s", why, h)
	case err == dpsp.ErrTimeout: //nolint:errorlint // a wrapped one knows more
		return fmt.Errorf("the host does not answer any more: a firewall may stop it from reaching us (TCP %s)", ports)
	case errors.Is(err, dpsp.ErrNonsense), errors.Is(err, dpsp.ErrHungUp), errors.Is(err, dpsp.ErrTimeout):
		return fmt.Errorf("%w: %s", err, recordIt)
	}
	return err
}
