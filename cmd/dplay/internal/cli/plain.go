package cli

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// Plain returns an error's text without the words in which package net tells what the system said.
func Plain(err error) string {
	text := err.Error()
	for _, op := range networkErrors(err, nil) {
		text = strings.ReplaceAll(text, op.Error(), plainNetwork(op))
	}
	return text
}

// networkErrors appends the errors of package net in a tree of errors.
func networkErrors(err error, list []*net.OpError) []*net.OpError {
	if op, ok := err.(*net.OpError); ok { //nolint:errorlint // the tree is walked
		return append(list, op)
	}
	switch e := err.(type) { //nolint:errorlint // likewise
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			list = networkErrors(inner, list)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			list = networkErrors(inner, list)
		}
	}
	return list
}

// plainNetwork says what could not be done where, and why.
func plainNetwork(op *net.OpError) string {
	what := map[string]string{"listen": "cannot listen at", "dial": "cannot reach", "read": "cannot read from", "write": "cannot send to"}[op.Op]
	if what == "" {
		what = "cannot " + op.Op
	}
	where := strings.ToUpper(strings.TrimRight(op.Net, "46"))
	if op.Addr != nil {
		where += " " + op.Addr.String()
	}
	why := ""
	var system *os.SyscallError
	switch {
	case errors.Is(op.Err, os.ErrDeadlineExceeded), op.Timeout():
		why = "no answer in time"
	case errors.Is(op.Err, syscall.EADDRNOTAVAIL):
		why = "this machine does not have that address"
	case errors.As(op.Err, &system):
		why = system.Err.Error()
	default:
		why = op.Err.Error()
	}
	return fmt.Sprintf("%s %s: %s", what, where, why)
}
