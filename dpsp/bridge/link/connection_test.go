package link

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatagramsWait: a machine whose datagrams nobody takes fills no memory: little where they were taken once, none before, as
// whoever is not let in may have many links.
func TestDatagramsWait(t *testing.T) {
	t.Parallel()
	c := &connection{ctx: t.Context(), in: make(chan []byte, datagramsWait)}
	for range 2 * datagramsWait {
		c.take(make([]byte, MaxDatagram))
	}
	assert.Empty(t, c.in)
	c.wanted.Store(true)
	for range 2 * datagramsWait {
		c.take(make([]byte, MaxDatagram))
	}
	assert.Len(t, c.in, waitMost/MaxDatagram)
	for range waitMost / MaxDatagram {
		d, err := c.ReceiveDatagram(t.Context())
		require.NoError(t, err)
		assert.Len(t, d, MaxDatagram)
	}
	assert.Zero(t, c.waits.Load())
	for range 2 * datagramsWait {
		c.take(make([]byte, 1))
	}
	assert.Len(t, c.in, datagramsWait)
	assert.EqualValues(t, datagramsWait, c.waits.Load())
}
