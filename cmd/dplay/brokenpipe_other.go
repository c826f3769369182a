//go:build !windows

package main

import "syscall"

// brokenPipes are the errors of writing to a pipe that nobody reads.
var brokenPipes = []error{syscall.EPIPE}
