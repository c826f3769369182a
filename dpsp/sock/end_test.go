package sock

import (
	"context"
	"io"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// TestLateEnd has the network fail and come back: a machine calls again, and then the end of the connection that the
// host had to it is noticed. It stays in the session. One that did not call again is lost.
func TestLateEnd(t *testing.T) {
	for _, end := range []string{"closed", "reset"} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := socktest.New()
				opt := on(n)
				opt.limits = defaults
				opt.limits.grace = 0
				opt.Config.Populate = 20 * time.Millisecond // a hand acknowledges nobody
				h, err := hosted(context.Background(), opt, dpsp.Host{Application: testGame, Name: "Late"})
				require.NoError(t, err)
				t.Cleanup(func() { h.Close() })
				back, gone := byHand(t, h), byHand(t, h)
				require.ElementsMatch(t, h.machines(), []netip.AddrPort{back.at, gone.at})
				again := dial(t, h)
				back.say(again, &wire.AddForwardAck{ID: 1}) // says where it listens
				eventually(t, "the call is taken", func() bool { return len(h.loop.from(back.at, 0)) == 2 })
				hangUp := func(x *hand) {
					if end == "reset" {
						x.in.SetLinger(0)
					}
					x.to.Close()
					x.in.Close()
				}
				hangUp(back)
				eventually(t, "the end is noticed", func() bool {
					h.loop.mu.Lock()
					defer h.loop.mu.Unlock()
					return h.loop.outbound[back.at] == nil
				})
				hangUp(gone)
				eventually(t, "who did not call again is lost", func() bool { return len(h.machines()) == 1 })
				assert.Equal(t, back.at, h.machines()[0])

				again.Close() // now it is gone as well, and what cannot be sent tells
				back.ln.Close()
				eventually(t, "its end is noticed", func() bool { return len(h.loop.from(back.at, 0)) == 0 })
				h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(back.at, []byte("anybody?"), dpsp.NoList) })
				eventually(t, "nobody takes it", func() bool { return len(h.machines()) == 0 })
			})
		})
	}
}

// TestGoodbyesFirst closes a session while much waits for a peer that reads slowly: all of it is written before the
// peer's connection to us is closed, whatever comes on that one meanwhile.
func TestGoodbyesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h := host(t, n, func(l *limits) { l.linger = time.Minute })
		x := byHand(t, h)
		const waiting = 7 << 20 // more than the system keeps for a connection
		h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(x.at, make([]byte, waiting), dpsp.NoList) })
		shut, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(shut)
			x.to.Read(make([]byte, 1))
		}()
		go func() {
			defer close(ended)
			h.Close()
		}()
		eventually(t, "it is being closed", func() bool { return h.loop.quit.Err() != nil })
		const step, early = 16 << 10, 2 << 20
		for range early / step { // most of it is not even with the system yet
			x.say(x.to, &wire.AddForwardAck{ID: 1}) // fails soon if nobody takes it
			_, err := io.CopyN(io.Discard, x.in, step)
			require.NoError(t, err)
		}
		select {
		case <-shut:
			t.Error("our connection was closed before the goodbye came")
		default:
		}
		rest, err := io.Copy(io.Discard, x.in)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, rest, int64(waiting-early), "something is missing")
		for _, c := range []chan struct{}{shut, ended} {
			select {
			case <-c:
			case <-time.After(time.Hour):
				t.Fatal("it does not end")
			}
		}
	})
}
