package processor

import (
	"syscall"
	"time"
)

// Time returns the processor time that this process has used, the kernel's part included; 0 if the system does not tell.
func Time() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return 0
	}
	// A Filetime counts 100 ns. Filetime.Nanoseconds subtracts the years to 1970, which a span of time does not have.
	span := func(f syscall.Filetime) time.Duration {
		return 100 * time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime))
	}
	return span(kernel) + span(user)
}
