package benchtshark

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// TestMixIsWhatItSays reads a made-up capture back: every message is found and decoded, no octet is lost, and
// there is everything in it that the comparison with tshark is about.
func TestMixIsWhatItSays(t *testing.T) {
	const packets = 40_000
	var file bytes.Buffer
	sum := makeUp(t, &file, packets, 7)
	assert.GreaterOrEqual(t, sum.Packets, packets)
	assert.Less(t, sum.Packets, packets+1000)
	assert.InDelta(t, 0.1, float64(sum.Unrelated)/float64(sum.Packets), 0.02, "share of other traffic")

	commands := map[string]int{}
	var split, byTCP, byUDP, shared, last int
	read, err := captures.Read(context.Background(), &file, captures.Options{}, func(r *captures.Record) error {
		require.NoError(t, r.Err)
		require.Empty(t, r.Findings, "message %d in frames %v", r.N, r.Frames)
		commands[r.Command()]++
		if len(r.Frames) > 1 {
			split++
		}
		if r.Transport == captures.TCP {
			byTCP++
			if r.Frames[0] == last {
				shared++
			}
			last = r.Frames[len(r.Frames)-1]
		} else {
			byUDP++
		}
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, sum.Packets, read.Frames)
	assert.Equal(t, sum.Messages, read.Messages)
	for _, a := range []captures.Account{read.TCP, read.UDP} {
		assert.True(t, a.Balanced())
		assert.Equal(t, a.Octets, a.Decoded, "octets that were not decoded: %+v", a)
		assert.Zero(t, a.Lost)
	}
	assert.Greater(t, byTCP, sum.Messages/5)
	assert.Greater(t, byUDP, sum.Messages/5)
	assert.Greater(t, split, sum.Packets/500, "messages over several segments")
	assert.Greater(t, shared, sum.Packets/50, "messages that share a segment")
	for _, c := range []wire.Command{wire.CmdEnumSessions, wire.CmdEnumSessionsReply, wire.CmdRequestPlayerID,
		wire.CmdRequestPlayerReply,
		wire.CmdAddForwardRequest, wire.CmdAddForward, wire.CmdAddForwardAck, wire.CmdSuperEnumPlayersReply, wire.CmdCreatePlayer,
		wire.CmdPlayerMessage, wire.CmdPing, wire.CmdPingReply, wire.CmdDeletePlayer} {
		assert.Positive(t, commands[c.String()], "%v", c)
	}
}

// TestMixFollowsFromTheSeed checks that everybody measures the same file.
func TestMixFollowsFromTheSeed(t *testing.T) {
	var a, b, c bytes.Buffer
	makeUp(t, &a, 5000, 1)
	makeUp(t, &b, 5000, 1)
	makeUp(t, &c, 5000, 2)
	assert.True(t, bytes.Equal(a.Bytes(), b.Bytes()), "the same seed gives the same file")
	assert.False(t, bytes.Equal(a.Bytes(), c.Bytes()), "another seed gives another file")
}

func TestMedian(t *testing.T) {
	const s = time.Second
	assert.Equal(t, 2*s, median([]time.Duration{9 * s, s, 2 * s}))
	assert.Equal(t, 3*s, median([]time.Duration{4 * s, s, 2 * s, 9 * s}))
}
