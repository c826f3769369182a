// Package cli holds what the subcommands of dplay share.
package cli

import (
	"fmt"
	"strings"
)

// Nearest suggests the word of a list that a misspelt one may mean: the first one that begins so, else the one with the fewest
// letters to change, at most two, and one of three.
func Nearest(name string, list []string) string {
	if len(name) < 3 {
		return ""
	}
	best, least := "", min(3, len(name)-1)
	for _, c := range list {
		if strings.HasPrefix(c, name) {
			best = c
			break
		}
		if d := distance(c, name); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %q?", best)
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
