package bridging

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// widestCell bounds a column, in cells of the terminal.
const widestCell = 40

// widthsOf returns the widths of columns. Rows may be shorter than others.
func widthsOf(rows [][]string) (widths []int) {
	for _, row := range rows {
		widths = append(widths, make([]int, max(0, len(row)-len(widths)))...)
		for i, cell := range row {
			widths[i] = max(widths[i], min(ansi.StringWidth(cell), widestCell))
		}
	}
	return widths
}

// aligned writes rows with their columns below each other.
func aligned(rows [][]string) (lines []string) {
	widths := widthsOf(rows)
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = ansi.Truncate(cell, widestCell, "~")
			b.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}
