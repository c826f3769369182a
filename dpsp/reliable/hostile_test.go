package reliable

import (
	"math/rand/v2"
	"testing"
	"time"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holds wants what a link holds within its bounds.
func (l *Link) holds(t testing.TB) {
	t.Helper()
	s, r := &l.send, &l.receive
	for what, n := range [...]struct{ size, limit int }{
		{len(r.ahead), 2 * Window}, {r.octets, MaxWaiting}, {r.rly.Held(), reliable.MaxHeld}, {r.plain.Held(), reliable.MaxHeld},
		{len(s.inFlight), Window}, {len(s.out), Window}, {len(s.fleeting), MaxFleeting}, {len(s.waiting), MaxQueue},
	} {
		if n.size > n.limit { // require would take longer than what is checked
			require.LessOrEqual(t, n.size, n.limit, "number %d of this list", what)
		}
	}
	if b := l.cfg.Budget; b != nil && (b.Held() > b.Max || b.Held() < 0) {
		require.Fail(t, "the budget", "%d of %d", b.Held(), b.Max)
	}
}

// ACKs and NACKs for what was never sent acknowledge nothing.
func TestACKsForNothing(t *testing.T) {
	for _, ours := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(1, 2))
		l := New(Config{From: 1, To: 2})
		if ours {
			l.Ours()
		}
		for id := range 256 {
			for _, flags := range []reliable.Flags{reliable.ACK, reliable.ACK | reliable.RLY} {
				l.Receive(0, &reliable.Frame{Flags: flags, MessageID: uint8(id), Sequence: uint8(rng.Uint32())})
			}
			l.Receive(0, &reliable.Frame{
				Flags: reliable.ACK | reliable.EXT, MessageID: uint8(id), Extended: reliable.Extended(0).WithMaskSize(3),
			})
			require.Empty(t, l.Step(0).Frames)
		}
		require.NoError(t, l.Send(Message{Data: []byte("a"), Reliable: true, Token: 1}))
		l.Step(0)
		for id := 2; id <= 256; id++ { // 1 was sent
			l.Receive(0, &reliable.Frame{Flags: reliable.ACK | reliable.RLY, MessageID: uint8(id), Sequence: 1})
		}
		assert.Empty(t, l.Step(0).Done)
		assert.False(t, l.Idle())
	}
}

// A storm of NACKs has each frame sent again once in a round trip at most, measured or not.
func TestNACKStorm(t *testing.T) {
	for _, measured := range []bool{true, false} {
		for _, ours := range []bool{true, false} {
			l := New(Config{From: 1, To: 2})
			if ours {
				l.Ours()
			}
			now := time.Duration(0)
			id := uint8(1)
			if measured {
				require.NoError(t, l.Send(Message{Data: []byte("a"), Reliable: true}))
				l.Step(now)
				now = 40 * time.Millisecond
				l.Receive(now, &reliable.Frame{Flags: reliable.ACK | reliable.RLY, MessageID: 1, Sequence: 1})
				id = 2
			}
			for i := range 30 {
				require.NoError(t, l.Send(Message{Data: numbered(i, 30), Reliable: true}))
			}
			for range 100 { // all that goes out at first, paced
				l.Step(now)
				now += time.Millisecond
			}
			before := l.Stats().Sent
			for range 2000 {
				now += 10 * time.Microsecond
				l.Receive(now, &reliable.Frame{
					Flags: reliable.ACK | reliable.EXT, MessageID: id, Sequence: 1,
					Extended: reliable.Extended(0).WithMaskSize(3), Mask: 0xffffff,
				})
				l.Step(now)
			}
			assert.LessOrEqual(t, l.Stats().Sent-before, 2*Window+8, "measured %v, ours %v", measured, ours)
		}
	}
}

// Messageids that jump, messages that never end, and empty frames for ever: bounded memory, and what means well still comes
// through.
func TestHostileReceiver(t *testing.T) {
	for _, ours := range []bool{true, false} {
		for _, kind := range []string{"jumps", "unfinished", "empty", "far parts"} {
			rng := rand.New(rand.NewPCG(3, 4))
			l := New(Config{From: 2, To: 1, Budget: &Budget{Max: 1 << 20}})
			if ours {
				l.Ours()
			}
			sent := 0
			for i := range 5000 {
				f := reliable.Frame{Flags: reliable.CMD | reliable.Flags(rng.IntN(2)), Serial: uint8(i), Data: make([]byte, 1000)}
				switch kind {
				case "jumps":
					f.Flags |= reliable.STA | reliable.EOM
					f.MessageID, f.Sequence = uint8(rng.Uint32()), uint8(rng.Uint32())
				case "unfinished":
					f.Flags |= reliable.STA
					f.MessageID, f.Sequence = uint8(i), uint8(i)
				case "empty":
					f.Flags |= reliable.RLY
					f.MessageID, f.Sequence, f.Data = 1, uint8(i), nil
					if i == 0 {
						f.Flags |= reliable.STA
					}
				case "far parts":
					f.Flags |= reliable.RLY
					f.MessageID, f.Sequence = 1+uint8(i%24), uint8(i/24+2)
				}
				now := time.Duration(i) * 100 * time.Microsecond
				l.Receive(now, &f)
				sent += len(l.Step(now).Frames)
				l.holds(t)
			}
			assert.Less(t, sent, 5000*11/10, "answers to %s, ours %v", kind, ours)
			l.Close()
			assert.Zero(t, l.cfg.Budget.Held(), kind)
		}
	}
}
