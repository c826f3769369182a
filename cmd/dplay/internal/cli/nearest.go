// Package cli holds what the subcommands of dplay share.
package cli

import (
	"fmt"
	"strings"
)

// Nearest suggests the first word of a list that a misspelt one may mean.
func Nearest(name string, list []string) string {
	for _, c := range list {
		if len(name) >= 3 && (strings.HasPrefix(c, name) || distance(c, name) <= 2) {
			return fmt.Sprintf(": did you mean %q?", c)
		}
	}
	return ""
}

// distance counts the letters to add, drop or change to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
