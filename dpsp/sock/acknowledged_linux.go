package sock

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// acknowledgedSystem is acknowledged for a connection of the system: SIOCOUTQ counts what the peer's system has not, the end as one
// octet.
func acknowledgedSystem(c syscall.Conn) bool {
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
