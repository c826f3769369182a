package play

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp"
)

// TestNewID: our player is the one that came with a new id.
func TestNewID(t *testing.T) {
	p := newPlaying(&Common{}, cli.Streams{})
	p.player = 0x11
	for _, e := range []dpsp.Event{
		dpsp.PlayerCreated{ID: 0x40, ShortName: "Bob"}, dpsp.PlayerDeleted{ID: 0x11}, dpsp.PlayerCreated{ID: 0x44, ShortName: "Ann", Local: true},
	} {
		assert.NoError(t, p.happened(t.Context(), e))
	}
	assert.EqualValues(t, 0x44, p.player)
}

// TestOwnAddresses: others reach us at addresses of IPv4, and at a loopback address if there is no other.
func TestOwnAddresses(t *testing.T) {
	for _, a := range ownAddresses() {
		assert.True(t, a.Is4() && (!a.IsLoopback() || len(ownAddresses()) == 1), a)
	}
}

// TestSocketOptions checks that the flags reach the engine.
func TestSocketOptions(t *testing.T) {
	for _, on := range []bool{false, true} {
		assert.Equal(t, on, (&Common{Compatible: on}).options(nil).Config.Compatible)
		assert.Equal(t, on, (&Common{Legacy: on}).options(nil).Config.Legacy)
	}
	assert.Nil(t, (&Common{}).options(nil).Record, "a nil record in an interface would be called")
}
