package dpl8_test

import (
	"errors"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goodError checks what every error of decoding promises: a message, a field, an offset inside the message, a reason.
func goodError(t testing.TB, err error, size int) {
	t.Helper()
	var e *wire.DecodeError
	require.True(t, errors.As(err, &e), "%T %v", err, err)
	assert.NotEmpty(t, e.Message)
	assert.NotEmpty(t, e.Field)
	assert.True(t, 0 <= e.Offset && e.Offset <= size, "offset %d of %d in %v", e.Offset, size, err)
	assert.Contains(t, []error{wire.ErrShort, wire.ErrLimit, wire.ErrOffset, wire.ErrOverlap}, e.Err)
}

// The rest of the message is the last field of these: it has no length that a truncation could contradict. What is
// given is where it begins.
var restBegins = map[string]int{
	"REQ_PROCESS_COMPLETION": 8, // payload
}

// TestPrefixes decodes every truncation of every golden message.
func TestPrefixes(t *testing.T) {
	for _, g := range goldens(t) {
		for n := range g.raw {
			m, err := dpl8.Decode(g.raw[:n:n])
			if begins, ok := restBegins[g.name]; ok && n >= begins {
				require.NoError(t, err, "%s: %d octets", g.name, n)
				continue
			}
			require.Error(t, err, "%s: %d octets", g.name, n)
			goodError(t, err, n)
			assert.Equal(t, n < 4, m == nil, "%s: %d octets", g.name, n)
		}
	}
}

// TestPrefixesOfOperation truncates what an operation of DN_ACK_NAMETABLE_OP holds: it keeps its octets, says why it
// could not be decoded, and the message around it is encoded as it was.
func TestPrefixesOfOperation(t *testing.T) {
	for name, whole := range goldenValues {
		if !whole.Type().Operation() {
			continue
		}
		body := readGolden(t, name)[4:]
		for n := range body {
			if whole.Type() == dpl8.TypeCreateGroup && n >= 8 {
				continue // the rest
			}
			in := dpl8.AckNameTableOp{Operations: []dpl8.Operation{{ID: whole.Type(), Octets: body[:n]}}}
			b, err := dpl8.Append(nil, &in)
			require.NoError(t, err)
			m, err := dpl8.Decode(b)
			require.NoError(t, err)
			op := m.(*dpl8.AckNameTableOp).Operations[0]
			assert.Nil(t, op.Message, "%s: %d octets", name, n)
			assert.Equal(t, string(body[:n]), string(op.Octets))
			require.Equal(t, n > 0, op.Err != nil, "%s: %d octets", name, n)
			if n > 0 {
				goodError(t, op.Err, len(b))
			}
			again, err := dpl8.Append(nil, m)
			require.NoError(t, err)
			assert.Equal(t, b, again)
		}
	}
}
