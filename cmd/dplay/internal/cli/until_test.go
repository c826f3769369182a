package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestUntil: a command that ends has an error unless the event came, and none if it did.
func TestUntil(t *testing.T) {
	u := NewUntil("chat")
	assert.False(t, u.Printed("message"))
	assert.EqualError(t, u.Ended(nil), "ended before chat")
	assert.Equal(t, ErrFailed, u.Ended(ErrFailed))
	assert.True(t, u.Printed("chat"))
	assert.True(t, u.Printed("message"))
	assert.NoError(t, u.Ended(nil))
	assert.NoError(t, u.Ended(ErrFailed))

	var none *Until
	assert.Equal(t, none, NewUntil(""))
	assert.False(t, none.Printed(""))
	assert.NoError(t, none.Ended(nil))
	assert.Equal(t, ErrFailed, none.Ended(ErrFailed))
}
