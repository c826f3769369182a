package sock

import "syscall"

// NoWay reports whether an error says that this machine itself knows no way to an address: its cable is out, for example, or it has
// no IPv6.
func NoWay(err error) bool {
	const wsaNetDown, wsaNetUnreachable syscall.Errno = 10050, 10051
	return isAny(err, syscall.ENETUNREACH, syscall.ENETDOWN, wsaNetDown, wsaNetUnreachable)
}

// Refused reports whether an error says that a machine is there, and nothing takes connections at the port.
func Refused(err error) bool {
	const wsaRefused syscall.Errno = 10061
	return isAny(err, syscall.ECONNREFUSED, wsaRefused)
}
