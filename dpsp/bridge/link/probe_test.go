package link

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// newProber returns a new machine's, of the session with the secret.
func newProber(t testing.TB, secret byte) *prober {
	t.Helper()
	keys := code.Code{Secret: [16]byte{secret}}.Keys()
	i, err := newIdentity(keys)
	require.NoError(t, err)
	return &prober{i, keys.Probe}
}

// TestProbe: what one machine seals another one of the same session opens, and nobody else, and not with any bit changed.
func TestProbe(t *testing.T) {
	t.Parallel()
	a, b, stranger := newProber(t, 1), newProber(t, 1), newProber(t, 2)
	for _, pong := range []bool{false, true} {
		sealed := a.seal(pong, b.identity.id, 12345)
		require.Len(t, sealed, probeSize)
		assert.Zero(t, sealed[0]&quicBit)
		got, ok := b.open(sealed)
		require.True(t, ok)
		assert.Equal(t, probe{pong, a.identity.id, b.identity.id, 12345}, got)
		_, ok = stranger.open(sealed)
		assert.False(t, ok)
		for i := range sealed {
			sealed[i] ^= 1 << (i % 8)
			_, ok := b.open(sealed)
			assert.False(t, ok, "octet %d", i)
			sealed[i] ^= 1 << (i % 8)
		}
	}
}

// TestProbeOfAnother: a member that knows the session's key cannot speak for another one.
func TestProbeOfAnother(t *testing.T) {
	t.Parallel()
	a, b, c := newProber(t, 1), newProber(t, 1), newProber(t, 1)
	forged := c.seal(false, b.identity.id, 1)
	copy(forged[1:], a.identity.public)
	said := forged[:probeSize-macSize]
	copy(forged[len(said):], c.mac(said))
	_, ok := b.open(forged)
	assert.False(t, ok)
}

// FuzzProbe: whatever comes is read without harm, and what is read was sealed.
func FuzzProbe(f *testing.F) {
	a := newProber(f, 1)
	whole := a.seal(false, ID{1}, 7)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{pingKind})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, ok := a.open(b); ok && len(b) != probeSize {
			t.Fatal("a probe of another size")
		}
	})
}
