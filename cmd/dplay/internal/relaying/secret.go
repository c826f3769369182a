package relaying

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge/code"
)

const fewestSecret = 8

// ReadSecret reads the secret of a relay that is not open. A line break at its end does not belong to it.
func ReadSecret(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := readSecret(f)
	var system *fs.PathError
	if err != nil && !errors.As(err, &system) { // that one has the name
		err = fmt.Errorf("%s: %w", name, err)
	}
	return text, err
}

// readSecret reads it from an open file, which may be a pipe.
func readSecret(r io.Reader) (string, error) {
	text, err := cli.ReadSecret(r)
	if err == nil && len(text) < fewestSecret {
		err = fmt.Errorf("a secret has %d octets or more, not %d; \"openssl rand -hex 16\" makes a good one", fewestSecret, len(text))
	}
	return text, err
}

// secret returns the secret in a file, and what is wrong with that; without a file that of an open relay.
func secret(name string) (text string, notes []string, err error) {
	if name == "" {
		return code.OpenSecret, nil, nil
	}
	if text, err = ReadSecret(name); err != nil {
		return "", nil, fmt.Errorf("--auth-secret-file: %w", err)
	}
	if info, err := os.Stat(name); err == nil {
		if note := cli.OpenToAll(name, info); note != "" {
			notes = append(notes, note)
		}
	}
	return text, notes, nil
}
