package show

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAppendOctets holds digits against those of package hex, for every octet at every place.
func TestAppendOctets(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i), byte(255-i), byte(7*i))
	}
	for from := range 9 {
		for n := range 21 {
			assert.Equal(t, ">"+hex.EncodeToString(all[from:from+n]), string(appendOctets([]byte(">"), all[from:from+n])))
		}
		assert.Equal(t, hex.EncodeToString(all[from:]), string(appendOctets(nil, all[from:])))
	}
}

// TestAppendHex holds numbers against those of package fmt.
func TestAppendHex(t *testing.T) {
	for _, v := range []uint32{0, 1, 9, 10, 0xabc, 0xfff, 0x12345678, 0x9abcdef0, 0xffffffff} {
		assert.Equal(t, fmt.Sprintf(">0x%08x", v), string(appendHex([]byte(">"), v, 8)))
		assert.Equal(t, fmt.Sprintf(">0x%03x", v&0xfff), string(appendHex([]byte(">"), v&0xfff, 3)))
	}
}
