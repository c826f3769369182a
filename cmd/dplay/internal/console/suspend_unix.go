//go:build !windows

package console

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopTime is how long the system may take to stop us. That it does is nothing that a program can see before it goes on again.
const stopTime = 200 * time.Millisecond

// suspend stops the programs of our job until the shell lets them go on; where no shell does that, the system knows and ignores
// it. It waits for the shell's word: the system stops us at some time after it was asked to, and what is done before that would
// be done to the shell's terminal.
func suspend() {
	on := make(chan os.Signal, 1)
	signal.Notify(on, syscall.SIGCONT)
	defer signal.Stop(on)
	syscall.Kill(0, syscall.SIGTSTP) //nolint:errcheck // then we go on
	select {
	case <-on:
	case <-time.After(stopTime):
	}
}
