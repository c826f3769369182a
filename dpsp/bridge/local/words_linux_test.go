package local

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMessageAlone: a message that cannot be read, of a kind without addresses, is told of, and the connection goes on.
func TestMessageAlone(t *testing.T) {
	t.Parallel()
	m, first, second := two(t)
	_, err := second.Write(message(1, "play\x16\x00\x0e\x00\x00\x00"))
	require.NoError(t, err)
	passes(t, second, first, message(1, "after it"))
	m[0].reports(func(e Event) bool { d, ok := e.(Dropped); return ok && d.Slot == 1 && d.Count == 1 })
}
