package browse

import (
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A queue is a listener for connections that are made up.
type queue struct {
	net.Listener
	waiting chan net.Conn
}

func (q *queue) Accept() (net.Conn, error) {
	c, open := <-q.waiting
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (q *queue) Close() error { close(q.waiting); return nil }

// TestVisitorLimit checks that no more connections are taken than there are places, and that one that ends makes room.
func TestVisitorLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &queue{waiting: make(chan net.Conn, 2)}
		l := limitVisitors(inner, 1)
		var taken []net.Conn
		ended := false
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					ended = true
					return
				}
				taken = append(taken, c)
			}
		}()
		for range 2 {
			c, _ := net.Pipe()
			inner.waiting <- c
		}
		synctest.Wait()
		require.Len(t, taken, 1, "there is one place")
		require.NoError(t, taken[0].Close())
		synctest.Wait()
		require.Len(t, taken, 2)
		require.NoError(t, taken[0].Close(), "its place is given away once")
		more, _ := net.Pipe()
		inner.waiting <- more
		synctest.Wait()
		require.Len(t, taken, 2)
		require.NoError(t, l.Close())
		synctest.Wait()
		assert.True(t, ended)
	})
}
