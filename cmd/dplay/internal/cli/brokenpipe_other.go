//go:build !windows

package cli

import "syscall"

// brokenPipes are the errors of writing to a pipe that nobody reads.
var brokenPipes = []error{syscall.EPIPE}
