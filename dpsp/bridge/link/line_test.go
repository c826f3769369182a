//go:build linux || windows

package link

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// TestHostileRelay: a relay that sends what is no packet over TCP, such as the length over which pion's reader goes round for ever
// (facts, bridge 5), costs the connection to it, and nothing more.
func TestHostileRelay(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", net.JoinHostPort(here(8).String(), "3478"))
	require.NoError(t, err)
	defer l.Close()
	came := make(chan struct{}, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			came <- struct{}{}
			go func() {
				defer c.Close()
				if _, err := c.Write([]byte("\x00\x01\xff\xec\x21\x12\xa4\x42transaction!")); err == nil {
					io.Copy(io.Discard, c) //nolint:errcheck // until it is closed
				}
			}()
		}
	}()
	m := mesh(t, Config{Code: code.Code{Secret: secret, Relays: []code.Relay{{Host: here(8).String(), Port: 3478}}}, Net: withoutUDP{newSystem()}})
	for range 2 { // it is tried again
		select {
		case <-came:
		case <-within(t).Done():
			require.Fail(t, "nobody came")
		}
	}
	began := time.Now()
	require.NoError(t, m.Close())
	assert.Less(t, time.Since(began), soon/2)
}
