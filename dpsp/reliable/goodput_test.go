package reliable

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbered is a message that says which one it is.
func numbered(n, size int) []byte {
	b := make([]byte, max(size, 4))
	binary.LittleEndian.PutUint32(b, uint32(n))
	for i := 4; i < len(b); i++ {
		b[i] = byte(n + i)
	}
	return b
}

// goodput returns kB a second of messages of one frame in one direction with as much lost each way, and the frames sent for each
// that was needed.
func goodput(t testing.TB, seed uint64, ours bool, loss float64, length time.Duration) (kB, sent float64) {
	w := newWorld(t, seed, Config{}, Config{Options: Options{NoNACK: !ours}})
	w.strip = true
	if ours {
		w.ours()
	}
	w.ends[0].loss, w.ends[1].loss = loss, loss
	n := 0
	w.run(length, func() {
		for len(w.ends[0].link.send.waiting) < 30 {
			w.send(0, Message{Data: numbered(n, 1394), Reliable: true})
			n++
		}
	})
	got := w.ends[1].got
	for i, m := range got {
		if n := binary.LittleEndian.Uint32(m.Data); n != uint32(i) {
			require.Equal(t, uint32(i), n)
		}
	}
	return float64(len(got)) * 1.394 / length.Seconds(), float64(w.ends[0].link.Stats().Sent) / float64(max(1, len(got)))
}

// TestGoodput holds goodput under loss, and the frames that it takes, against what was asked (facts, reliable 12).
func TestGoodput(t *testing.T) {
	for _, ask := range []struct {
		ours     bool
		loss     float64
		kB, sent float64 // at least, at most
	}{
		{true, 0, 656, 1.01}, {true, 0.01, 560, 1.05}, {true, 0.05, 408, 1.15}, {true, 0.2, 248, 1.6}, {true, 0.4, 40, 2.5},
		{false, 0, 656, 1.01}, {false, 0.01, 488, 1.15}, {false, 0.05, 340, 1.5}, {false, 0.2, 216, 2.5}, {false, 0.4, 30, 5},
	} {
		kB, sent := 0.0, 0.0
		for seed := range uint64(3) {
			k, s := goodput(t, seed, ask.ours, ask.loss, 10*time.Second)
			kB, sent = kB+k/3, sent+s/3
		}
		t.Logf("ours %v, loss %v: %.0f kB/s, %.2f frames sent for each", ask.ours, ask.loss, kB, sent)
		assert.GreaterOrEqual(t, kB, ask.kB, "ours %v, loss %v", ask.ours, ask.loss)
		assert.LessOrEqual(t, sent, ask.sent, "ours %v, loss %v", ask.ours, ask.loss)
	}
}
