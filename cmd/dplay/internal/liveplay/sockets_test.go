package liveplay

import (
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/internal/testkit"
)

// TestSendAgain: the host closes its connection after each message, and the next message goes over another one.
func TestSendAgain(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	const text = "octets"
	heard := make(chan string)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			b := make([]byte, len(text))
			_, err = io.ReadFull(c, b)
			assert.NoError(t, err)
			assert.NoError(t, c.(*net.TCPConn).SetLinger(0)) // the next message is refused at once
			c.Close()
			heard <- string(b)
		}
	}()
	at := l.Addr().(*net.TCPAddr).AddrPort()
	s := &sockets{ip: at.Addr(), port: at.Port(), out: map[netip.AddrPort]net.Conn{}}
	for range 3 {
		require.NoError(t, s.send(testkit.Context(t), &replay.Act{Transport: captures.TCP, Data: []byte(text)}))
		said, _ := testkit.Receive(t, heard, "a message at the host")
		assert.Equal(t, text, said)
	}
}

// TestClosed: only the end of a connection has the next message go over another one, not a host that takes nothing for a while.
func TestClosed(t *testing.T) {
	for _, err := range []error{syscall.EPIPE, syscall.ECONNRESET, net.ErrClosed, syscall.Errno(10053), syscall.Errno(10054)} {
		assert.True(t, closed(&net.OpError{Op: "write", Err: os.NewSyscallError("write", err)}), "%v", err)
	}
	for _, err := range []error{os.ErrDeadlineExceeded, syscall.EHOSTUNREACH} {
		assert.False(t, closed(&net.OpError{Op: "write", Err: err}), "%v", err)
	}
}
