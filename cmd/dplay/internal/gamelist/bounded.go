package gamelist

import (
	"errors"
	"fmt"
	"io/fs"

	"dplay4/cmd/dplay/internal/cli"
)

// readBounded returns what is in a file that is not larger than so many octets.
func readBounded(path string, most int) ([]byte, error) {
	text, err := cli.ReadFile(path, most)
	if errors.Is(err, cli.ErrTooLarge) {
		return nil, fmt.Errorf("%s: larger than %d MiB, which is more than such a file has", path, most>>20)
	}
	return text, plainPath(err)
}

// plainPath returns an error of a file without the name of the system's call.
func plainPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}
