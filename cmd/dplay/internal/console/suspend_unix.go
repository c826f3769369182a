//go:build !windows

package console

import "syscall"

// suspend stops the programs of our job until the shell lets them go on; where no shell does that, the system knows and ignores it.
func suspend() {
	syscall.Kill(0, syscall.SIGTSTP) //nolint:errcheck // then we go on
}
