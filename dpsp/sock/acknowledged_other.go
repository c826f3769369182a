//go:build !linux

package sock

import "syscall"

// acknowledged cannot tell here what the peer's system has.
func acknowledged(syscall.Conn) bool { return false }
