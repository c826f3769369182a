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

// Beside adds to the error of a taken port that the bridge of this machine holds it, and what to do.
func Beside(ctx context.Context, err error) error {
	var taken *sock.TakenError
	if !errors.As(err, &taken) {
		return err
	}
	return explainTaken(taken, Here(ctx))
}

// explainTaken is Beside for the bridge of that name; "" if there is none.
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
