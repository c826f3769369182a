package network

import (
	"context"
	"net"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// A listener returns its connection after an error, and then errors: those of a process without descriptors until it is closed.
type listener struct {
	calls  int
	closed bool
}

func (l *listener) Accept() (net.Conn, error) {
	l.calls++
	switch {
	case l.closed:
		return nil, &net.OpError{Op: "accept", Err: net.ErrClosed}
	case l.calls == 2:
		return &net.TCPConn{}, nil
	}
	return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
}

func (l *listener) Close() error   { l.closed = true; return nil }
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

// TestAccept: an error passes, and Accept returns once the listener is closed, or the channel while there are errors.
func TestAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taken, l := 0, &listener{}
		Accept(l, nil, func(Stream) { taken++; l.Close() })
		assert.Equal(t, 1, taken)
		assert.Equal(t, 3, l.calls)

		ctx, cancel := context.WithCancel(t.Context())
		Accept(&listener{}, ctx.Done(), func(Stream) { taken++; cancel() })
		assert.Equal(t, 2, taken)
	})
}
