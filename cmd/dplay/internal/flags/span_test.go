package flags

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSpan takes days as well.
func TestSpan(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"7d": 7 * day, "1d12h": day + 12*time.Hour, "0d": 0, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "0": 0, "-1h": -time.Hour,
		"65535d": 65535 * day,
	} {
		var s Span
		require.NoError(t, s.Set(text), text)
		assert.Equal(t, want, s.Duration, text)
		assert.Equal(t, text, s.String())
	}
	for _, text := range []string{"", "d", "7", "-7d", "1.5d", "7d-1h", "7d7", "7days", "1h7d", "65536d", "1d1d", "x"} {
		s := Span{}
		require.Error(t, s.Set(text), text)
		assert.Zero(t, s)
	}
}
