package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"runtime"
	"strings"
)

// Exposed returns a warning if others can reach the address at which a flag has this program serve something; "" for loopback.
func Exposed(flag string, at netip.AddrPort, what string) string {
	where := at.Addr().Unmap().WithZone("")
	served, reached := where.String(), "that address"
	switch {
	case where.IsLoopback():
		return ""
	case where.IsUnspecified():
		served, reached = "all addresses", "this machine"
	}
	return fmt.Sprintf("%s at %s: everybody who reaches %s can read %s; 127.0.0.1:%d is for this machine alone",
		flag, served, reached, what, at.Port())
}

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

// OpenToAll returns a note for a file with a secret that everybody can read; "" for another one.
func OpenToAll(name string, info fs.FileInfo) string {
	const readers = 0o004
	if !info.Mode().IsRegular() || info.Mode().Perm()&readers == 0 || runtime.GOOS == "windows" { // where a folder says who reads
		return ""
	}
	return fmt.Sprintf("every user of this machine can read %s: chmod 600 mends that", name)
}
