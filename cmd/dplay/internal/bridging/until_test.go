package bridging

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
)

// TestUntil leaves once an event came, whatever was to come after it, also where it is not told to people at once, and has an error
// where the session ends before.
func TestUntil(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []struct {
		until string
		e     bridge.Event
		want  error
	}{
		{"game_playing", bridge.Local{Event: local.Playing{On: true}}, nil},
		{"bridge_code", bridge.CodeChanged{Code: "IJKL"}, nil},
		{"bridge_closed", bridge.Ended{Reason: "why"}, nil},
		{"machine_left", bridge.Ended{Reason: "why"}, cli.ErrFailed},
	} {
		for _, ndjson := range []bool{false, true} {
			s := newMade("Ann")
			s.events <- c.e
			s.events <- bridge.GameHosts{Member: s.members[0]}
			var out bytes.Buffer
			o := Options{Std: cli.Streams{In: strings.NewReader(""), Out: &out}, NDJSON: ndjson, Until: cli.NewUntil(c.until)}
			assert.ErrorIs(t, o.Run(t.Context(), s), c.want, c.until)
		}
	}
	s := newMade("Ann")
	o := Options{Std: cli.Streams{In: strings.NewReader("quit\n"), Out: &bytes.Buffer{}}, Until: cli.NewUntil("machine_left")}
	assert.EqualError(t, o.Run(t.Context(), s), "ended before machine_left")
}

// TestUntilWaiting gives a session up that is waited for, once that was told, and takes it that there is none where that was to be told.
func TestUntilWaiting(t *testing.T) {
	t.Parallel()
	out, err := opened(t, t.Context(), Options{NDJSON: true, Until: cli.NewUntil("bridge_waiting")}, nil)
	assert.NoError(t, err)
	assert.Contains(t, out, `"event":"bridge_waiting","for":"relay"`)
	for _, ndjson := range []bool{false, true} {
		_, err = opened(t, t.Context(), Options{NDJSON: ndjson, Until: cli.NewUntil("bridge_failed")}, bridge.ErrFull)
		assert.NoError(t, err)
	}
	_, err = opened(t, t.Context(), Options{Until: cli.NewUntil("bridge_opened")}, bridge.ErrFull)
	assert.ErrorIs(t, err, bridge.ErrFull)
}
