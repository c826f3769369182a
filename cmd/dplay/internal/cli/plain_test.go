package cli

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPlain tells errors of the network, alone, wrapped and several at once.
func TestPlain(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 2300}
	listen := &net.OpError{Op: "listen", Net: "tcp4", Addr: at, Err: os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)}
	dial := &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	late := &net.OpError{Op: "read", Net: "udp4", Addr: at, Err: os.ErrDeadlineExceeded}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("no network in it"), "no network in it"},
		{fmt.Errorf("--serve: %w", listen), "--serve: cannot listen at TCP 192.0.2.1:2300: this machine does not have that address"},
		{dial, "cannot reach TCP 192.0.2.1:2300: " + syscall.ECONNREFUSED.Error()},
		{errors.Join(late, fmt.Errorf("and %w", listen)), "cannot read from UDP 192.0.2.1:2300: no answer in time\n" +
			"and cannot listen at TCP 192.0.2.1:2300: this machine does not have that address"},
		{fmt.Errorf("%w; %w", dial, late), "cannot reach TCP 192.0.2.1:2300: " + syscall.ECONNREFUSED.Error() +
			"; cannot read from UDP 192.0.2.1:2300: no answer in time"},
		{&net.OpError{Op: "accept", Net: "tcp", Err: errors.New("closed")}, "cannot accept TCP: closed"},
	} {
		assert.Equal(t, c.want, Plain(c.err))
	}
}

// TestNearest suggests the nearest word, not the first one that is near.
func TestNearest(t *testing.T) {
	list := []string{"form", "format", "follow"}
	for name, want := range map[string]string{
		"fomat": `: did you mean "format"?`, "forn": `: did you mean "form"?`, "fol": `: did you mean "follow"?`,
		"fo": "", "xyzzy": "",
	} {
		assert.Equal(t, want, Nearest(name, list), name)
	}
}
