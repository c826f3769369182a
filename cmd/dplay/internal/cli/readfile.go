package cli

import (
	"errors"
	"io"
	"os"
)

// ErrTooLarge is the error of ReadFile for a file that is larger than wanted.
var ErrTooLarge = errors.New("the file is too large")

// ReadFile reads a file that has at most so many octets.
func ReadFile(name string, most int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(b) > most {
		err = ErrTooLarge
	}
	return b, err
}
