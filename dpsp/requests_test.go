package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The line of requests waits for its first one alone, and begins anew for another host.
func TestRequestsLine(t *testing.T) {
	var q requestQueue
	assert.Equal(t, Never, q.next())
	for range 5 {
		q.line = append(q.line, &request{command: CreatePlayer{}, deadline: Never})
	}
	assert.Equal(t, Never, q.next())
	first := q.line[0]
	first.tries, first.deadline, first.again = 2, 30, 20
	assert.EqualValues(t, 20, q.next())
	first.again = 0
	assert.EqualValues(t, 30, q.next())
	q.line[1].deadline = 10
	assert.EqualValues(t, 30, q.next())
	q.wait(time.Minute)
	for _, r := range q.line {
		assert.Equal(t, request{command: q.line[0].command, deadline: time.Minute}, *r)
	}
	all := q.takeAll()
	assert.Len(t, all, 5)
	assert.Same(t, first, all[0])
	assert.Empty(t, q.line)
}
