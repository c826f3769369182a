package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDistance holds the distance between words against ones counted by hand.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"PING", "PING", 0}, {"PING", "PNG", 1}, {"PING", "", 4}, {"", "AB", 2}, {"CHAT", "CART", 2},
		{"KITTEN", "SITTING", 3}} {
		assert.Equal(t, c.want, distance(c.a, c.b), "%s to %s", c.a, c.b)
	}
}
