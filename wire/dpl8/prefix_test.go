package dpl8_test

import (
	"testing"

	"dplay4/wire/dpl8"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rest of the message is the last field of these: it has no length that a truncation could contradict. What is
// given is where it begins.
var restBegins = map[string]int{
	"REQ_PROCESS_COMPLETION": 8, // payload
}

// TestPrefixes decodes every truncation of every golden message.
func TestPrefixes(t *testing.T) {
	for _, g := range wiretest.Goldens(t) {
		for n := range g.Raw {
			m, err := dpl8.Decode(g.Raw[:n:n])
			if begins, ok := restBegins[g.Name]; ok && n >= begins {
				require.NoError(t, err, "%s: %d octets", g.Name, n)
				continue
			}
			require.Error(t, err, "%s: %d octets", g.Name, n)
			wiretest.GoodError(t, err, n)
			assert.Equal(t, n < 4, m == nil, "%s: %d octets", g.Name, n)
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
				wiretest.GoodError(t, op.Err, len(b))
			}
			again, err := dpl8.Append(nil, m)
			require.NoError(t, err)
			assert.Equal(t, b, again)
		}
	}
}
