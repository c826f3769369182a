package object_test

import (
	"testing"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAudit loses each reliable message once, as a connection does that breaks, and has both sides audit: what they have
// is the same then (found by seed 2962102853 of the simulator, in which an ACK was lost).
func TestAudit(t *testing.T) {
	a, b := table(ann, ben), table(ben, ann)
	stone, err := b.Create(0, []byte("new"))
	require.NoError(t, err)
	b.Take() // CREATE is lost
	b.Audit()
	require.Empty(t, b.Take().Sends, "it may be on its way")
	b.Audit()
	out := b.Take()
	require.Len(t, out.Sends, 1)
	receive(t, a, ben, &out.Sends[0].Message) // ACK is lost
	require.NoError(t, b.Update(0, stone, []byte("one")))
	require.Empty(t, b.Take().Sends)
	a.Audit()
	out = a.Take()
	require.Len(t, out.Sends, 1)
	require.Equal(t, wire.KindObjectAck, out.Sends[0].Message.Op)
	out = receive(t, b, ann, &out.Sends[0].Message)
	require.Len(t, out.Sends, 1)
	receive(t, a, ben, &out.Sends[0].Message)
	assert.Equal(t, b.Objects(), a.Objects())

	require.NoError(t, b.Destroy(0, stone))
	b.Take() // DESTROY is lost
	a.Audit()
	out = a.Take()
	require.Len(t, out.Sends, 1)
	require.ErrorIs(t, b.Receive(0, ann, &out.Sends[0].Message), object.ErrDestroyed)
	out = b.Take()
	require.Len(t, out.Sends, 1)
	receive(t, a, ben, &out.Sends[0].Message)
	assert.Empty(t, a.Objects())
	a.Audit()
	b.Audit()
	assert.Empty(t, a.Take().Sends)
	assert.Empty(t, b.Take().Sends)
}

// TestAuditShare: of many objects each audit acknowledges a part, and eight audits all.
func TestAuditShare(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 100} {
		a, b := table(ann, ben), table(ben, ann)
		for range n {
			_, err := b.Create(0, nil)
			require.NoError(t, err)
		}
		for _, s := range b.Take().Sends {
			require.NoError(t, a.Receive(0, ben, &s.Message))
		}
		a.Take()
		said := map[wire.ObjectID]bool{}
		for range 9 {
			a.Audit()
			sends := a.Take().Sends
			assert.LessOrEqual(t, len(sends), max(8, n/8))
			for _, s := range sends {
				said[s.Message.Object] = true
			}
		}
		assert.Len(t, said, n)
	}
}
