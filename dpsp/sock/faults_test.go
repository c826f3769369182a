package sock

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFaults tells errors of systems apart; the numbers of Windows are in its winerror.h.
func TestFaults(t *testing.T) {
	for _, e := range []error{syscall.ENETUNREACH, syscall.Errno(10051), syscall.Errno(10050)} {
		err := fmt.Errorf("x: %w", &net.OpError{Err: os.NewSyscallError("connect", e)})
		assert.True(t, NoWay(err))
		assert.False(t, Refused(err))
	}
	for _, e := range []error{syscall.ECONNREFUSED, syscall.Errno(10061)} {
		assert.True(t, Refused(&net.OpError{Err: e}))
		assert.False(t, NoWay(e))
	}
	assert.False(t, NoWay(nil) || Refused(nil) || Refused(os.ErrDeadlineExceeded) || NoWay(syscall.EHOSTUNREACH))
}
