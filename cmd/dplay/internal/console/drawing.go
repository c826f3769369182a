package console

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/charmbracelet/x/ansi"
)

// A picture is the line that is being typed.
type picture struct {
	text []rune // with the prompt
	back int    // so many characters from the end the cursor is
}

// whole is what x/term writes to draw the line anew.
var whole = regexp.MustCompile("^(" + regexp.QuoteMeta(prompt) + "[^\x1b\r\n]*)(?:\x1b\\[([0-9]*)(D))?$")

// pictureOf returns the line that was drawn, nil if what was written does something else.
func pictureOf(written []byte) *picture {
	parts := whole.FindSubmatch(written)
	if parts == nil {
		return nil
	}
	p := &picture{text: []rune(string(parts[1]))}
	if len(parts[3]) > 0 {
		p.back = 1
	}
	if n, err := strconv.Atoi(string(parts[2])); err == nil {
		p.back = n
	}
	p.back = min(p.back, len(p.text))
	return p
}

// A drawing is what stands on the screen of the line that is being typed.
type drawing struct {
	cells  []int // of each row
	row, x int   // where the cursor is
}

// draw appends what draws a line from the beginning of a row: as many rows of it around the cursor as the window has, but one.
func (d *drawing) draw(out []byte, p *picture, width, height int) []byte {
	rows, cells := []string{""}, []int{0}
	row, x := 0, 0
	for i, r := range append(p.text, ' ') { // the last one is where the next one would go
		w, last := ansi.StringWidth(string(r)), len(rows)-1
		if cells[last]+w > width && cells[last] > 0 {
			rows, cells, last = append(rows, ""), append(cells, 0), last+1
		}
		if i == len(p.text)-p.back {
			row, x = last, cells[last]
		}
		if i < len(p.text) {
			rows[last] += string(r)
			cells[last] += w
		}
	}
	most := max(1, height-1)
	from := max(0, min(row-most/2, len(rows)-most))
	to := min(len(rows), from+most)
	for i, text := range rows[from:to] {
		if i > 0 {
			out = append(out, "\r\n"...)
		}
		out = append(out, text...)
	}
	*d = drawing{cells[from:to], row - from, x}
	out = append(out, '\r')
	out = move(out, to-from-1-d.row, 'A')
	return move(out, x, 'C')
}

// erase appends what takes the line away, and puts the cursor where it began. A window that is narrower than when it was drawn
// has broken its rows.
func (d *drawing) erase(out []byte, width int) []byte {
	if d.cells == nil {
		return out
	}
	up := d.x / width
	for _, n := range d.cells[:d.row] {
		up += max(1, (n+width-1)/width)
	}
	*d = drawing{}
	return append(move(append(out, '\r'), up, 'A'), "\x1b[J"...)
}

// leave appends what lets the line stand, and goes on below it.
func (d *drawing) leave(out []byte) []byte {
	out = move(out, len(d.cells)-1-d.row, 'B')
	*d = drawing{}
	return append(out, "\r\n"...)
}

// move appends what moves the cursor by some cells.
func move(out []byte, n int, where byte) []byte {
	if n <= 0 {
		return out
	}
	return fmt.Appendf(out, "\x1b[%d%c", n, where)
}
