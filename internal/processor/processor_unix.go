//go:build unix

package processor

import (
	"syscall"
	"time"
)

// Time returns the processor time that this process has used, the kernel's part included; 0 if the system does not tell.
func Time() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
