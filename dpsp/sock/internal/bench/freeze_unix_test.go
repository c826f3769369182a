//go:build unix

package bench

import (
	"os"
	"syscall"
)

// freeze stops a process: the system keeps its connections, and nobody answers.
func freeze(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
