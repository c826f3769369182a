package local

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
)

// TestPace: a machine that says a thousand times a second that its game is host, and that it is not, does not have all cores look.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Local{pace: newPace()}
		n := &neighbour{l: l}
		looks := 0
		for i := range 1000 {
			<-time.After(time.Millisecond)
			n.setHosts(i%2 == 0)
			select {
			case <-l.pace.woken:
				looks++
			default:
			}
		}
		assert.Equal(t, int(time.Second/wakeGap), looks)
	})
}

// TestCutsTold: a machine that has thousands of connections cut does not keep the program from seeing anything else.
func TestCutsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		n := &neighbour{l: &Local{opt: Options{Report: func(Event) { told++ }}}}
		for range 3 {
			for range 1000 {
				n.cut(errors.New("x"))
			}
			<-time.After(dropEvery)
		}
		assert.Equal(t, 3*cutsMost, told)
	})
}

// made returns a neighbour of a machine without sockets, and the link from there.
func made(t *testing.T) (n *neighbour, far link.Link) {
	t.Helper()
	hub := linktest.New()
	us, them := hub.Machine(), hub.Machine()
	far, err := them.Dial(t.Context(), us.ID(), us.Addresses())
	require.NoError(t, err)
	way, err := us.Accept(t.Context())
	require.NoError(t, err)
	l := &Local{ctx: t.Context(), opt: Options{}.withDefaults(), pace: newPace()}
	l.list = &listing{l: l}
	n = &neighbour{l: l, way: way, ctx: t.Context()}
	n.requests = filter.NewRequests(n.rule())
	return n, far
}

// TestMute: a machine that begins a stream, and does not say all that it is to say on it, has it reset; one that does not end a stream on
// which it was asked likewise.
func TestMute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, far := made(t)
		began := time.Now()
		there, err := far.OpenStream(t.Context())
		require.NoError(t, err)
		_, err = there.Write([]byte{toList})
		require.NoError(t, err)
		s, err := n.way.AcceptStream(t.Context())
		require.NoError(t, err)
		n.stream(s)
		assert.Equal(t, usual.announced, time.Since(began))
		_, err = there.Read(make([]byte, 1))
		assert.ErrorIs(t, err, link.ErrReset)

		there, err = far.OpenStream(t.Context())
		require.NoError(t, err)
		_, err = there.Write(nil)
		require.NoError(t, err)
		s, err = n.way.AcceptStream(t.Context())
		require.NoError(t, err)
		n.stream(s) // it does not even say its kind
		assert.Equal(t, 2*usual.announced, time.Since(began))

		n.ask([]byte("a request"))
		assert.Equal(t, 3*usual.announced, time.Since(began))
		s, err = far.AcceptStream(t.Context())
		require.NoError(t, err)
		_, err = s.Read(make([]byte, 1))
		assert.ErrorIs(t, err, link.ErrReset)

		n.open = maxConnections
		n.ask([]byte("one request too many"))
		assert.Equal(t, 3*usual.announced, time.Since(began))
	})
}

// TestHalfIdle: a connection of which one half has ended is reset when nothing was said on the other one for too long.
func TestHalfIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, far := made(t)
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		c, err := net.Dial("tcp4", listener.Addr().String())
		require.NoError(t, err)
		s, err := n.openStream(toGame)
		require.NoError(t, err)
		there, err := far.AcceptStream(t.Context())
		require.NoError(t, err)
		p := &pipe{n: n, conn: c.(*net.TCPConn), stream: s}
		began := time.Now()
		p.half(func(*[pieceSize]byte) error { return nil })
		for range 3 {
			<-time.After(halfIdle - time.Second)
			p.alive()
		}
		_, err = there.Read(make([]byte, 1))
		require.NoError(t, err, "its kind")
		_, err = there.Read(make([]byte, 1))
		assert.ErrorIs(t, err, link.ErrReset)
		assert.Equal(t, 4*halfIdle-3*time.Second, time.Since(began))
		synctest.Wait() // the connection is reset after the stream
		_, err = c.Write([]byte("x"))
		assert.ErrorIs(t, err, net.ErrClosed)
	})
}
