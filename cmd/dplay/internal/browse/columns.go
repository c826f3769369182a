package browse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/events"
)

// A column of the table of a watch.
type column struct {
	title    string
	least    int // columns of the screen: what is left of it where there is little room
	most     int // and what it takes where there is a lot
	drop     int // where there is still too little, those with the largest number go first; 0 stays
	right    bool
	text     func(r *row) string
	smallest func(a, b *row) int // how it sorts; nil: by text
}

// compare sorts rows by the column.
func (c *column) compare(a, b *row) int {
	if c.smallest != nil {
		return c.smallest(a, b)
	}
	return strings.Compare(c.text(a), c.text(b))
}

// watchColumns are all columns, in order.
var watchColumns = []column{
	{title: "NAME", least: 12, most: 32, text: func(r *row) string { return captures.Printable(r.Name) },
		smallest: func(a, b *row) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }},
	{title: "HOST", least: 17, most: 21, text: func(r *row) string { return r.Host.String() },
		smallest: func(a, b *row) int { return a.Host.Compare(b.Host) }},
	{title: "PLAYERS", least: 8, most: 14, text: func(r *row) string { return events.PlayersColumn(&r.Desc) },
		smallest: func(a, b *row) int {
			return cmp.Or(cmp.Compare(a.Desc.CurrentPlayers, b.Desc.CurrentPlayers), cmp.Compare(a.Desc.MaxPlayers, b.Desc.MaxPlayers))
		}},
	{title: "FLAGS", least: 10, most: 48, drop: 3, text: func(r *row) string { return cmp.Or(events.FlagsInWords(&r.Desc), "-") }},
	{title: "PASS", least: 4, most: 6, drop: 4, text: func(r *row) string { return yesNo(hasPassword(&r.Desc)) }},
	{title: "TRIP", least: 7, most: 7, drop: 2, right: true, text: tripText, smallest: compareTrips},
	{title: "DIALECT", least: 9, most: 11, drop: 5, text: func(r *row) string {
		if r.dialect == 0 {
			return "-"
		}
		return r.dialect.String()
	}, smallest: func(a, b *row) int { return cmp.Compare(a.dialect, b.dialect) }},
	{title: "GAME", least: 10, most: 38, drop: 1, text: func(r *row) string { return events.AppText(r.Desc.Application) }},
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// tripText returns a round trip in three digits.
func tripText(r *row) string {
	switch ms := float64(r.trip) / float64(time.Millisecond); {
	case r.gone:
		return "gone"
	case r.trip == 0:
		return "-"
	case ms < 1:
		return "<1 ms"
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
}

// compareTrips sorts what is not known, or gone, behind what is.
func compareTrips(a, b *row) int {
	place := func(r *row) time.Duration {
		if r.gone || r.trip == 0 {
			return time.Duration(1<<63 - 1)
		}
		return r.trip
	}
	return cmp.Compare(place(a), place(b))
}

// gap is what is between two columns.
const gap = 2

// A shown is a column that is shown, the place-th of watchColumns.
type shown struct {
	*column
	place, width int
}

// spare is how many columns of the screen it can give up.
func (s *shown) spare() int { return s.width - s.least }

// A layout says which columns are shown, and how wide.
type layout []*shown

// layOut chooses the columns that a screen has room for. Each is as wide as what is in it; where that is too much, the
// one that has most to spare gives way, and where nothing can be spared, columns go.
func layOut(cells [][]string, width int) layout {
	var l layout
	for i := range watchColumns {
		c := &watchColumns[i]
		want := ansi.StringWidth(c.title) + 2 // how it is sorted may stand there
		for _, line := range cells {
			want = max(want, ansi.StringWidth(line[i]))
		}
		l = append(l, &shown{c, i, max(c.least, min(want, c.most))})
	}
	for l.total(func(s *shown) int { return s.least }) > width {
		first := slices.MaxFunc(l, func(a, b *shown) int { return a.drop - b.drop })
		if first.drop == 0 {
			break // all others stay
		}
		l = slices.DeleteFunc(l, func(s *shown) bool { return s == first })
	}
	for l.total(func(s *shown) int { return s.width }) > width {
		widest := slices.MaxFunc(l, func(a, b *shown) int { return a.spare() - b.spare() }) // of equals the first one
		if widest.spare() == 0 {
			break // narrower than the columns that stay: the line is cut
		}
		widest.width--
	}
	return l
}

// total is how wide the columns are, with what is between.
func (l layout) total(width func(*shown) int) int {
	n := gap * (len(l) - 1)
	for _, s := range l {
		n += width(s)
	}
	return n
}

// line puts cells side by side.
func (l layout) line(cells []string, width int) string {
	texts := make([]string, len(l))
	for i, s := range l {
		text := ansi.Truncate(cells[s.place], s.width, "~")
		pad := strings.Repeat(" ", s.width-ansi.StringWidth(text))
		texts[i] = text + pad
		if s.right {
			texts[i] = pad + text
		}
	}
	return ansi.Truncate(strings.TrimRight(strings.Join(texts, strings.Repeat(" ", gap)), " "), width, "")
}
