package bridging

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
)

// TestUntilTable: an event ends the table, and the session with it; a session that ends before is an error.
func TestUntilTable(t *testing.T) {
	s := newMade("Ann")
	w := show(t, Options{Until: cli.NewUntil("bridge_code")}, s)
	w.sees("Nobody hosts yet.")
	s.events <- bridge.CodeChanged{Code: "IJKL"}
	require.NoError(t, <-w.ended)
	assert.True(t, s.ended())

	s = newMade("Ann")
	w = show(t, Options{Until: cli.NewUntil("bridge_code")}, s)
	w.sees("Nobody hosts yet.")
	require.NoError(t, s.end(""))
	assert.EqualError(t, <-w.ended, "ended before bridge_code")
}
