package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A fingerprint is the same in every process, and depends on each octet, its place, and where one part ends.
func TestFingerprint(t *testing.T) {
	of := func(parts ...string) string {
		var f fingerprint
		for _, p := range parts {
			f.add([]byte(p))
		}
		return f.String()
	}
	assert.Equal(t, "85779efce385f4eb7fac6dec87a950c4", of("octets of a message", "and of another one"))
	seen := map[string]bool{}
	text := []byte("octets of a message, of which one differs")
	for i := range text {
		for bit := range 8 {
			text[i] ^= 1 << bit
			seen[of(string(text))] = true
			text[i] ^= 1 << bit
		}
		seen[of(string(text[:i]), string(text[i:]))] = true
	}
	assert.Len(t, seen, 9*len(text))
	assert.NotEqual(t, of("a"), of("a\x00"), "zeros fill up the last 8 octets")
}
