package reliable

import (
	"encoding/binary"
	"testing"
	"time"

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

// TestGoodput measures one direction under loss.
func TestGoodput(t *testing.T) {
	for _, ours := range []bool{true, false} {
		for _, loss := range []float64{0, 0.01, 0.05, 0.2, 0.4} {
			w := newWorld(t, 1, Config{}, Config{})
			if ours {
				w.ours()
			}
			w.ends[0].loss, w.ends[1].loss = loss, loss
			n := 0
			w.run(20*time.Second, func() {
				for len(w.ends[0].link.send.waiting) < 30 {
					w.send(0, Message{Data: numbered(n, 1394), Reliable: true})
					n++
				}
			})
			s := w.ends[0].link.Stats()
			got := w.ends[1].got
			for i, m := range got {
				require.Equal(t, uint32(i), binary.LittleEndian.Uint32(m.Data))
			}
			mean, dev := w.ends[0].link.path.RTT()
			t.Logf("ours %v loss %v: %d kB/s, sent/needed %.3f, timeouts %d, rtt %v %v, other way %+v", ours, loss, len(got)*1394/20000,
				float64(s.Sent)/float64(max(1, len(got))), s.Timeouts, mean, dev, w.ends[1].link.Stats())
		}
	}
}
