package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestManyPlayersCostNoMore has a member make a thousand players: what others do for one more, or for a message of one, and when
// nothing happens, is as much as with ten. Allocations are counted, for they do not depend on the machine.
func TestManyPlayersCostNoMore(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{})
	flooder := n[1]
	to, from := w.must(n[0], CreatePlayer{ShortName: "to"}), w.must(flooder, CreatePlayer{ShortName: "from"})
	cost := func() (create, send, wait float64) {
		var id wire.PlayerID
		create = testing.AllocsPerRun(20, func() {
			id = w.must(flooder, CreatePlayer{ShortName: "one more"})
			w.must(flooder, DeletePlayer{ID: id})
		})
		send = testing.AllocsPerRun(20, func() { w.must(flooder, Send{From: from, To: to, Payload: []byte("x")}) })
		w.run(w.now + 10*time.Minute) // what changed is compared once
		wait = testing.AllocsPerRun(5, func() { w.run(w.now + 2*time.Minute) })
		for _, p := range n {
			p.events = nil
		}
		return create, send, wait
	}
	for _, p := range w.nodes {
		p.program.apart = true // what it allocates does not count
	}
	const few, many = 10, 1000
	var before [3]float64
	for _, players := range []int{few, many} {
		for len(flooder.list.AppendPlayers(nil)) < players {
			w.must(flooder, CreatePlayer{ShortName: "p"})
		}
		create, send, wait := cost()
		if players == few {
			before = [3]float64{create, send, wait}
			continue
		}
		require.Len(t, n[2].Players(), len(flooder.Players()))
		assert.Less(t, create, 1.5*before[0]+10)
		assert.Less(t, wait, 1.5*before[2]+10, "nothing changed, so that there is nothing to compare")
		assert.Less(t, send, 1.5*before[1]+10)
	}
}
