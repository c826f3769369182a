//go:build unix

package sock

import (
	"errors"
	"syscall"
)

// peekSystem is peek for a connection of the system.
func peekSystem(c syscall.Conn) found {
	raw, err := c.SyscallConn()
	if err != nil {
		return ended
	}
	is := ended // where even Control fails, it is closed
	raw.Control(func(fd uintptr) {
		var b [1]byte
		n, err := 0, error(syscall.EINTR)
		for errors.Is(err, syscall.EINTR) {
			n, _, err = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		}
		switch {
		case errors.Is(err, syscall.EAGAIN):
			is = nothing
		case err == nil && n > 0:
			is = octets
		}
	})
	return is
}
