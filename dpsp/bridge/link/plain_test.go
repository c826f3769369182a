//go:build linux || windows

package link

import (
	"net"
	"net/netip"
	"testing"
	_ "testing/synctest" // it runs in a bubble
	"time"

	"github.com/pion/transport/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
)

// TestPlain: a socket of package sock does as one of package net.
func TestPlain(t *testing.T) { inBubble(t, testPlain) }

func testPlain(t *testing.T) {
	at := testkit.Addr(t)
	open := func() *plain {
		c, err := sock.OpenDatagrams(netip.AddrPortFrom(at, 0))
		require.NoError(t, err)
		p := newPlain(c)
		t.Cleanup(func() { p.Close() })
		return p
	}
	var a, b transport.UDPConn = open(), open()
	n, err := a.WriteTo([]byte("hello"), b.LocalAddr())
	require.NoError(t, err)
	assert.Equal(t, 5, n)
	buf := make([]byte, 10)
	n, from, err := b.ReadFrom(buf)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(buf[:n]))
	assert.Equal(t, a.LocalAddr().String(), from.String())
	require.NoError(t, b.SetReadDeadline(time.Now()))
	_, _, err = b.ReadFrom(buf)
	var late net.Error
	require.ErrorAs(t, err, &late)
	assert.True(t, late.Timeout())
	require.NoError(t, b.SetReadDeadline(time.Time{}))
	ended := make(chan error)
	go func() {
		_, err := b.Read(buf)
		ended <- err
	}()
	require.NoError(t, b.Close())
	assert.ErrorIs(t, <-ended, net.ErrClosed)
}
