//go:build !linux

package sock

import "syscall"

// acknowledgedSystem cannot tell here what the peer's system has.
func acknowledgedSystem(syscall.Conn) bool { return false }
