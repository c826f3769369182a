package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// A host's refusal is told with its code's name and what it means; of a code that nobody knows the number is told.
func TestRefusals(t *testing.T) {
	assert.EqualError(t, trouble(wire.ErrBusy, false),
		"refused, the host is busy, or too much waits in its queues: try again in a moment: the host answers DPERR_BUSY (0x8877010e)")
	assert.ErrorContains(t, trouble(wire.ErrUnavailable, true), "DPERR_UNAVAILABLE (0x887700fa)")
	assert.EqualError(t, trouble(wire.HResult(0x8877FFFF), true), "refused: the host answers 0x8877ffff")
	for code, says := range refusals {
		assert.NotEmpty(t, code.Name())
		assert.EqualError(t, trouble(code, true), "refused, "+says+": the host answers "+code.String())
	}
}
