package directplay

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/wire"
)

// TestMineCost compares the allocations of a look for our players in a small session with those in a large one: each message takes one.
func TestMineCost(t *testing.T) {
	cost := func(players int) float64 {
		r := newRoster()
		for i := range players {
			id := wire.PlayerID(0x100 + i)
			r.add(dpsp.PlayerCreated{ID: id, System: 0x10, Local: i == 0}, &entry{id: id, mine: i == 0})
		}
		assert.Len(t, r.mine(), 1)
		return testing.AllocsPerRun(10, func() { r.mine() })
	}
	assert.Equal(t, cost(2), cost(64))
}
