package bridging

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// widestCell bounds a column, in cells of the terminal.
const widestCell = 40

// aligned writes rows with their columns below each other.
func aligned(rows [][]string) (lines []string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(ansi.StringWidth(cell), widestCell))
		}
	}
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
