package sock

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/reliable"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// became gives what became of a message.
func (c *crowd) became(p *part, token uint64) error {
	c.t.Helper()
	return c.until(p, func(e dpsp.Event) bool { d, ok := e.(dpsp.Delivered); return ok && d.Notify == token }).(dpsp.Delivered).Err
}

// TestDelivered: who asks is told that a message was delivered, in both kinds of session.
func TestDelivered(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, wire.SessionDirectPlayProtocol} {
		synctest.Test(t, func(t *testing.T) {
			n := socktest.New()
			c := crowdWith(t, n, flags, false, 3, 0)
			host, others := c.members[0], c.members[1:]
			for i, guaranteed := range []bool{true, false} {
				m := dpsp.Send{From: host.id, To: wire.IDAll, Guaranteed: guaranteed, Payload: []byte("x"), Notify: uint64(7 + i)}
				require.NoError(t, host.SendWith(c.ctx, m))
				assert.NoError(t, c.became(host, m.Notify), flags)
				for _, p := range others {
					got := c.until(p, func(e dpsp.Event) bool { _, ok := e.(dpsp.Message); return ok }).(dpsp.Message)
					assert.Equal(t, guaranteed, got.Guaranteed)
				}
			}
			assert.ErrorIs(t, host.Cancel(c.ctx, dpsp.Cancel{Notify: 7}), dpsp.ErrNoMessage)
			assert.Zero(t, count[dpsp.Delivered](host), "once each")
		})
	}
}

// TestPriorities has messages wait for a peer that is busy: they are cancelled, time out, or go by their priority.
func TestPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := crowdWith(t, n, wire.SessionDirectPlayProtocol, false, 2, 0)
		host, busy := c.members[0], c.members[1]
		say := func(token uint64, priority int, timeout time.Duration) {
			t.Helper()
			require.NoError(t, host.SendWith(c.ctx, dpsp.Send{From: host.id, To: busy.id, Guaranteed: true,
				Payload: fmt.Append(nil, token), Notify: token, Priority: priority, Timeout: timeout}))
		}
		busy.loop.stepping.Lock()
		for i := range uint64(reliable.Window) {
			say(100+i, 0, 0)
		}
		for token, priority := range []int{1: 0, 2: 5, 3: 9, 4: 5, 5: 1, 6: 1} {
			if token > 0 {
				say(uint64(token), priority, 0)
			}
		}
		say(7, 99, time.Millisecond)
		require.NoError(t, host.Cancel(c.ctx, dpsp.Cancel{Notify: 4}))
		assert.ErrorIs(t, c.became(host, 4), reliable.ErrCanceled)
		require.NoError(t, host.Cancel(c.ctx, dpsp.Cancel{Priority: 1}))
		for _, token := range []uint64{1, 5, 6} {
			assert.ErrorIs(t, c.became(host, token), reliable.ErrCanceled)
		}
		assert.ErrorIs(t, c.became(host, 7), reliable.ErrTimeout)
		busy.loop.stepping.Unlock()
		for _, token := range []uint64{100, 3, 2} {
			assert.NoError(t, c.became(host, token))
		}
		var heard []string
		for range reliable.Window + 2 {
			m := c.until(busy, func(e dpsp.Event) bool { _, ok := e.(dpsp.Message); return ok }).(dpsp.Message)
			heard = append(heard, string(m.Payload))
		}
		assert.Equal(t, []string{"3", "2"}, heard[reliable.Window:])
	})
}

// TestNotDelivered: what waits for a peer that dies is given up, and so is what was under way to it when we left.
func TestNotDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := crowdWith(t, n, wire.SessionDirectPlayProtocol|wire.SessionKeepAlive, false, 3, 0)
		host, dead, busy := c.members[0], c.members[1], c.members[2]
		dead.loop.udp.Close() // so that it cannot have heard it
		require.NoError(t, host.SendWith(c.ctx, dpsp.Send{From: host.id, To: wire.IDAll, Guaranteed: true, Notify: 7}))
		dead.crash()
		assert.ErrorIs(t, c.became(host, 7), reliable.ErrLost)
		assert.Zero(t, count[dpsp.Delivered](host), "once")
		busy.loop.stepping.Lock()
		require.NoError(t, host.SendWith(c.ctx, dpsp.Send{From: host.id, To: busy.id, Guaranteed: true, Notify: 8}))
		require.NoError(t, host.Leave(c.ctx))
		busy.loop.stepping.Unlock()
		assert.ErrorIs(t, c.became(host, 8), reliable.ErrLost)
	})
}
