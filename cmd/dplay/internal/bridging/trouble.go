package bridging

import (
	"context"
	"errors"
	"fmt"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
)

// WantsCredential says what to do about a relay that would take another name and password.
const WantsCredential = `"dplay bridge credential" makes a name and a password where the relay's secret is; who shares gives them to ` +
	`--relay: NAME:PASSWORD@203.0.113.5`

// Trouble says in the user's terms why a bridged session cannot be had.
func Trouble(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errLate):
		return errLate
	case ctx.Err() != nil:
		return errors.New("interrupted before the session was there")
	case errors.Is(err, bridge.ErrEmpty):
		return errors.New("everybody has left the session: its relay answers, and nobody else does. Ask for a new code")
	}
	if errors.Is(err, link.ErrUnreachable) {
		err = fmt.Errorf("%w\nis it running, is its address right, and are its ports open? \"dplay help relay\" has the ports", err)
	}
	var refused *link.RefusedError
	if errors.As(err, &refused) && refused.Credential {
		err = fmt.Errorf("%w\n%s", err, WantsCredential)
	}
	return err
}
