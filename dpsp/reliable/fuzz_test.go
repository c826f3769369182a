package reliable

import (
	"math/rand/v2"
	"testing"
	"time"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/require"
)

// FuzzLink gives a link frames and calls, by octets: it must not panic, hold more than it may, or want to be called for ever.
func FuzzLink(f *testing.F) {
	f.Add([]byte{0, 0})
	f.Add([]byte("\x01\x05hello\x02\x0aab\x03\x00\x04\x10\x3d\x01\x01\x00abc\x05\x20\x83\x20\x01\x01"))
	f.Add([]byte{1, 200, 0, 0, 0, 3, 8, 1, 200, 1, 2, 4, 9, 0x3d, 1, 1, 0, 5, 4, 9, 0x38, 9, 1, 0, 5, 6, 50, 4, 9, 0x03, 1})
	f.Fuzz(func(t *testing.T, ops []byte) { drive(t, ops) })
}

// TestRandomCalls does the same with octets that are drawn.
func TestRandomCalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		ops := make([]byte, rng.IntN(2000))
		for i := range ops {
			ops[i] = byte(rng.Uint32())
			if rng.IntN(2) == 0 {
				ops[i] %= 64
			}
		}
		drive(t, ops)
	}
}

// drive does with a link what octets say.
func drive(t testing.TB, ops []byte) {
	l := New(Config{From: 1, To: 2, Budget: &Budget{Max: 100_000}, MaxFrame: 64})
	other := New(Config{From: 1, To: 3, Path: l.path})
	now := time.Duration(0)
	for len(ops) >= 2 {
		op, n := ops[0], int(ops[1])
		ops = ops[2:]
		arg := ops[:min(n%32, len(ops))]
		ops = ops[len(arg):]
		switch op % 8 {
		case 0:
			now += time.Duration(n) * time.Millisecond
		case 1, 2:
			_ = l.Send(Message{
				Data: make([]byte, n*len(arg)), Reliable: op%8 == 1, Token: uint64(n), Priority: n % 3,
				Deadline: time.Duration(op/8) * time.Second,
			})
		case 3:
			now += time.Duration(n) * time.Second
		case 4, 5:
			if frame, err := reliable.Decode(append([]byte{2, 1}, arg...)); err == nil {
				l.Receive(now, &frame)
			}
		case 6:
			switch n % 5 {
			case 0:
				l.Ours()
			case 1:
				l.Cancel(uint64(n))
			case 2:
				l.CancelBelow(n % 3)
			case 3:
				_ = other.Send(Message{Data: arg, Reliable: true})
				other.Step(now)
			}
		case 7:
			if n == 255 {
				l.Close()
			}
		}
		settled := false
		for range 50 {
			o := l.Step(now)
			require.LessOrEqual(t, len(o.Frames), 2000)
			if settled = o.Wake > now; settled {
				break
			}
		}
		require.True(t, settled, "wants to be called for ever")
		l.holds(t)
	}
}
