package directplay

import (
	"encoding/binary"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// completions takes all messages that wait, and returns the SENDCOMPLETE of each message, by its id.
func (g *game) completions(into map[uint32]wire.HResult) {
	g.t.Helper()
	for {
		from, _, data, ok := g.received()
		if !ok {
			return
		}
		if from != 0 || binary.LittleEndian.Uint32(data) != SysSendComplete {
			continue
		}
		context, id := binary.LittleEndian.Uint32(data[24:]), binary.LittleEndian.Uint32(data[28:])
		assert.NotContains(g.t, into, id, "told twice")
		assert.Equal(g.t, context&0xFF, uint32(0xCD))
		into[id] = wire.HResult(binary.LittleEndian.Uint32(data[32:]))
	}
}

// TestSendAsync: a message that DPERR_PENDING was returned for is completed once, by its id, whether its addressee takes it at once,
// late or never; with DPSEND_NOSENDCOMPLETEMSG, and of one that DP_OK was returned for, nothing is told.
func TestSendAsync(t *testing.T) {
	const guaranteed = SendGuaranteed | SendAsync
	for _, flags := range []wire.SessionFlags{0, wire.SessionDirectPlayProtocol} {
		for _, c := range []struct {
			name string
			cut  time.Duration // how long the addressee cannot be reached
			ends wire.HResult  // of a guaranteed message with DIRECTPLAYPROTOCOL
		}{
			{"at once", 0, wire.OK}, {"late", 2 * time.Second, wire.OK}, {"never", time.Hour, wire.ErrConnectionLost},
		} {
			t.Run(fmt.Sprintf("%s, flags %v", c.name, flags), func(t *testing.T) {
				bubble(t, func(t *world) {
					at := t.lane(2)
					h := hosts(t, at[0], flags)
					j := joins(t, at[1], at[0])
					a, b := h.player("", 0), j.player("", 0)
					h.sees(b)
					j.sees(a)
					h.trace()
					if c.cut > 0 {
						n := t.network.(*socktest.Network)
						n.Cut(at[0], at[1])
						mend := time.AfterFunc(c.cut, n.Mend)
						defer mend.Stop()
					}
					began := time.Now()
					var pending []uint32
					for _, flags := range []uint32{guaranteed, SendAsync, guaranteed, guaranteed | SendNoComplete, SendGuaranteed, guaranteed} {
						m := Sending{From: a, To: b, Flags: flags, Data: []byte("x"), Size: 1, Context: 0xABCD}
						id := uint32(0)
						r := h.SendEx(m, &id)
						if flags&SendAsync == 0 {
							assert.Equal(t, wire.OK, r)
							assert.Zero(t, id)
							continue
						}
						require.Equal(t, wire.ErrPending, r)
						assert.NotContains(t, pending, id)
						pending = append(pending, id)
					}
					assert.Zero(t, time.Since(began), "nobody is waited for")
					quiet := pending[3]
					told := map[uint32]wire.HResult{}
					eventually(t, func() bool { h.completions(told); return len(told) == len(pending)-1 }, "all completions")
					if took := time.Since(began); flags != 0 {
						assert.GreaterOrEqual(t, took, min(c.cut, 5*time.Second), "when they were acknowledged, or given up")
					} else {
						assert.Less(t, took, 100*time.Millisecond, "they are handed to the connection")
					}
					<-time.After(time.Minute)
					h.completions(told)
					assert.NotContains(t, told, quiet)
					ends := c.ends
					if flags == 0 { // they are handed to the connection
						ends = wire.OK
					}
					for _, id := range []int{0, 2, 4} {
						assert.Equal(t, ends, told[pending[id]], "%d", id)
					}
					if c.cut == 0 || flags == 0 {
						assert.Equal(t, wire.OK, told[pending[1]], "not guaranteed")
					}
					var n uint32
					require.Equal(t, wire.OK, h.GetMessageQueue(0, 0, QueueSend, &n, nil))
					assert.Zero(t, n)
					for _, id := range append(pending, 12345) {
						assert.Equal(t, wire.ErrUnknownMessage, h.CancelMessage(id, 0))
					}
				})
			})
		}
	}
}

// TestSendAsyncNobody: what goes to oneself, and in a session that was lost, is done when SendEx returns.
func TestSendAsyncNobody(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		g := joins(t, at[1], at[0])
		a, b := g.player("", 0), g.player("", 0)
		m := Sending{From: a, To: a, Flags: SendAsync, Data: []byte("x"), Size: 1}
		id := uint32(7)
		assert.Equal(t, wire.OK, g.SendEx(m, &id))
		h.Release()
		g.awaitSystem(SysSessionLost)
		m.To = b
		g.trace()
		assert.Equal(t, wire.OK, g.SendEx(m, &id))
		assert.Equal(t, uint32(7), id)
		assert.Equal(t, "01,", g.trace(a, b))
	})
}

// TestCancelInOrder: messages that are given up together are completed in the order in which they were sent.
func TestCancelInOrder(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], wire.SessionDirectPlayProtocol)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		h.trace()
		m := Sending{From: a, To: b, Flags: SendGuaranteed | SendAsync, Data: make([]byte, 900_000), Size: 900_000, Priority: 9}
		require.Equal(t, wire.ErrPending, h.SendEx(m, nil))
		m.Data, m.Size, m.Priority = []byte("x"), 1, 3
		var sent []uint32
		for range 12 {
			id := uint32(0)
			require.Equal(t, wire.ErrPending, h.SendEx(m, &id))
			sent = append(sent, id)
		}
		require.Equal(t, wire.OK, h.CancelPriority(0, 3, 0))
		synctest.Wait()
		for _, id := range sent {
			data := h.awaitSystem(SysSendComplete)
			assert.Equal(t, id, binary.LittleEndian.Uint32(data[28:]))
			assert.Equal(t, wire.ErrCancelled, wire.HResult(binary.LittleEndian.Uint32(data[32:])))
		}
	})
}
