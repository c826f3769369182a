package dpl8_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/require"
)

// A generator makes random messages that can be encoded. The same seed makes the same messages.
type generator struct{ *rand.Rand }

func newGenerator(a, b uint64) generator { return generator{rand.New(rand.NewPCG(a, b))} }

// message makes a message of the type, with random values in all its fields.
func (g generator) message(typ dpl8.Type) dpl8.Message {
	m := dpl8.New(typ)
	g.fill(reflect.ValueOf(m).Elem())
	switch m := m.(type) {
	case *dpl8.Unknown:
		m.ID = typ
	case *dpl8.ConnectInfo:
		if m.DNETVersion %= 12; m.DNETVersion < dpl8.DirectX90 {
			m.AlternateAddress = nil // there is no room for it
		}
	}
	return m
}

// fill gives random values to the exported fields of what v is.
func (g generator) fill(v reflect.Value) { wiretest.Fill(g.Rand, v, 6, g.own) }

// own makes what is more than numbers.
func (g generator) own(p any) bool {
	switch p := p.(type) {
	case *dpl8.Operation:
		*p = g.operation()
	case *wire.Text:
		*p = nil
		if names := []string{"", "x", "Ann", "日本", "a name longer than most are"}; g.IntN(4) > 0 {
			*p = wire.NewText(names[g.IntN(len(names))])
		}
	default:
		return false
	}
	return true
}

// operation is one of the eight, or one that nobody knows.
func (g generator) operation() dpl8.Operation {
	var ops []dpl8.Type
	for _, t := range dpl8.Types() {
		if t.Operation() {
			ops = append(ops, t)
		}
	}
	if g.IntN(6) == 0 {
		return dpl8.Operation{ID: 0x100 + dpl8.Type(g.IntN(9)), Octets: []byte{1, 2, 3}[:1+g.IntN(3)]}
	}
	t := ops[g.IntN(len(ops))]
	return dpl8.Operation{ID: t, Message: g.message(t)}
}

// TestRandomMessages makes random messages of every type, encodes and decodes them, and requires an equal value:
// exactly equal, for decoding gives nil for what is not there, and remembers no layout.
func TestRandomMessages(t *testing.T) {
	for _, typ := range append(dpl8.Types(), 0, 0xCF, 0xFFFFFFFF) {
		for round := range uint64(200) {
			m := newGenerator(uint64(typ), round).message(typ)
			b, err := dpl8.Append(nil, m)
			require.NoError(t, err)
			got, err := dpl8.Decode(b)
			require.NoError(t, err, "%v, round %d", typ, round)
			again, err := dpl8.Append(nil, got)
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, again), "%v, round %d", typ, round)
			dropOctets(got)
			require.Equal(t, m, got, "%v, round %d", typ, round)
		}
	}
}

// TestDamagedMessages overwrites random DWORDs of random messages with values that offsets, sizes and counts like to
// have, and adds octets at the end: what still decodes encodes to the same octets, what does not fails well.
func TestDamagedMessages(t *testing.T) {
	decoded, refused, irregular := 0, 0, 0
	for _, typ := range dpl8.Types() {
		for round := range uint64(500) {
			g := newGenerator(uint64(typ)<<8, round)
			b, err := dpl8.Append(nil, g.message(typ))
			require.NoError(t, err)
			for range g.IntN(3) {
				g.damage(b[4:])
			}
			b = append(b, make([]byte, g.IntN(5))...)
			seed := fmt.Sprintf("%v, round %d", typ, round)
			m, err := dpl8.Decode(b)
			if err != nil {
				wiretest.GoodError(t, err, len(b))
				refused++
				continue
			}
			decoded++
			if l := layoutOf(m); l != nil && !l.Regular() {
				irregular++
			}
			again, err := dpl8.Append(nil, m)
			require.NoError(t, err, seed)
			require.True(t, bytes.Equal(b, again), "%s\nin  %x\nout %x", seed, b, again)
		}
	}
	require.Greater(t, decoded, 5000)
	require.Greater(t, refused, 500)
	require.Greater(t, irregular, 2000)
}

// damage overwrites one DWORD.
func (g generator) damage(b []byte) {
	if len(b) < 4 {
		return
	}
	at := g.IntN(len(b)/4) * 4
	v := []uint32{0, 1, 2, uint32(len(b)), uint32(len(b)) - 1, uint32(g.IntN(len(b))), g.Uint32()}[g.IntN(7)]
	b[at], b[at+1], b[at+2], b[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

// layoutOf returns a message's layout, nil if its type has none.
func layoutOf(m dpl8.Message) *wire.Layout {
	l := reflect.ValueOf(m).Elem().FieldByName("Layout")
	if !l.IsValid() {
		return nil
	}
	return l.Addr().Interface().(*wire.Layout)
}
