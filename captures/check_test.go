package captures_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
)

// requireSameOctets encodes a record that decoded and compares with the octets it came from.
func requireSameOctets(t testing.TB, r *captures.Record) {
	t.Helper()
	if r.Err != nil {
		return
	}
	if r.Frame != nil && !r.Joined {
		b, err := r.Frame.Append(nil)
		require.NoError(t, err, "message %d", r.N)
		require.Equal(t, hex.EncodeToString(r.Raw), hex.EncodeToString(b), "the frame of message %d", r.N)
		if r.Envelope.Message == nil {
			return
		}
	}
	b, err := r.Envelope.Append(nil)
	require.NoError(t, err, "message %d", r.N)
	at := 0
	if !r.Envelope.HasSP {
		at = r.Base
	}
	require.Equal(t, hex.EncodeToString(r.Raw[at:]), hex.EncodeToString(b), "message %d", r.N)
}

// requireBalanced checks that every frame and every octet is accounted for.
func requireBalanced(t testing.TB, s *captures.Summary) {
	t.Helper()
	require.True(t, s.TCP.Balanced(), "TCP: %+v", s.TCP)
	require.True(t, s.UDP.Balanced(), "UDP: %+v", s.UDP)
	require.Equal(t, s.Frames, s.FramesWith+s.FramesOther+s.FramesNotIP, "%+v", s)
	require.GreaterOrEqual(t, s.FramesOther, 0, "%+v", s)
}
