package show

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestPromising checks that the quick look at octets overlooks no word, wherever it stands.
func TestPromising(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 2000 {
		p := make([]byte, 24)
		for i := range p {
			p[i] = byte(random.IntN(32)) // no letters
		}
		text := [][]byte{[]byte("word"), wire.NewText("Abc"), wire.NewText("привет"), wire.NewText("こんにちは")}[n%4]
		at := random.IntN(len(p) - len(text))
		copy(p[at:], text)
		assert.True(t, promising(p, true) || n%4 == 1 && at+6 > len(p), "%x", p)
	}
	assert.False(t, promising([]byte("abc\x00\x00\x00\x00defghi"[:10]), true))
}
