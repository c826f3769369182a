package sock

import (
	"context"
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// pair gives a host and a member with a player each, and has them ping each other often.
func pair(t *testing.T, n Network, hostHas, memberHas func(*Options)) (h, j *Session, hp, jp wire.PlayerID) {
	t.Helper()
	ctx := context.Background()
	opt := on(n)
	opt.limits = defaults
	opt.Config.Period, opt.Config.Probes = 20*time.Millisecond, 500
	hostHas(&opt)
	h, err := hosted(ctx, opt, dpsp.Host{Application: testGame, Name: "Backlog", Flags: wire.SessionKeepAlive})
	require.NoError(t, err)
	t.Cleanup(func() { h.Close() })
	hp, err = h.CreatePlayer(ctx, "Host", nil)
	require.NoError(t, err)
	opt = on(n)
	opt.limits = defaults
	opt.Config.Period, opt.Config.Probes = 20*time.Millisecond, 500
	memberHas(&opt)
	j, err = joined(ctx, opt, find(t, ctx, n), "")
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	jp, err = j.CreatePlayer(ctx, "Member", nil)
	require.NoError(t, err)
	for next[dpsp.PlayerCreated](t, h).ID != jp {
	}
	return h, j, hp, jp
}

// TestFloodOverTCP has a member send three times what the host's backlog holds while its program reads nothing. TCP
// holds the member back; then the program reads, and has every message, in order.
func TestFloodOverTCP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h, j, hp, jp := pair(t, n, func(*Options) {}, func(o *Options) { o.limits.octets = 1 << 30 })
		const messages = 3 << 16
		for i := range messages {
			b := binary.LittleEndian.AppendUint32(nil, uint32(i))
			require.NoError(t, j.Send(context.Background(), jp, hp, b, true))
		}
		eventually(t, "the host's backlog gets half full", func() bool { return h.backlog.crowded(nil) })
		assert.LessOrEqual(t, h.backlog.events.Load(), defaults.backlog.events/2, "nothing more is read")
		for i := range messages {
			m := next[dpsp.Message](t, h)
			require.EqualValues(t, i, binary.LittleEndian.Uint32(m.Payload))
		}
		assert.Len(t, h.Players(), 2, "the session survives")
		assert.Zero(t, h.Skipped())
	})
}

// TestFloodOfLargeMessages counts octets as well as events.
func TestFloodOfLargeMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h, j, hp, jp := pair(t, n, func(*Options) {}, func(o *Options) {
			o.limits.octets, o.limits.queues = 1<<30, queues{soft: 1 << 30, hard: 1 << 30}
		})
		payload := make([]byte, 1<<20-100)
		const messages = 96
		for range messages {
			require.NoError(t, j.Send(context.Background(), jp, hp, payload, true))
		}
		eventually(t, "the host's backlog gets half full", func() bool { return h.backlog.crowded(nil) })
		assert.Less(t, h.backlog.octets.Load(), defaults.backlog.octets*3/4)
		for range messages {
			require.Len(t, next[dpsp.Message](t, h).Payload, len(payload))
		}
	})
}

// TestNeverReads has programs that never read: datagrams are dropped and counted, timers and pings go on, another
// session on the same machine does, and Close does not wait.
func TestNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		rec := &traffic{}
		h, j, hp, jp := pair(t, n, func(*Options) {}, func(o *Options) { o.limits.backlog.events, o.Record = 64, rec })
		ctx := context.Background()
		eventually(t, "datagrams are dropped", func() bool {
			require.NoError(t, h.Send(ctx, hp, jp, []byte("datagram"), false))
			return j.Skipped().Datagrams > 100
		})
		for range 64 { // and readers of TCP wait
			require.NoError(t, h.Send(ctx, hp, jp, []byte("stream"), true))
		}
		assert.LessOrEqual(t, j.backlog.events.Load(), int64(32))
		answers := rec.count(wire.CmdPingReply)
		eventually(t, "pings are answered", func() bool { return rec.count(wire.CmdPingReply) > answers+10 })
		require.NoError(t, j.Send(ctx, jp, hp, []byte("still here"), true))
		assert.Equal(t, "still here", string(next[dpsp.Message](t, h).Payload))

		short := on(n)
		short.Config.Reply = 20 * time.Millisecond
		_, err := joined(ctx, short, Found{Host: j.StreamAddr()}, "") // it is no host, and its readers wait: our timer ends it
		require.ErrorIs(t, err, dpsp.ErrTimeout)
		other, err := hosted(ctx, on(n), dpsp.Host{Application: testGame, Name: "Other"})
		require.NoError(t, err)
		require.NoError(t, other.Close())

		start := time.Now()
		require.NoError(t, j.Close())
		assert.Zero(t, time.Since(start), "Close does not wait for the program")
		assert.Equal(t, jp, next[dpsp.PlayerDeleted](t, h).ID)
	})
}

// TestReportsAreLeftOut has a stranger send nonsense to a program that does not read: its session stays.
func TestReportsAreLeftOut(t *testing.T) {
	b := newBacklog(room{events: 8, octets: 1000}, room{})
	for range 10 {
		b.add([]dpsp.Event{dpsp.Dropped{}}, nil)
	}
	require.Nil(t, b.wait(nil), "reports alone hold nobody up")
	b.add([]dpsp.Event{dpsp.PlayerDeleted{ID: 1}, dpsp.PlayerDeleted{ID: 2}, dpsp.Dropped{}, dpsp.PlayerDeleted{ID: 3}}, nil)
	list, over := b.take()
	assert.Len(t, list, 5)
	assert.False(t, over)
	assert.EqualValues(t, 9, b.reports.Load())
	room := b.wait(nil)
	require.NotNil(t, room)
	for i, e := range list {
		b.delivered(e)
		select {
		case <-room:
			assert.Equal(t, 2, i, "when a quarter is left")
			return
		default:
		}
	}
	t.Error("who waits is never told")
}

// TestFullBacklog fills a backlog: what comes then ends the session.
func TestFullBacklog(t *testing.T) {
	b := newBacklog(room{events: 1000, octets: 10}, room{})
	b.add([]dpsp.Event{dpsp.Message{Payload: make([]byte, 12)}, dpsp.Message{}}, nil)
	list, over := b.take()
	assert.Len(t, list, 1)
	assert.True(t, over)
}
