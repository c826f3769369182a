package reliable

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

func octets(t testing.TB, text string) []byte {
	t.Helper()
	var digits []byte
	for _, c := range []byte(text) {
		if c != ' ' && c != '\n' && c != '\t' {
			digits = append(digits, c)
		}
	}
	b := make([]byte, len(digits)/2)
	_, err := hex.Decode(b, digits)
	require.NoError(t, err)
	return b
}

// The two examples of 2.2.1, and the values on both sides of each step in length.
func TestIndexOctets(t *testing.T) {
	for _, c := range []struct {
		value uint16
		want  string
	}{
		{0x01, "01"},       // 2.2.1
		{0xFFFE, "FEFF03"}, // 2.2.1
		{0, "00"},
		{127, "7F"},
		{128, "8001"},
		{16383, "FF7F"},
		{16384, "808001"}, // 2.2.1 gives lengths below and above 16384 only
		{65535, "FFFF03"},
	} {
		want := octets(t, c.want)
		assert.Equal(t, want, appendIndex(nil, c.value, indexSize(c.value)), "%d", c.value)
		v, n, reason := parseIndex(want)
		assert.NoError(t, reason)
		assert.Equal(t, uint32(c.value), v)
		assert.Equal(t, len(want), n)
	}
}

func TestEveryIndexInEveryLength(t *testing.T) {
	for v := range 1 << 16 {
		for n := indexSize(uint16(v)); n <= maxIndexSize; n++ {
			b := appendIndex([]byte{0xEE}, uint16(v), n)
			got, size, reason := parseIndex(append(b, 0xAA)[1:])
			if reason != nil || got != uint32(v) || size != n || len(b) != 1+n {
				t.Fatalf("%d in %d octets: % x gives %d in %d octets, %v", v, n, b[1:], got, size, reason)
			}
		}
	}
}

func TestIndexRefused(t *testing.T) {
	for _, c := range []struct {
		in     string
		value  uint32
		reason error
	}{
		{"", 0, wire.ErrShort},
		{"80", 0, wire.ErrShort},
		{"FFFF", 0x3FFF, wire.ErrShort},
		{"FFFF04", 0x13FFF, wire.ErrValue}, // only the lowest two bits of a third octet
		{"808040", 0x100000, wire.ErrValue},
		{"80807F", 0x1FC000, wire.ErrValue},
		{"80808000", 0x200000, wire.ErrValue}, // no fourth octet
		{"FFFF83", 0x20FFFF, wire.ErrValue},
	} {
		v, _, reason := parseIndex(octets(t, c.in))
		assert.Equal(t, c.reason, reason, c.in)
		assert.Equal(t, c.value, v, c.in)
	}
}
