package dpl8_test

import (
	"bytes"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/require"
)

// FuzzDecode decodes any octets, with and without a visitor, which must change nothing. What is decoded must encode to
// the same octets.
func FuzzDecode(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.raw)
		f.Add(append(bytes.Clone(g.raw), 1, 2, 3))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := dpl8.Decode(b)
		w := watcher{t: t, size: len(b), seen: make([]int, len(b))}
		watched, watchedErr := dpl8.Visit(b, w.visit)
		require.Equal(t, err, watchedErr)
		require.Equal(t, m, watched)
		if err != nil {
			goodError(t, err, len(b))
			return
		}
		w.done()
		got, err := dpl8.Append(nil, m)
		require.NoError(t, err)
		if !bytes.Equal(b, got) {
			t.Fatalf("%T\nin  %x\nout %x", m, b, got)
		}
	})
}

// A watcher checks the fields that a visitor is told: brackets pair, and every octet is in one field.
type watcher struct {
	t     testing.TB
	size  int
	depth int
	seen  []int
}

func (w *watcher) visit(f *wire.Field) {
	_ = f.Names()
	if f.Offset < 0 || f.Size < 0 || w.size < f.Offset+f.Size {
		w.t.Fatalf("%s: octets %d to %d of %d", f.Name, f.Offset, f.Offset+f.Size, w.size)
	}
	for i := f.Offset; i < f.Offset+f.Size; i++ {
		w.seen[i]++
	}
	switch f.Kind {
	case wire.KindStruct, wire.KindList, wire.KindMessage:
		require.NotEmpty(w.t, f.Name)
		require.Zero(w.t, f.Size, f.Name)
		w.depth++
	case wire.KindEnd:
		w.depth--
		require.GreaterOrEqual(w.t, w.depth, 0, "an end without a beginning")
	case wire.KindGUID, wire.KindText, wire.KindOctets, wire.KindStray:
		require.NotEmpty(w.t, f.Name)
		require.Len(w.t, f.Raw, f.Size, f.Name)
	default:
		require.NotEmpty(w.t, f.Name)
		require.Equal(w.t, 4, f.Size, f.Name)
	}
}

// done is called after decoding without an error.
func (w *watcher) done() {
	require.Zero(w.t, w.depth, "open brackets")
	for i, n := range w.seen {
		if n != 1 {
			w.t.Fatalf("octet %d is in %d fields", i, n)
		}
	}
}
