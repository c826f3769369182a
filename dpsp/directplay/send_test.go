package directplay

import (
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// TestSendChecks, in Windows' order, and what a send says of a player that is gone.
func TestSendChecks(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		j.sees(a)
		h.trace()
		data := []byte("message")
		for _, c := range []struct {
			from, to wire.PlayerID
			flags    uint32
			data     []byte
			size     uint32
			want     wire.HResult
		}{
			{0, 1, 2, data, 7, wire.ErrInvalidPlayer}, {0, 0, 0, data, 7, wire.ErrInvalidPlayer}, {b, a, 0, data, 7, wire.ErrAccessDenied},
			{a, b, 0, nil, 7, wire.ErrInvalidParams}, {a, b, 0, data, 0, wire.ErrInvalidParams},
			{a, 0xDEADBEEF, 1, data, 7, wire.ErrInvalidParams},
			{a, b, SendEncrypted, data, 7, wire.ErrInvalidParams}, {a, b, SendSigned | SendGuaranteed, data, 7, wire.ErrInvalidParams},
			{a, a, 0, data, 7, wire.OK}, {a, b, SendGuaranteed, make([]byte, dpsp.MaxPayload+1), dpsp.MaxPayload + 1, wire.ErrSendTooBig},
			{a, b, SendGuaranteed, data, 7, wire.OK},
		} {
			assert.Equal(t, c.want, h.Send(c.from, c.to, c.flags, c.data, c.size), "%v", c)
		}
		from, to, got := j.await()
		assert.Equal(t, []any{a, b, "message"}, []any{from, to, string(got)}, "the only one that was sent")
		assert.Empty(t, j.trace())
		assert.Empty(t, h.trace())
		require.Equal(t, wire.OK, j.DestroyPlayer(b))
		h.awaitSystem(SysDestroyPlayerOrGroup)
		assert.Equal(t, wire.ErrInvalidPlayer, h.Send(a, b, 0, data, 7), "it is gone: so games take it for lost")
	})
}

// TestSendEx: numbers, completion, and what waits.
func TestSendEx(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], wire.SessionDirectPlayProtocol)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		j.sees(a)
		h.trace()
		m := Sending{From: a, To: b, Flags: SendGuaranteed | SendAsync, Data: []byte("x"), Size: 1,
			Priority: 7, TimeoutMS: 9000, Context: 0xABCD}
		bad := m
		bad.Priority = 65536
		assert.Equal(t, wire.ErrInvalidPriority, h.SendEx(bad, nil))
		bad = m
		bad.Flags |= 1 << 20
		assert.Equal(t, wire.ErrInvalidFlags, h.SendEx(bad, nil))
		var id uint32
		require.Equal(t, wire.ErrPending, h.SendEx(m, &id))
		data := h.awaitSystem(SysSendComplete)
		words := make([]uint32, 10)
		require.NoError(t, second(binary.Decode(data, binary.LittleEndian, words)))
		assert.Equal(t, []uint32{SysSendComplete, uint32(a), uint32(b), m.Flags, 7, 9000, 0xABCD, id, 0, 0}, words, "it took no time")
		h.mu.Lock()
		h.delivered(dpsp.Delivered{Notify: uint64(h.sends.add(m)), Took: 1234 * time.Millisecond})
		h.mu.Unlock()
		assert.EqualValues(t, 1234, binary.LittleEndian.Uint32(h.awaitSystem(SysSendComplete)[36:]), "how long it took")
		m.Flags |= SendNoComplete
		require.Equal(t, wire.ErrPending, h.SendEx(m, nil))
		m.Flags = SendGuaranteed
		require.Equal(t, wire.OK, h.SendEx(m, nil))
		for range 3 {
			_, _, got := j.await()
			assert.Equal(t, "x", string(got))
		}
		assert.Empty(t, h.trace())
		synctest.Wait()
		var n, octets uint32
		require.Equal(t, wire.OK, h.GetMessageQueue(a, b, QueueSend, &n, &octets))
		assert.Zero(t, n)
		assert.Zero(t, octets)
		assert.Equal(t, wire.ErrUnknownMessage, h.CancelMessage(id, 0))
		assert.Equal(t, wire.ErrInvalidFlags, h.CancelMessage(id, 1))
		assert.Equal(t, wire.ErrInvalidFlags, h.CancelPriority(0, 1, 1))
		assert.Equal(t, wire.ErrInvalidPriority, h.CancelPriority(2, 1, 0))
		var c Caps
		require.Equal(t, wire.OK, h.GetCaps(&c, 0))
		assert.NotZero(t, c.Flags&CapsAsyncCancel)
	})
}

// TestCancel gives up messages that wait behind one another.
func TestCancel(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], wire.SessionDirectPlayProtocol)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		h.trace()
		m := Sending{From: a, To: b, Flags: SendGuaranteed | SendAsync, Data: make([]byte, 900_000), Size: 900_000}
		require.Equal(t, wire.ErrPending, h.SendEx(m, nil))
		m.Data, m.Size, m.Priority = []byte("x"), 1, 3
		first := uint32(0)
		require.Equal(t, wire.ErrPending, h.SendEx(m, &first))
		for range 3 {
			require.Equal(t, wire.ErrPending, h.SendEx(m, nil))
		}
		require.Equal(t, wire.OK, h.CancelMessage(first, 0))
		require.Equal(t, wire.OK, h.CancelPriority(2, 4, 0))
		canceled := 0
		for range 5 {
			data := h.awaitSystem(SysSendComplete)
			if wire.HResult(binary.LittleEndian.Uint32(data[32:])) == wire.ErrCancelled {
				canceled++
			}
		}
		assert.Equal(t, 4, canceled)
	})
}

// TestMessageQueue counts what waits to be received, as Wine's test has it for Windows.
func TestMessageQueue(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		j := joins(t, at[1], at[0])
		p := []wire.PlayerID{h.player("", 0), h.player("", 0), 0, j.player("", 0)}
		h.sees(p[3])
		p[2] = h.player("", 0)
		j.sees(p[2])
		const anybody = ^wire.PlayerID(0)
		for _, c := range []struct {
			from, to wire.PlayerID
			flags    uint32
			want     wire.HResult
			n, size  uint32
		}{
			{anybody, p[1], 0, wire.ErrInvalidPlayer, 9, 9}, {p[0], anybody, 0, wire.ErrInvalidPlayer, 9, 9},
			{p[0], p[0], 0xFFFFFFFF, wire.ErrInvalidFlags, 9, 9}, {p[0], p[1], QueueSend | QueueReceive, wire.ErrInvalidFlags, 9, 9},
			{0, p[3], QueueReceive, wire.ErrInvalidPlayer, 9, 9}, {p[3], 0, QueueSend, wire.ErrInvalidPlayer, 9, 9},
			{0, p[3], QueueSend, wire.OK, 0, 0}, {p[3], 0, QueueReceive, wire.OK, 0, 0}, {0, p[1], QueueReceive, wire.OK, 2, 96},
			{p[0], 0, QueueReceive, wire.OK, 0, 0}, {0, 0, QueueReceive, wire.OK, 5, 240}, {0, 0, 0, wire.OK, 0, 0},
		} {
			n, size := uint32(9), uint32(9)
			assert.Equal(t, c.want, h.GetMessageQueue(c.from, c.to, c.flags, &n, &size), "%v", c)
			assert.Equal(t, []uint32{c.n, c.size}, []uint32{n, size}, "%v", c)
		}
		assert.Equal(t, wire.OK, h.GetMessageQueue(0, 0, QueueReceive, nil, nil))
		assert.Equal(t, wire.ErrInvalidParams, h.GetMessageCount(p[0], nil))
		n := uint32(9)
		assert.Equal(t, wire.OK, h.GetMessageCount(p[3], &n), "another machine's")
		assert.Zero(t, n)
		h.trace()
		h.player("Jo", 0)
		var size uint32
		assert.Equal(t, wire.OK, h.GetMessageQueue(0, p[0], QueueReceive, &n, &size))
		assert.Equal(t, []uint32{1, 48 + 2*6}, []uint32{n, size}, "as the wide interface has it")
	})
}
