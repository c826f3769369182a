package sock

import (
	"errors"
	"slices"
	"syscall"
)

// NoWay reports whether an error says that this machine itself knows no way to an address: its cable is out, for example, or it has
// no IPv6.
func NoWay(err error) bool {
	const wsaNetDown, wsaNetUnreachable syscall.Errno = 10050, 10051
	return isOne(err, syscall.ENETUNREACH, syscall.ENETDOWN, wsaNetDown, wsaNetUnreachable)
}

// Refused reports whether an error says that a machine is there, and nothing takes connections at the port.
func Refused(err error) bool {
	const wsaRefused syscall.Errno = 10061
	return isOne(err, syscall.ECONNREFUSED, wsaRefused)
}

// isOne reports whether the system gave one of these errors. The numbers above 10000 are Windows' own, which no other system has.
func isOne(err error, of ...syscall.Errno) bool {
	return slices.ContainsFunc(of, func(e syscall.Errno) bool { return errors.Is(err, e) })
}
