package reliable

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFlagNames(t *testing.T) {
	for _, c := range []struct {
		flags Flags
		want  string
	}{
		{0, "0"},
		{STA | EOM | RLY, "STA|EOM|RLY"},
		{0x10 | 0x08 | 0x01, "STA|EOM|RLY"}, // values of the table in 2.2.2
		{0x80 | 0x02, "EXT|ACK"},
		{0xFF, "EXT|BIG|CMD|STA|EOM|SAK|ACK|RLY"},
	} {
		assert.Equal(t, c.want, c.flags.String())
	}
}

// Section 2: Data has ACK and EXT clear, ACK has ACK alone, NACK both. 2.2.2: CMD in Data frames and only
// there, BIG never; a Data frame with EXT is one that is ignored.
func TestKindOfAllFlags(t *testing.T) {
	for v := range 256 {
		f := Flags(v)
		want := KindNone
		switch f & (EXT | BIG | CMD | ACK) {
		case CMD, CMD | EXT:
			want = KindData
		case ACK:
			want = KindACK
		case ACK | EXT:
			want = KindNACK
		}
		assert.Equal(t, want, f.Kind(), f.String())
		frame := Frame{Flags: f}
		assert.Equal(t, f&(EXT|BIG|CMD|ACK) == CMD|EXT, frame.MustIgnore(), f.String())
	}
}

func TestKindNames(t *testing.T) {
	assert.Equal(t, "RELIABLEFRAME", KindNone.String())
	assert.Equal(t, "DATA", KindData.String())
	assert.Equal(t, "ACK", KindACK.String())
	assert.Equal(t, "NACK", KindNACK.String())
}

func TestExtended(t *testing.T) {
	assert.Equal(t, "nNACK=2", Extended(0x40).String())
	assert.Equal(t, "nNACK=1 COMMAND=31 0x80", Extended(0xBF).String())
	for n := range MaxMask + 1 {
		e := Extended(0xFF).WithMaskSize(n)
		assert.Equal(t, n, e.MaskSize())
		assert.Equal(t, extCommand|extZero, e&(extCommand|extZero), "other bits stay")
	}
}

func TestVerdictAndReasonNames(t *testing.T) {
	for v := Ignored; v <= Complete; v++ {
		assert.NotEmpty(t, v.String())
	}
	for r := Expired; r <= Unfinished; r++ {
		assert.NotEmpty(t, r.String())
	}
	assert.Empty(t, (Complete + 1).String())
	assert.Empty(t, (Unfinished + 1).String())
	assert.Empty(t, Reason(0).String())
}
