package browse

import (
	"cmp"
	"fmt"
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
	smallest func(a, b *row) int // how it sorts
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
	{title: "FLAGS", least: 10, most: 48, drop: 3, text: func(r *row) string { return cmp.Or(events.FlagsInWords(&r.Desc), "-") },
		smallest: func(a, b *row) int {
			return strings.Compare(events.FlagsInWords(&a.Desc), events.FlagsInWords(&b.Desc))
		}},
	{title: "PASS", least: 4, most: 6, drop: 4, text: func(r *row) string { return yesNo(hasPassword(&r.Desc)) },
		smallest: func(a, b *row) int {
			return strings.Compare(yesNo(hasPassword(&a.Desc)), yesNo(hasPassword(&b.Desc)))
		}},
	{title: "TRIP", least: 7, most: 7, drop: 2, right: true, text: tripText, smallest: compareTrips},
	{title: "DIALECT", least: 9, most: 11, drop: 5, text: func(r *row) string {
		if r.dialect == 0 {
			return "-"
		}
		return r.dialect.String()
	}, smallest: func(a, b *row) int { return cmp.Compare(a.dialect, b.dialect) }},
	{title: "GAME", least: 10, most: 38, drop: 1, text: func(r *row) string { return events.AppText(r.Desc.Application) },
		smallest: func(a, b *row) int {
			return strings.Compare(events.AppText(a.Desc.Application), events.AppText(b.Desc.Application))
		}},
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
	case r.trip == noTrip:
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
		if r.gone || r.trip == noTrip {
			return time.Duration(1<<63 - 1)
		}
		return r.trip
	}
	return cmp.Compare(place(a), place(b))
}

// gap is what is between two columns.
const gap = 2

// A layout says which columns are shown, and how wide.
type layout struct {
	columns []int // places in watchColumns
	widths  []int
}

// layOut chooses the columns that a screen has room for. Each is as wide as what is in it; where that is too much, the
// one that has most to spare gives way, and where nothing can be spared, columns go.
func layOut(cells [][]string, width int) layout {
	var l layout
	for i, c := range watchColumns {
		want := ansi.StringWidth(c.title) + 2 // how it is sorted may stand there
		for _, line := range cells {
			want = max(want, ansi.StringWidth(line[i]))
		}
		l.columns, l.widths = append(l.columns, i), append(l.widths, max(c.least, min(want, c.most)))
	}
	for l.atLeast() > width && l.dropOne() {
	}
	for l.total() > width {
		widest, spare := -1, 0
		for i, at := range l.columns {
			if s := l.widths[i] - watchColumns[at].least; s > spare {
				widest, spare = i, s
			}
		}
		if widest < 0 {
			break // narrower than the columns that stay: the line is cut
		}
		l.widths[widest]--
	}
	return l
}

// atLeast is how wide the columns can be made.
func (l *layout) atLeast() int {
	n := gap * (len(l.columns) - 1)
	for _, at := range l.columns {
		n += watchColumns[at].least
	}
	return n
}

func (l *layout) total() int {
	n := gap * (len(l.columns) - 1)
	for _, w := range l.widths {
		n += w
	}
	return n
}

// dropOne drops the column that matters least; false if all the others stay.
func (l *layout) dropOne() bool {
	least := -1
	for i, at := range l.columns {
		if d := watchColumns[at].drop; d > 0 && (least < 0 || d > watchColumns[l.columns[least]].drop) {
			least = i
		}
	}
	if least < 0 {
		return false
	}
	l.columns = append(l.columns[:least:least], l.columns[least+1:]...)
	l.widths = append(l.widths[:least:least], l.widths[least+1:]...)
	return true
}

// line puts cells side by side.
func (l *layout) line(cells []string, width int) string {
	var b strings.Builder
	for i, at := range l.columns {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		text := ansi.Truncate(cells[at], l.widths[i], "~")
		pad := strings.Repeat(" ", l.widths[i]-ansi.StringWidth(text))
		if watchColumns[at].right {
			text = pad + text
		} else {
			text += pad
		}
		b.WriteString(text)
	}
	return ansi.Truncate(strings.TrimRight(b.String(), " "), width, "")
}
