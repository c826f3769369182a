package bridging

import (
	"context"

	"dplay4/dpsp/bridge"
)

// Here returns the program of this machine that is a bridge, such as "dplay (process 4711)"; "" if none is. Where the system does not
// tell who has ports, it knows of the user's own.
func Here(ctx context.Context) string {
	if name := bridge.Here(); name != "" {
		return name
	}
	if _, err := Ask(ctx, "list", ""); err == nil {
		return "dplay"
	}
	return ""
}
