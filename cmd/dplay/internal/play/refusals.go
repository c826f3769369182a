package play

import (
	"errors"
	"fmt"

	"dplay4/dpsp"
	"dplay4/wire"
)

// refusals explains the codes with which hosts refuse a player. A host passes on the code of its own calls, or of its game. The codes
// of passwords, full sessions and ports are in trouble.
var refusals = map[wire.HResult]string{
	wire.ErrBusy: "the host is busy, or too much waits in its queues: try again in a moment",
	wire.ErrUnavailable: "the host cannot do that at the moment, such as while it loses or changes its connection: try again in a " +
		"moment",
	wire.ErrPending:    "the host has not finished something that it began before: try again in a moment",
	wire.ErrConnecting: "the host is still on its way into the session itself: try again in a moment",
	wire.ErrTimeout: "the host waited for another machine in vain: one of the session may have gone without a " +
		"word; try again in a minute",
	wire.ErrConnectionLost:          "the host lost its connection: look for the session again",
	wire.ErrSessionLost:             "the host lost the session: look for it again",
	wire.ErrNoSessions:              "there is no such session at the host any more: look for it again",
	wire.ErrUninitialized:           "the host's program is in no session any more: look for it again",
	wire.ErrNoNameServerFound:       "the host knows no host of the session: it may be changing; look for it again",
	wire.ErrCantAddPlayer:           "the host cannot take a player in: it may be full or have begun",
	wire.ErrCantCreateGroup:         "the host makes no group",
	wire.ErrActivePlayers:           "the host does not do that while there are players",
	wire.ErrAccessDenied:            "the host does not allow it",
	wire.ErrUserCancel:              "somebody at the host said no",
	wire.ErrCancelled:               "it was cancelled at the host",
	wire.ErrAborted:                 "it was broken off at the host",
	wire.ErrInvalidPlayer:           "the host does not know our player: we were lost to it; join again",
	wire.ErrInvalidGroup:            "the host does not know the group",
	wire.ErrPlayerLost:              "we were lost to the host: join again",
	wire.ErrInvalidFlags:            "the host does not take a player of this kind, such as a second server",
	wire.ErrInvalidParams:           "the host takes what we said for wrong: record it (--record) and ask dplay doctor",
	wire.ErrInvalidObject:           "the host's program has lost what it works with: it has to be started again",
	wire.ErrException:               "the host's program failed inside: it may have to be started again",
	wire.ErrGeneric:                 "something failed at the host that it does not name",
	wire.ErrOutOfMemory:             "the host has no memory left",
	wire.ErrUnsupported:             "the host's program does not know how to do that",
	wire.ErrSendTooBig:              "the host's answer is too large for its network: the session has too much in it",
	wire.ErrBufferTooSmall:          "the host's answer does not fit where it wants it: the session has too much in it",
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

const loginWanted = "the session is a secure one, which wants a login; this program cannot log in"

// recordIt is the advice for answers that make no sense.
const recordIt = "record it (--record) and ask dplay doctor"

// trouble explains the error of a session. password reports whether the user gave one; ports are the TCP ports that this machine
// listens at.
func trouble(err error, password bool, ports wire.Ports) error {
	var h wire.HResult
	switch {
	case errors.Is(err, wire.ErrInvalidPassword) && !password:
		return fmt.Errorf("the session wants a password, --password: the host answers %s", wire.ErrInvalidPassword)
	case errors.Is(err, wire.ErrInvalidPassword):
		return fmt.Errorf("wrong password: the host answers %s", wire.ErrInvalidPassword)
	case errors.Is(err, wire.ErrNoNewPlayers):
		return fmt.Errorf("the session is full or takes nobody in: the host answers %s", wire.ErrNoNewPlayers)
	case errors.Is(err, wire.ErrCantCreatePlayer):
		return fmt.Errorf("the session is full or takes no new players: %s", wire.ErrCantCreatePlayer)
	case errors.Is(err, wire.ErrNoConnection):
		return fmt.Errorf("refused, the host has no connection to us: a firewall or router may stop it from reaching our TCP %s: "+
			"the host answers %s", ports, wire.ErrNoConnection)
	case errors.As(err, &h) && refusals[h] != "":
		return fmt.Errorf("refused, %s: the host answers %s", refusals[h], h)
	case errors.As(err, &h):
		return fmt.Errorf("refused: the host answers %s", h)
	case errors.Is(err, dpsp.ErrNonsense), errors.Is(err, dpsp.ErrHungUp), errors.Is(err, dpsp.ErrTimeout) &&
		err != dpsp.ErrTimeout: //nolint:errorlint // more is known
		return fmt.Errorf("%w: %s", err, recordIt)
	case errors.Is(err, dpsp.ErrTimeout):
		return fmt.Errorf("the host does not answer any more: a firewall may stop it from reaching us (TCP %s)", ports)
	}
	return err
}
