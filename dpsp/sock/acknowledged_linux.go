package sock

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// acknowledged says whether the peer's system has all that was written to a connection, and its end: SIOCOUTQ counts
// what it has not, the end as one octet.
func acknowledged(c syscall.Conn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	left := -1 // where even Control fails, it is closed
	raw.Control(func(fd uintptr) {
		if n, err := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ); err == nil {
			left = n
		}
	})
	return left == 0
}
