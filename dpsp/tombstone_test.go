package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestTombstones puts up tombstones, and has their time pass.
func TestTombstones(t *testing.T) {
	var l tombstones
	l.add(10, 1, 0)
	l.add(20, 2, 5)
	assert.True(t, l.has(10, tombstoneLife-1))
	assert.False(t, l.has(10, tombstoneLife), "its time is over")
	assert.False(t, l.has(11, 0))
	assert.True(t, l.outdate(&wire.PackedPlayer{ID: 10, System: 1}, 0))
	assert.False(t, l.outdate(&wire.PackedPlayer{ID: 10, System: 2}, 0), "another machine was given the id")
	assert.False(t, l.outdate(&wire.PackedPlayer{ID: 10, System: 1}, tombstoneLife))

	l.add(10, 3, 6)
	assert.Len(t, l, 2, "one an id")
	assert.True(t, l.outdate(&wire.PackedPlayer{ID: 10, System: 3}, 6))
	l.drop(2)
	assert.False(t, l.has(20, 6), "its machine is back")
	l.add(30, 1, tombstoneLife+6)
	assert.Len(t, l, 1, "those whose time is over are forgotten")
	for i := range maxTombstones {
		l.add(wire.PlayerID(100+i), 1, tombstoneLife+6)
	}
	assert.Len(t, l, maxTombstones)
	assert.False(t, l.has(30, tombstoneLife+6), "the oldest made room")
}
