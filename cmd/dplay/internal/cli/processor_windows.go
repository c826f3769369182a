package cli

import (
	"time"

	"golang.org/x/sys/windows"
)

// Processor returns the processor time that this process has used, the kernel's part included; 0 if the system does not tell.
func Processor() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return 0
	}
	// A Filetime counts 100 ns. Filetime.Nanoseconds subtracts the years to 1970, which a span of time does not have.
	span := func(f windows.Filetime) time.Duration {
		return 100 * time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime))
	}
	return span(kernel) + span(user)
}
