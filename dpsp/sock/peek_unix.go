//go:build unix

package sock

import (
	"errors"
	"syscall"
)

// peek says what a read of a connection would find. It takes nothing and does not wait, so it may be asked while
// somebody else reads.
func peek(c syscall.Conn) found {
	raw, err := c.SyscallConn()
	if err != nil {
		return ended
	}
	is := ended // where even Control fails, it is closed
	raw.Control(func(fd uintptr) {
		var b [1]byte
		for {
			n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case errors.Is(err, syscall.EAGAIN):
				is = nothing
			case err == nil && n > 0:
				is = octets
			}
			return
		}
	})
	return is
}
