package cli

import "fmt"

// Numbered returns a number with its noun: "1 machine", "2 machines".
func Numbered(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
