package sock

import (
	"syscall"

	"dplay4/dpsp/sock/network"
)

// A found is what a read of a connection would find.
type found uint8

const (
	nothing found = iota // it would wait
	octets               // more to read; whether an end follows cannot be seen
	ended                // the other side closed it, or it broke
)

// peek says what a read of a connection would find. It takes nothing and does not wait, so it may be called while
// another goroutine reads.
func peek(c network.Stream) found {
	switch c := c.(type) {
	case syscall.Conn:
		return peekSystem(c)
	case network.Looker:
		switch more, end := c.Look(); {
		case more:
			return octets
		case end:
			return ended
		}
	}
	return nothing
}

// acknowledged says whether the peer's system has all that was written to a connection, and its end; false where that cannot be
// known.
func acknowledged(c network.Stream) bool {
	switch c := c.(type) {
	case syscall.Conn:
		return acknowledgedSystem(c)
	case network.Looker:
		return c.Acknowledged()
	}
	return false
}
