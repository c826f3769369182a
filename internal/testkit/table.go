package testkit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Table returns the rows of a table in a Markdown file, without the first cell, by that cell. heading is the first cell of the row above
// them.
func Table(t testing.TB, file, heading string) map[string][]string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	_, text, found := strings.Cut(string(b), "\n| "+heading+" |")
	if !found {
		t.Fatalf("%s has no table whose first column is %q", file, heading)
	}
	for i, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case i < 2: // the heading, and the line under it
		case !strings.HasPrefix(line, "|"):
			return rows
		default:
			rows[cells[0]] = cells[1:]
		}
	}
	return rows
}

// Size returns a number of octets, rounded to KiB, as tables have it: "128 KiB" or "8 MiB".
func Size[N int | int64](octets N) string {
	kib := (octets + 512) >> 10
	if kib%1024 == 0 {
		return fmt.Sprintf("%d MiB", kib>>10)
	}
	return fmt.Sprintf("%d KiB", kib)
}

// Count returns a number as tables have it: "1,024".
func Count[N int | int64](n N) string {
	if n >= 1000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return fmt.Sprint(n)
}
