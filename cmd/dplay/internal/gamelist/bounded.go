package gamelist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// readBounded returns what is in a file that is not larger than so many octets.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plainPath(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, plainPath(err)
	case int64(len(text)) > most:
		return nil, fmt.Errorf("%s: larger than %d MiB, which is more than such a file has", path, most>>20)
	}
	return text, nil
}

// plainPath returns an error of a file without the name of the system's call.
func plainPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}
