//go:build !unix

package bench

import (
	"errors"
	"os"
)

// freeze says that there is no way here to stop a process.
func freeze(*os.Process) error {
	return errors.New("this system cannot stop a process: give -stops 0")
}
