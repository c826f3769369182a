package bridging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Beside adds to an error about ports that are taken what the bridge of this machine has to do with it.
func Beside(ctx context.Context, err error) error {
	var taken *sock.TakenError
	if !errors.As(err, &taken) {
		return err
	}
	return explainTaken(taken, Here(ctx))
}

// explainTaken does so for a bridge, "" if there is none.
func explainTaken(err *sock.TakenError, bridge string) error {
	others := slices.DeleteFunc(slices.Clone(err.By), func(name string) bool { return name == bridge })
	switch {
	case bridge == "" || len(others) == len(err.By):
		return err
	case err.Ports.First == wire.EnumPort:
		return fmt.Errorf("%w. That is the bridge, and the game of another machine in its session hosts: join it, or say host to the bridge first", err)
	case len(others) == 0:
		return fmt.Errorf("%w. That is the bridge, which stands there for other machines: name no ports", err)
	}
	return fmt.Errorf("%w. %s is the bridge: it leaves ports to one program at a time, to play or to search, and %s has them: end that first",
		err, bridge, strings.Join(others, " and "))
}
