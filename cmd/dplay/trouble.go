package main

import (
	"errors"
	"fmt"

	"dplay4/dpsp"
	"dplay4/wire"
)

// recordIt is what helps where a host says what nobody understands.
const recordIt = "record it (--record) and ask dplay doctor"

// trouble says in the user's terms why a session cannot be had. password says whether the user gave one, ports at which TCP
// ports we may listen.
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
