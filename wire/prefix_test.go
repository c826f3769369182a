package wire_test

import (
	"testing"

	"dplay4/wire"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		t.Run(g.Name, func(t *testing.T) {
			whole := g.message()
			d := wire.Decoder{Options: g.opts}
			for n := range whole {
				var err error
				if g.system() {
					_, _, err = d.DecodeMessage(whole[:n])
				} else {
					_, err = d.DecodePlayerMessage(whole[:n])
				}
				if begins, ok := restBegins[g.Name]; ok && n >= begins {
					require.NoError(t, err, "%d octets", n)
					continue
				}
				require.Error(t, err, "%d octets", n)
				wiretest.GoodError(t, err, n)
			}
		})
	}
}

// TestPrefixesOfStream truncates messages with their SP header: the size, or the header itself, is refused.
func TestPrefixesOfStream(t *testing.T) {
	for _, g := range goldens(t) {
		if g.Form != "stream" {
			continue
		}
		var d wire.Decoder
		for n := range g.Raw {
			e, err := d.DecodeStream(g.Raw[:n])
			require.Error(t, err, "%s: %d octets", g.Name, n)
			wiretest.GoodError(t, err, n)
			assert.Nil(t, e.Message, "%s: %d octets", g.Name, n)
			if n < wire.SPHeaderSize {
				assert.ErrorIs(t, err, wire.ErrShort)
			} else {
				assert.ErrorIs(t, err, wire.ErrOffset)
			}
		}
	}
}
