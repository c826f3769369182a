package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostSecret bounds a secret in a file, in octets.
const mostSecret = 4096

// ReadSecret reads a secret, which is one line, from an open file or a pipe. The line break is not part of it.
func ReadSecret(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, mostSecret+1))
	text := strings.TrimRight(string(b), "\r\n")
	switch {
	case err != nil:
		return "", err
	case len(b) > mostSecret:
		return "", fmt.Errorf("a secret has at most %d octets", mostSecret)
	case strings.ContainsAny(text, "\r\n"):
		return "", errors.New("a secret is one line")
	}
	return text, nil
}
