package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFit breaks lines between words, and no words.
func TestFit(t *testing.T) {
	for text, want := range map[string]string{
		"one two three":          "one two\nthree",
		"one two\nthree four\n":  "one two\nthree\nfour\n",
		"  in a\nASC0-7218-1107": "  in a\nASC0-7218-1107",
		"it is ASC0-7218-1107":   "it is\nASC0-7218-1107",
		"城の友 two":                "城の友\ntwo", // each is two wide
		"exactly.":               "exactly.",
		"":                       "",
	} {
		assert.Equal(t, want, fit(text, 8))
	}
	assert.Equal(t, "no terminal", Fit(&bytes.Buffer{}, "no terminal"))
}
