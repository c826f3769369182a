package filter

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTranslate has all golden messages translated from each port that they name to another one: all ports that are it change, no
// other octet does, and translating again gives what was.
func TestTranslate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range samples(t) {
		for _, at := range append([]int{4}, s.places...) {
			port := binary.BigEndian.Uint16(s.raw[at+2:])
			by := Translation{Game: Ports{port, port}, Slot: Ports{port + 1000, port + 1000}}
			tr := NewTranslator(func() Translation { return by })
			translate := func(in []byte) (out []byte) {
				st := tr.Stream()
				pieces(r, in, 1+r.IntN(200), func(b []byte) {
					var err error
					out, err = st.Pass(out, b)
					require.NoError(t, err)
				})
				require.NoError(t, st.End())
				return out
			}
			want := append([]byte{}, s.raw...)
			for _, at := range append([]int{4}, s.places...) {
				if binary.BigEndian.Uint16(want[at+2:]) == port {
					binary.BigEndian.PutUint16(want[at+2:], port+1000)
				}
			}
			got := translate(s.raw)
			assert.Equal(t, want, got, s.name)
			assert.NotEqual(t, s.raw, got, s.name)
			assert.Equal(t, s.raw, translate(got), s.name)
			datagram := bytes.Clone(s.raw)
			tr.Datagram(datagram)
			if isSystem(s.raw) {
				assert.Equal(t, want, datagram, s.name)
			} else {
				assert.Equal(t, s.raw, datagram, s.name)
			}
		}
	}
}

// TestNotTranslated: addresses of other machines, and messages that cannot be read, but for their headers.
func TestNotTranslated(t *testing.T) {
	by := Translation{Game: Ports{2301, 2351}, Slot: Ports{2307, 2357}}
	tr := NewTranslator(func() Translation { return by })
	b := append(headOf(9), "play\x2e\x00\x0e\x00x"...)
	want := bytes.Clone(b)
	want[7]++
	binary.BigEndian.PutUint16(want[6:], 2307)
	tr.Datagram(b)
	assert.Equal(t, want, b)
	copy(b[8:], []byte{10, 0, 0, 1})
	want = bytes.Clone(b)
	tr.Datagram(b)
	assert.Equal(t, want, b)
	assert.False(t, Translation{}.Changes())
	assert.Equal(t, uint16(2301), by.Port(2307, false))
	assert.Equal(t, uint16(2300), by.Port(2300, false))
	assert.Equal(t, uint16(2351), by.Port(2357, true))
	by = Translation{}
	copy(b[8:], make([]byte, 4))
	want = bytes.Clone(b)
	tr.Datagram(b)
	assert.Equal(t, want, b)
}
