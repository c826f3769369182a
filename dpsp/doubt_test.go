package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// A machine that says nothing of the name table, and lives, is not lost: a member that does not answer the leader is in the
// session of the new host, and a candidate that does not lead is passed over. One that says nothing at all is lost.
func TestSilentAboutTheTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		silent int // which one
		dead   bool
		host   int
	}{
		{"a member", 3, false, 1},
		{"the candidate", 1, false, 1}, // it says that it is host
		{"a dead member", 3, true, 1},
		{"a dead candidate", 1, true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, n, _ := session(t, migrating|wire.SessionKeepAlive, 3, Config{Period: 2 * time.Second, Probes: 20})
			w.run(3 * time.Second)
			w.cut = func(from, _ *node, out Outgoing) bool {
				if from != n[c.silent] {
					return false
				}
				env, err := n[0].dec.DecodeStream(out.Data)
				x, ok := env.Message.(*wire.Extension)
				return c.dead || err == nil && ok && x.Kind == wire.KindTable
			}
			hostWas := n[0].self
			w.kill(n[0])
			start := w.now
			w.run(start + 11*time.Second) // the candidate's time, a leader's, and that of a doubt
			left := n[1:]
			if c.dead {
				left = nil
				for _, p := range n[1:] {
					if p != n[c.silent] {
						left = append(left, p)
					}
				}
			}
			agree(t, left, len(left))
			assert.Equal(t, n[c.host].self, left[0].host)
			for _, p := range left {
				for _, lost := range eventsOf[PeerLost](p.events) {
					assert.True(t, lost.System == hostWas || c.dead && lost.System == n[c.silent].self, p.name)
				}
				assert.Empty(t, eventsOf[SessionSplit](p.events), p.name)
			}
		})
	}
}
