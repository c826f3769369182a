//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// Processor returns the processor time that this process has used, the kernel's part included. Unlike the time that elapses it
// does not grow while other processes hold the processor, so a test may limit the work between two calls by it. Tests that run in
// parallel add to it.
func Processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
