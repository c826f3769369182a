package main

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// TestWrongAcks holds that the attacker calls again when its connection is closed.
func TestWrongAcks(t *testing.T) {
	at := testkit.Addrs(t, 250)[0]
	l, err := net.Listen("tcp4", net.JoinHostPort(at.String(), "0"))
	require.NoError(t, err)
	defer l.Close()
	x := &striker{role: &role{ctx: testkit.Context(t), end: make(chan struct{})}}
	x.First = at
	x.Host.Stream = l.Addr().(*net.TCPAddr).AddrPort()
	done := make(chan error, 1)
	go func() {
		defer l.Close() // whoever accepts waits no longer
		done <- x.wrongAcks()
	}()
	for range 3 {
		c, err := l.Accept()
		if err != nil {
			require.NoError(t, <-done)
		}
		_, err = c.Read(make([]byte, 1)) // so that it is connected
		require.NoError(t, err)
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	close(x.end)
	assert.NoError(t, <-done)
}
