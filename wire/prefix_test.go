package wire_test

import (
	"errors"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reasons are all the sentinels that a DecodeError can wrap.
var reasons = []error{wire.ErrShort, wire.ErrLimit, wire.ErrOffset, wire.ErrOverlap, wire.ErrTerminator,
	wire.ErrSignature, wire.ErrValue, wire.ErrNesting}

// goodError checks what every error of the decoder promises: a field, an offset inside the message, a reason.
func goodError(t testing.TB, err error, size int) {
	t.Helper()
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%T %v", err, err)
	assert.NotEmpty(t, e.Message)
	assert.NotEmpty(t, e.Field)
	assert.True(t, 0 <= e.Offset && e.Offset <= size, "offset %d of %d in %v", e.Offset, size, err)
	known := 0
	for _, r := range reasons {
		if errors.Is(err, r) {
			known++
		}
	}
	assert.Equal(t, 1, known, "%v wraps one reason", err)
}

// The rest of the message is the last field of these: it has no length that a truncation could contradict. What
// is given is where it begins.
var restBegins = map[string]int{
	"PLAYERWRAPPER":     16, // PlayerMessage
	"VOICE":             16, // voiceData
	"PLAYERMESSAGE":     36, // PlayerMessage of the figure
	"MULTICASTDELIVERY": 28, // PlayerMessage in the BroadcastMessage

	"PLAYERMESSAGE-tcp":         8,
	"PLAYERMESSAGE-udp":         8,
	"PLAYERMESSAGE-nomessageid": 0, // nothing but the rest
}

// TestPrefixes decodes every truncation of every golden message.
func TestPrefixes(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			whole := g.message()
			d := wire.Decoder{Options: g.opts}
			for n := range whole {
				var err error
				if g.system() {
					_, _, err = d.DecodeMessage(whole[:n])
				} else {
					_, err = d.DecodePlayerMessage(whole[:n])
				}
				if begins, ok := restBegins[g.name]; ok && n >= begins {
					require.NoError(t, err, "%d octets", n)
					continue
				}
				require.Error(t, err, "%d octets", n)
				goodError(t, err, n)
			}
		})
	}
}

// TestPrefixesOfStream truncates messages with their SP header: the size, or the header itself, is refused.
func TestPrefixesOfStream(t *testing.T) {
	for _, g := range goldens(t) {
		if g.form != "stream" {
			continue
		}
		var d wire.Decoder
		for n := range g.raw {
			e, err := d.DecodeStream(g.raw[:n])
			require.Error(t, err, "%s: %d octets", g.name, n)
			goodError(t, err, n)
			assert.Nil(t, e.Message, "%s: %d octets", g.name, n)
			if n < wire.SPHeaderSize {
				assert.ErrorIs(t, err, wire.ErrShort)
			} else {
				assert.ErrorIs(t, err, wire.ErrOffset)
			}
		}
	}
}
