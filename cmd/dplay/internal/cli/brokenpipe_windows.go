package cli

import "syscall"

// brokenPipes are the errors of writing to a pipe that nobody reads: ERROR_BROKEN_PIPE and ERROR_NO_DATA.
var brokenPipes = []error{syscall.ERROR_BROKEN_PIPE, syscall.Errno(232), syscall.EPIPE}
