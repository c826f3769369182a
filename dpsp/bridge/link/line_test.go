package link

import (
	"fmt"
	"io"
	"testing"
	_ "testing/synctest" // it runs in a bubble
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHostileRelay: a relay that sends what is no packet over TCP, such as the length over which pion's reader goes round for ever
// (facts, bridge 5), costs the connection to it, and nothing more.
func TestHostileRelay(t *testing.T) {
	inBubble(t, testHostileRelay)
}

func testHostileRelay(t *testing.T) {
	n := newInternet(t)
	r, at := n.relay(1), n.home(blocked).host()
	n.start()
	l := n.tcp[fmt.Sprintf("%s:3478", r.at)].listen()
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
	m := mesh(t, Config{Code: codeOf(r), Net: at})
	for range 2 { // it is tried again
		<-came
	}
	began := time.Now()
	require.NoError(t, m.Close())
	assert.Less(t, time.Since(began), time.Second)
}
