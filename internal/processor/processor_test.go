package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTime: work takes processor time, and waiting takes none.
func TestTime(t *testing.T) {
	began := Time()
	for Time() == began { // it may count in steps of 16 ms
	}
	assert.Greater(t, Time(), began)
	<-time.After(time.Second / 10)
	assert.Less(t, Time()-began, time.Second/10)
}
