package cli

import (
	"fmt"
	"strings"
)

// Numbered returns a number with its noun: "1 machine", "2 machines", "2 addresses".
func Numbered(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
