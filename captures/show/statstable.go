package show

import (
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// A table writes rows in columns: the first ones to the left, but never all of them, numbers to the right.
type table struct {
	head []string
	left int // columns that hold words
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// append appends the table, nothing if it has no rows.
func (t *table) append(b []byte) []byte {
	if len(t.rows) == 0 {
		return b
	}
	widths := make([]int, len(t.head))
	all := slices.Concat([][]string{t.head}, t.rows)
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range all {
		for i, cell := range row {
			if i > 0 {
				b = append(b, "  "...)
			}
			width := widths[i]
			if i < t.left {
				width = -width // to the left
			}
			b = fmt.Appendf(b, "%*s", width, cell)
		}
		b = append(b, '\n')
	}
	return append(b, '\n')
}

// rate returns n a second over d; ok is false where there was no time.
func rate(n float64, d time.Duration) (perSecond float64, ok bool) {
	if d <= 0 {
		return 0, false
	}
	return n / d.Seconds(), true
}

// rateText writes a rate for a table.
func rateText(n float64, d time.Duration, decimals int) string {
	v, ok := rate(n, d)
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// milliseconds writes a round-trip time for a table.
func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 3, 64)
}
