package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/playerlist"
)

// The line of requests is bounded, waits for its first one alone, and begins anew for another host.
func TestRequestsLine(t *testing.T) {
	var q requests
	assert.Equal(t, Never, q.next())
	for range maxRequests + 5 {
		q.recreate(&playerlist.Entry{ID: 7})
	}
	assert.Len(t, q.line, maxRequests)
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
		assert.Equal(t, request{command: q.line[0].command, own: true, was: 7, deadline: time.Minute}, *r)
	}
	all := q.takeAll()
	assert.Len(t, all, maxRequests)
	assert.Same(t, first, all[0])
	assert.Empty(t, q.line)
}
