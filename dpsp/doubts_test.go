package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A machine is doubted once, and as long as all others are.
func TestDoubts(t *testing.T) {
	var ds doubts
	assert.Equal(t, Never, ds.next())
	assert.True(t, ds.add(5, 10, 100))
	assert.True(t, ds.add(6, 20, 100))
	assert.False(t, ds.add(5, 30, 100))
	assert.Equal(t, doubts{{5, 10, 110}, {6, 20, 120}}, ds)
	assert.EqualValues(t, 110, ds.next())
	ds.forget(5)
	assert.EqualValues(t, 120, ds.next())
	ds.forget(6)
	assert.True(t, ds.add(5, 40, 100))
}
