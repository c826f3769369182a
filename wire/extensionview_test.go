package wire_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"dplay4/wire"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomView returns a VIEW with random values in all its fields.
func randomView(r *rand.Rand) *wire.ExtensionView {
	v := new(wire.ExtensionView)
	wiretest.Fill(r, reflect.ValueOf(v).Elem(), 5, func(p any) bool {
		switch p := p.(type) {
		case *wire.Incarnation:
			*p = wire.Incarnation(r.Uint64())
		case *[]byte:
			if n := r.IntN(300); n > 0 {
				*p = make([]byte, n)
				for i := range *p {
					(*p)[i] = byte(r.Uint32())
				}
			}
		default:
			return false
		}
		return true
	})
	return v
}

// TestViewRandom encodes messages with random values, decodes them, and encodes them again. The decoder is one and the same: nothing
// of the message before may be left in the next.
func TestViewRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	var d wire.Decoder
	for range 2000 {
		want := randomView(r)
		b, err := wire.AppendMessage(nil, wire.DX9, wire.NewExtension(7, want))
		require.NoError(t, err)
		_, m, err := d.DecodeMessage(b)
		require.NoError(t, err)
		require.Equal(t, want, m.(*wire.Extension).Body)
		got, err := wire.AppendMessage([]byte("x"), wire.DX9, m)
		require.NoError(t, err)
		require.Equal(t, hex.EncodeToString(b), hex.EncodeToString(got[1:]))
	}
}

// TestViewRefusesSizes makes each count and length of a VIEW larger than what is left.
func TestViewRefusesSizes(t *testing.T) {
	b := load(t, "EXTENSION-view")
	sizes := map[string]int{} // the places of the counts
	var path string
	d := wire.Decoder{Visitor: func(f *wire.Field) {
		switch f.Name {
		case "MemberCount", "LostCount", "LeftCount", "RenamedCount", "OperationCount":
			sizes[f.Name] = f.Offset
		case "MessageSize":
			path = "Operations[1].MessageSize"
			sizes[path] = f.Offset
		}
	}}
	_, _, err := d.DecodeMessage(b)
	require.NoError(t, err)
	require.Len(t, sizes, 6)
	smallest := map[string]int{"MemberCount": 44, "LostCount": 44, "LeftCount": 8, "RenamedCount": 8, "OperationCount": 4, path: 1}
	for field, at := range sizes {
		left := uint32(len(b)-at-4) / uint32(smallest[field])
		for _, v := range []uint32{left + 1, wire.MaxPlayers} {
			refusal{"EXTENSION-view", at, v, field, at, wire.ErrShort}.check(t)
		}
		reason := wire.ErrLimit
		if field == path {
			reason = wire.ErrShort
		}
		for _, v := range []uint32{1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32} {
			refusal{"EXTENSION-view", at, v, field, at, reason}.check(t)
		}
	}
}

// TestViewSteps: each step has a name, and no other number has.
func TestViewSteps(t *testing.T) {
	names := map[string]bool{}
	for s := wire.ViewLog; s <= wire.ViewUnvouched; s++ {
		assert.NotContains(t, s.String(), "UNKNOWN")
		names[s.String()] = true
	}
	assert.Len(t, names, int(wire.ViewUnvouched))
	for _, s := range []wire.ViewStep{0, wire.ViewUnvouched + 1, math.MaxUint32} {
		assert.Contains(t, s.String(), "UNKNOWN(0x")
	}
}

// TestViewOrder: the higher epoch is newer; at one epoch the smaller rest is.
func TestViewOrder(t *testing.T) {
	views := []wire.View{{}, {Epoch: 1, Join: 9}, {Epoch: 1, Join: 2, Leader: 5}, {Epoch: 1, Join: 2, Leader: 4, Incarnation: 8},
		{Epoch: 1, Join: 2, Leader: 4, Incarnation: 7}, {Epoch: 1, Join: 0, Leader: 9, Incarnation: 9}, {Epoch: 2, Join: 9, Leader: 9}}
	for i, v := range views {
		for k, w := range views {
			assert.Equal(t, i > k, v.Newer(w), "%v, %v", v, w)
			assert.Equal(t, -w.Compare(v), v.Compare(w))
		}
	}
}

// TestViewAliases: operations of a decoded message are part of what was decoded and have no room to append.
func TestViewAliases(t *testing.T) {
	b := load(t, "EXTENSION-view")
	_, m, err := new(wire.Decoder).DecodeMessage(b)
	require.NoError(t, err)
	ops := m.(*wire.Extension).Body.(*wire.ExtensionView).Ops
	require.Len(t, ops, 2)
	b[len(b)-1] = '!'
	assert.Equal(t, "secon!", string(ops[1]))
	assert.Equal(t, len(ops[0]), cap(ops[0]))
	assert.Equal(t, uint32(len("second")), binary.LittleEndian.Uint32(b[len(b)-10:]))
}
