package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestRecalledLinks keeps what went with groups, and gives it back for the group of the same owner alone.
func TestRecalledLinks(t *testing.T) {
	var l recalledLinks
	for _, r := range []recalled{{10, 1, 100}, {10, 1, 101}, {10, 1, 100}, {20, 2, 100}} {
		l.keep(r)
	}
	assert.Len(t, l, 3, "each once")
	assert.Empty(t, l.take(30, 1))
	assert.Equal(t, []wire.PlayerID{100, 101}, l.take(10, 1), "in order")
	assert.Empty(t, l.take(10, 1), "they are in it now")
	assert.Empty(t, l.take(20, 1), "another machine's group has the id")
	assert.Empty(t, l, "and the group that had it does not come back")
	for i := range maxRecalled + 1 {
		l.keep(recalled{10, 1, wire.PlayerID(i)})
	}
	assert.Len(t, l, maxRecalled)
}
