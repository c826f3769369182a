//go:build unix

package cli

import (
	"syscall"
	"time"
)

// Processor returns the processor time that this process has used, the kernel's part included; 0 if the system does not tell.
func Processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
