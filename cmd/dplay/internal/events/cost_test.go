package events

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/wire"
)

// TestLargeSession compares the cost of an event and its line in a session of ten players with that in one of a thousand.
func TestLargeSession(t *testing.T) {
	cost := func(players int) float64 {
		r := NewRoster()
		for i := range players {
			id := wire.PlayerID(0x100 + i)
			r.Learn(dpsp.PlayerCreated{ID: id, System: 0x10000 + id, ShortName: fmt.Sprint("Ann", i)})
		}
		return testing.AllocsPerRun(10, func() {
			r.Learn(dpsp.PlayerChanged{ID: 0x105, ShortName: "Bob", Renamed: true})
			r.who(0x105)
		})
	}
	assert.LessOrEqual(t, cost(1000), cost(10)+2)
}
