package dpl8_test

import (
	"bytes"
	"testing"

	"dplay4/wire/dpl8"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/require"
)

// FuzzDecode decodes any octets, with and without a visitor, which must change nothing. What is decoded must encode to
// the same octets.
func FuzzDecode(f *testing.F) {
	for _, g := range wiretest.Goldens(f) {
		f.Add(g.Raw)
		f.Add(append(bytes.Clone(g.Raw), 1, 2, 3))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := dpl8.Decode(b)
		w := wiretest.Watcher{T: t, Size: len(b)}
		watched, watchedErr := dpl8.Visit(b, w.See)
		require.Equal(t, err, watchedErr)
		require.Equal(t, m, watched)
		if err != nil {
			wiretest.GoodError(t, err, len(b))
			return
		}
		w.Done()
		got, err := dpl8.Append(nil, m)
		require.NoError(t, err)
		if !bytes.Equal(b, got) {
			t.Fatalf("%T\nin  %x\nout %x", m, b, got)
		}
	})
}
