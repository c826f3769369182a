package play

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A host's refusal is told with its code's name and what it means; of a code that nobody knows the number is told.
func TestRefusals(t *testing.T) {
	assert.EqualError(t, trouble(wire.ErrBusy, false, wire.StreamPorts),
		"refused, the host is busy, or too much waits in its queues: try again in a moment: the host answers DPERR_BUSY (0x8877010e)")
	assert.ErrorContains(t, trouble(wire.ErrUnavailable, true, wire.StreamPorts), "DPERR_UNAVAILABLE (0x887700fa)")
	assert.EqualError(t, trouble(wire.HResult(0x8877FFFF), true, wire.StreamPorts), "refused: the host answers 0x8877ffff")
	assert.EqualError(t, trouble(wire.ErrNoConnection, true, wire.Ports{First: 5, Last: 5}),
		"refused, the host has no connection to us: "+
			"a firewall or router may stop it from reaching our TCP 5: the host answers DPERR_NOCONNECTION (0x887700aa)")
	assert.ErrorContains(t, trouble(dpsp.ErrTimeout, true, wire.StreamPorts), "from reaching us (TCP 2300-2349)")
	for code, says := range refusals {
		assert.NotEmpty(t, code.Name())
		assert.EqualError(t, trouble(code, true, wire.StreamPorts), says+": the host answers "+code.String())
	}
}
