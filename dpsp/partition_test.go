package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestReadmissions has machines come back, and their time pass.
func TestReadmissions(t *testing.T) {
	var r readmissions
	assert.False(t, r.has(1, 0))
	r.add(1, time.Second)
	r.add(2, 2*time.Second)
	assert.True(t, r.has(1, idLife+time.Second-1))
	assert.False(t, r.has(1, idLife+time.Second), "its time is over")
	assert.True(t, r.has(2, idLife+time.Second))
	r.add(2, 3*time.Second)
	assert.Len(t, r, 2, "one a machine")
	assert.True(t, r.has(2, idLife+2*time.Second), "counted from the last time")
	r.add(3, idLife+3*time.Second)
	assert.Len(t, r, 1, "those whose time is over are forgotten")
}
