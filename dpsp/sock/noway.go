package sock

import (
	"errors"
	"syscall"
)

// NoWay reports whether an error says that this machine itself knows no way to an address: its cable is out, for example, or it has
// no IPv6. The numbers are Windows' own, which no other system has.
func NoWay(err error) bool {
	const wsaNetDown, wsaNetUnreachable syscall.Errno = 10050, 10051
	for _, e := range []error{syscall.ENETUNREACH, syscall.ENETDOWN, wsaNetDown, wsaNetUnreachable} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
