package reliable

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLost(t *testing.T) {
	for _, c := range []struct {
		name     string
		sequence uint8
		size     int
		mask     uint32
		want     []uint8
	}{
		{"example of 2.2.2", 7, 1, 0x03, []uint8{7, 8, 9}},
		{"example 4.1.3: no mask", 4, 0, 0, []uint8{4}},
		{"empty mask", 4, 1, 0, []uint8{4}},
		{"over the wrap", 254, 1, 0x07, []uint8{254, 255, 0, 1}},
		{"the last bit of three octets", 250, 3, 1 << 23, []uint8{250, 18}},
		{"second octet", 0, 2, 0x0180, []uint8{0, 8, 9}},
		{"bits beyond the mask's size count for nothing", 0, 1, 0x0101, []uint8{0, 1}},
	} {
		f := Frame{Flags: EXT | ACK, Extended: Extended(0).WithMaskSize(c.size), Sequence: c.sequence, Mask: c.mask}
		assert.Equal(t, c.want, f.Lost(nil), c.name)
		assert.Equal(t, append([]uint8{99}, c.want...), f.Lost([]uint8{99}), c.name)
	}
}

func TestOnlyANACKReportsLost(t *testing.T) {
	for _, flags := range []Flags{CMD, CMD | EXT, ACK, EXT, EXT | ACK | CMD} {
		f := Frame{Flags: flags, Extended: 0x20, Sequence: 7, Mask: 3}
		assert.Empty(t, f.Lost(nil), flags.String())
	}
}

func TestSetLost(t *testing.T) {
	for _, c := range []struct {
		name    string
		missing []uint8
		n, size int
		mask    uint32
	}{
		{"example of 2.2.2", []uint8{7, 8, 9}, 3, 1, 3},
		{"one", []uint8{255}, 1, 0, 0},
		{"over the wrap", []uint8{250, 255, 0}, 3, 1, 0x30},
		{"the farthest of each octet", []uint8{0, 8}, 2, 1, 0x80},
		{"the first of the second", []uint8{0, 9}, 2, 2, 0x100},
		{"the farthest", []uint8{240, 8}, 2, 3, 1 << 23},
		{"one too far", []uint8{240, 9}, 1, 0, 0},
		{"stops at the first too far", []uint8{10, 11, 40, 12}, 2, 1, 1},
		{"named twice", []uint8{10, 10, 11}, 3, 1, 1},
		{"earlier than the first", []uint8{10, 9}, 1, 0, 0},
	} {
		f := Frame{Flags: RLY, Extended: 0x7F, Mask: 0xFFFFFFFF}
		assert.Equal(t, c.n, f.SetLost(c.missing), c.name)
		assert.Equal(t, Frame{Flags: EXT | ACK | RLY, Sequence: c.missing[0], Mask: c.mask,
			Extended: Extended(0).WithMaskSize(c.size)}, f, c.name)
		assert.Equal(t, KindNACK, f.Kind())
	}
	f := Frame{Flags: CMD, Sequence: 3}
	assert.Zero(t, f.SetLost(nil))
	assert.Equal(t, Frame{Flags: CMD, Sequence: 3}, f)
}

// What SetLost puts into NACKs, Lost reads out of their octets.
func TestLostOfRandomSets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 5000 {
		start, density := uint8(r.Uint32()), 1+r.IntN(30)
		missing := []uint8{start}
		for i := 1; i < 200; i++ {
			if r.IntN(density) == 0 {
				missing = append(missing, start+uint8(i))
			}
		}
		var got []uint8
		for rest := missing; len(rest) > 0; {
			var f Frame
			n := f.SetLost(rest)
			require.Positive(t, n)
			raw, err := f.Append(nil)
			require.NoError(t, err)
			back, err := Decode(raw)
			require.NoError(t, err)
			got = back.Lost(got)
			rest = rest[n:]
		}
		require.Equal(t, missing, got)
	}
}
