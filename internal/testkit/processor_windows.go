package testkit

import (
	"syscall"
	"time"
)

// Processor returns the processor time that this process has used, the kernel's part included. Unlike the time that elapses it
// does not grow while other processes hold the processor, so a test may limit the work between two calls by it. Tests that run in
// parallel add to it.
func Processor() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err)
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &ended, &kernel, &user); err != nil {
		panic(err)
	}
	// A Filetime counts 100 ns. Filetime.Nanoseconds subtracts the years to 1970, which a span of time does not have.
	span := func(f syscall.Filetime) time.Duration {
		return 100 * time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime))
	}
	return span(kernel) + span(user)
}
