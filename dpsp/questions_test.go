package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A machine is asked once, and has as much time as all others.
func TestQuestions(t *testing.T) {
	var qs questions
	assert.Equal(t, Never, qs.next())
	assert.True(t, qs.add(5, 10, 100))
	assert.True(t, qs.add(6, 20, 100))
	assert.False(t, qs.add(5, 30, 100))
	assert.Equal(t, questions{{5, 110}, {6, 120}}, qs)
	assert.EqualValues(t, 110, qs.next())
	qs.forget(5)
	assert.EqualValues(t, 120, qs.next())
	qs.forget(6)
	assert.True(t, qs.add(5, 40, 100))
}
