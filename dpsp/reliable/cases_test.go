package reliable

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// both runs a case between our own, and towards a peer that is not known to be ours.
func both(t *testing.T, f func(t *testing.T, w *world)) {
	for _, ours := range []bool{true, false} {
		t.Run(fmt.Sprintf("ours %v", ours), func(t *testing.T) {
			w := newWorld(t, 3, Config{}, Config{})
			if ours {
				w.ours()
			}
			f(t, w)
		})
	}
}

// rly are n reliable messages of a size.
func (w *world) rly(n, size int) {
	for i := range n {
		w.send(0, Message{Data: numbered(i, size), Reliable: true, Token: uint64(i + 1)})
	}
}

// 1,000 messages wrap messageids, and between our own sequences.
func TestWrapOfMessageIDs(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.ends[0].loss, w.ends[1].loss = 0.1, 0.1
		w.rly(1000, 40)
		w.run(30*time.Second, nil)
		w.settle()
		inOrder(t, w.ends[1].got, 1000)
		assert.Len(t, w.ends[0].done, 1000)
	})
}

// One message of 1,000 frames wraps sequences and serials.
func TestWrapOfSequences(t *testing.T) {
	for _, size := range []int{1000*58 - 7, 256 * 58, 512*58 + 1} {
		both(t, func(t *testing.T, w *world) {
			for _, e := range w.ends {
				e.link.cfg.MaxFrame = 64
				e.loss = 0.05
			}
			w.rly(1, size)
			w.rly(2, 30)
			w.run(100*time.Second, nil)
			w.settle()
			require.Len(t, w.ends[1].got, 3)
			assert.Equal(t, numbered(0, size), w.ends[1].got[0].Data)
		})
	}
}

// One frame repeated 300 times wraps its serial.
func TestWrapOfSerials(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.rly(1, 40)
		n := 0
		w.ends[0].drop = func(*reliable.Frame) bool { n++; return n <= 300 }
		// Something else has to be acknowledged now and then, or the link is lost.
		w.run(20*time.Second, nil)
		require.Greater(t, n, 10)
		for !w.ends[0].lost && n <= 300 {
			w.ends[0].link.send.progress = w.now
			w.run(w.now+10*time.Second, nil)
		}
		w.settle()
		inOrder(t, w.ends[1].got, 1)
		assert.Greater(t, w.ends[0].link.Stats().Sent, 300)
	})
}

// A window full of unreliable messages that are all lost holds nothing up.
func TestUnreliableAllLost(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.ends[0].drop = func(f *reliable.Frame) bool {
			return f.Flags&reliable.RLY == 0 && f.Kind() == reliable.KindData && len(f.Data) > 0
		}
		for i := range 40 {
			w.send(0, Message{Data: numbered(1000+i, 30)})
		}
		w.run(time.Second, nil)
		w.rly(50, 30)
		w.run(4*time.Second, nil)
		assert.GreaterOrEqual(t, len(w.ends[1].got), 50)
		w.settle()
		require.False(t, w.ends[0].lost)
	})
}

// All ACKs are lost for a while: what was sent is repeated, and comes once.
func TestAllACKsLost(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.ends[1].drop = func(*reliable.Frame) bool { return w.now < 10*time.Second }
		w.rly(100, 100)
		w.run(10*time.Second, nil)
		assert.LessOrEqual(t, len(w.ends[1].got), reliable.Window)
		w.settle()
		inOrder(t, w.ends[1].got, 100)
		assert.Less(t, w.ends[0].link.Stats().Repeated, 400, "repeats while nothing is heard become rare")
	})
}

// Only the ACKs of the last message are lost: its repeats are acknowledged although it is outside the window (3.1.5.2).
func TestLastACKsLost(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.rly(30, 20)
		last := func(f *reliable.Frame) bool { return f.Kind() == reliable.KindACK && f.MessageID == 30 }
		lost := 0
		w.ends[1].drop = func(f *reliable.Frame) bool {
			if !last(f) || lost >= 5 {
				return false
			}
			lost++
			return true
		}
		w.run(10*time.Second, nil)
		require.Equal(t, 5, lost)
		require.True(t, w.quiet())
		inOrder(t, w.ends[1].got, 30)
	})
}

// The first frame ever is lost, or overtaken by the second.
func TestFirstFrame(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		n := 0
		w.ends[0].drop = func(*reliable.Frame) bool { n++; return n == 1 }
		w.rly(10, 20)
		w.run(5*time.Second, nil)
		require.True(t, w.quiet())
		inOrder(t, w.ends[1].got, 10)
	})
	both(t, func(t *testing.T, w *world) {
		w.ends[0].delay = 50 * time.Millisecond
		w.send(0, Message{Data: numbered(0, 20), Reliable: true})
		w.run(time.Millisecond, nil)
		w.ends[0].delay = 20 * time.Millisecond
		w.send(0, Message{Data: numbered(1, 20), Reliable: true})
		w.run(5*time.Second, nil)
		require.True(t, w.quiet())
		inOrder(t, w.ends[1].got, 2)
	})
}

// Frames of two long messages that come by turns are not mixed up.
func TestInterleaved(t *testing.T) {
	l := New(Config{From: 2, To: 1})
	var want [2][]byte
	for s := range 20 {
		for m := range 2 {
			f := reliable.Frame{From: 1, To: 2, Flags: reliable.CMD | reliable.RLY, Data: numbered(m*100+s, 50)}
			f.MessageID, f.Sequence, f.Serial = uint8(m+1), uint8(s+1), uint8(s)
			want[m] = append(want[m], f.Data...)
			if s == 0 {
				f.Flags |= reliable.STA
			}
			if s == 19 {
				f.Flags |= reliable.EOM
			}
			l.Receive(0, &f)
		}
	}
	got := l.Step(0).Messages
	require.Len(t, got, 2)
	assert.Equal(t, want[0], got[0].Data)
	assert.Equal(t, want[1], got[1].Data)
}

// Unreliable messages are not held up by a long reliable one that has losses, between our own.
func TestUnreliableGoesAhead(t *testing.T) {
	w := newWorld(t, 5, Config{}, Config{}).ours()
	w.ends[0].loss = 0.2
	w.rly(20, 20000)
	sent := map[uint32]time.Duration{}
	for i := range 100 {
		w.run(time.Duration(i)*20*time.Millisecond, nil)
		w.send(0, Message{Data: numbered(1<<20+i, 20)})
		sent[uint32(1<<20+i)] = w.now
	}
	w.run(20*time.Second, nil)
	var took []time.Duration
	for _, m := range w.ends[1].got {
		if at, ok := sent[binary.LittleEndian.Uint32(m.Data)]; ok && !m.Reliable {
			took = append(took, m.at-at)
		}
	}
	slices.Sort(took)
	require.Greater(t, len(took), 60)
	assert.Equal(t, 20*time.Millisecond, took[len(took)/2])
	assert.Less(t, took[len(took)*9/10], 25*time.Millisecond)
	assert.LessOrEqual(t, took[len(took)-1], 60*time.Millisecond) // the window of octets can be full
}

// Frames of an old link come late on a new one with the same indexes: nothing hangs, and the new link goes on.
func TestOldLink(t *testing.T) {
	w := newWorld(t, 9, Config{}, Config{}).ours()
	w.rly(500, 300)
	w.run(100*time.Millisecond, nil)
	left := w.queue // what is still under way
	require.NotEmpty(t, left)
	for i, e := range w.ends {
		e.link.Close()
		e.link = New(Config{From: uint16(1 + i), To: uint16(2 - i)})
		e.link.Ours()
		e.touched, e.watch, e.got = true, watcher{}, nil
	}
	for i := range 100 {
		w.send(1, Message{Data: numbered(i, 50), Reliable: true})
	}
	w.run(10*time.Second, nil)
	inOrder(t, w.ends[0].got, 100)
	require.False(t, w.ends[0].lost || w.ends[1].lost)
	assert.True(t, w.ends[1].link.Idle())
}

// Eight links between two machines share a Path each way: all get their share, and the one that is idle takes none from the
// others.
func TestSharedPath(t *testing.T) {
	for _, ours := range []bool{true, false} {
		w := newWorld(t, 11, Config{}, Config{})
		w.ends = nil
		there := &way{delay: 20 * time.Millisecond, rate: 100e3, room: 30000, loss: 0.02}
		back := &way{delay: 20 * time.Millisecond}
		pa, pb := &Path{}, &Path{}
		for i := range 8 {
			w.pair(Config{From: uint16(i), To: 100, Path: pa}, Config{From: 100, To: uint16(i), Path: pb}, there, back)
		}
		if ours {
			w.ours()
		}
		for i := range 60 {
			for k := range 7 { // the last one has only a few
				w.send(2*k, Message{Data: numbered(i, 1000), Reliable: true})
			}
		}
		w.send(14, Message{Data: numbered(0, 1000), Reliable: true})
		w.run(60*time.Second, nil)
		w.settle()
		for k := range 7 {
			inOrder(t, w.ends[2*k+1].got, 60)
			assert.Less(t, w.ends[2*k+1].got[10].at, 8*time.Second, "link %d starved", k)
		}
		inOrder(t, w.ends[15].got, 1)
		assert.Less(t, w.ends[15].got[0].at, 2*time.Second)
	}
}

// A peer that is gone is given up after 30 seconds and ten repeats, and each message is told of once.
func TestLost(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.ends[0].cutUntil = time.Hour
		w.rly(50, 20)
		w.run(25*time.Second, nil)
		require.False(t, w.ends[0].lost)
		w.run(40*time.Second, nil)
		require.True(t, w.ends[0].lost)
		require.Len(t, w.ends[0].done, 50)
		for _, d := range w.ends[0].done {
			assert.ErrorIs(t, d.Err, ErrLost)
		}
		assert.ErrorIs(t, w.ends[0].link.Send(Message{}), ErrLost)
		before := w.ends[0].frames
		w.run(2*time.Minute, nil)
		assert.Equal(t, before, w.ends[0].frames)
	})
}

// patient makes two links of our own, of which the first one is patient.
func patient(t *testing.T) *world { return newWorld(t, 1, Config{Patient: true}, Config{}).ours() }

// A patient link reports that a peer is silent, and the messages to it as lost. It goes on when the peer is there again: all comes in order.
func TestPatient(t *testing.T) {
	w := patient(t)
	w.ends[0].cutUntil = 5 * time.Minute
	w.rly(50, 20)
	w.run(70*time.Second, nil)
	require.True(t, w.ends[0].lost)
	require.False(t, w.ends[0].link.Dead())
	assert.Equal(t, 50*20, w.ends[0].link.Waiting())
	w.run(6*time.Minute, nil)
	inOrder(t, w.ends[1].got, 50)
	assert.Zero(t, w.ends[0].link.Waiting())
	require.Len(t, w.ends[0].done, 50, "once each")
	for _, d := range w.ends[0].done {
		assert.ErrorIs(t, d.Err, ErrLost)
	}
}

// A patient link ends if the peer answers and never acknowledges what it is sent: it is at another place, and stays there.
func TestPatientOutOfStep(t *testing.T) {
	for _, answers := range []bool{false, true} {
		l := New(Config{From: 1, To: 2, Patient: true})
		l.Ours()
		require.NoError(t, l.Send(Message{Data: []byte("x"), Reliable: true}))
		for now := time.Duration(0); now < 3*time.Minute; now += 100 * time.Millisecond {
			for range l.Step(now).Frames {
				if answers {
					l.Receive(now, &reliable.Frame{From: 2, To: 1, Flags: reliable.ACK | reliable.RLY, MessageID: 200})
				}
			}
		}
		assert.Equal(t, answers, l.Dead())
	}
}

// Eight machines, all to all, each with one budget and two links to each other one that share the way.
func TestAllToAll(t *testing.T) {
	const machines, n = 8, 40
	w := newWorld(t, 13, Config{}, Config{})
	w.ends = nil
	var budgets [machines]*Budget
	for i := range budgets {
		budgets[i] = &Budget{Max: 4 << 20}
	}
	for a := range machines {
		for b := range a {
			there := &way{delay: 15 * time.Millisecond, jit: 10 * time.Millisecond, loss: 0.1, dup: 0.05}
			back := &way{delay: 15 * time.Millisecond, jit: 10 * time.Millisecond, loss: 0.1, late: 0.02}
			pa, pb := &Path{}, &Path{}
			for player := range uint16(2) {
				from, to := uint16(10*a)+player, uint16(10*b)+player
				w.pair(Config{From: from, To: to, Path: pa, Budget: budgets[a]},
					Config{From: to, To: from, Path: pb, Budget: budgets[b]}, there, back)
			}
		}
	}
	w.ours()
	for k := range n {
		w.run(time.Duration(k)*25*time.Millisecond, nil)
		for i := range w.ends {
			w.send(i, Message{Data: numbered(k, 100+k*90), Reliable: true})
			w.send(i, Message{Data: numbered(1<<20+k, 50)})
		}
	}
	w.settle()
	for i := range w.ends {
		require.False(t, w.ends[i].lost)
		inOrder(t, w.ends[i].got, n)
	}
	w.run(w.now+time.Minute, nil)
	for _, b := range budgets {
		assert.Zero(t, b.Held())
	}
}
