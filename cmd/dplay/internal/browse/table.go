package browse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"dplay4/cmd/dplay/internal/cli"
)

// screen returns the terminal for the table of --watch, or nil where lines are printed: the output is no terminal, or one
// that can do nothing but print.
func (o *Options) screen() *os.File {
	if !o.Watch || o.NDJSON {
		return nil
	}
	if f := cli.Terminal(o.Std.Out); f != nil && cli.Escapes(f) {
		return f
	}
	return nil
}

// table shows the table until the user ends it. Where the input is no terminal there are no keys, and an
// interrupt ends it.
func (o *Options) table(ctx context.Context, screen *os.File) error {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	b := newBoard(o, time.Now())
	keys := cli.Terminal(o.Std.In)
	m := &watchModel{subject: b.subject(), look: func() picture { return b.look(time.Now()) }, until: o.Until,
		keys: keys != nil, styled: cli.UseColor("auto", screen)}
	var in io.Reader
	if keys != nil {
		in = keys
	}
	p := tea.NewProgram(m, tea.WithContext(asking), tea.WithInput(in), tea.WithOutput(screen), tea.WithoutSignalHandler())
	ended := make(chan error, 1)
	go func() {
		err := b.run(asking)
		cancel() // and with it the table
		ended <- err
	}()
	_, err := p.Run()
	interrupted := asking.Err() != nil
	cancel()
	if failed := <-ended; failed != nil {
		return failed
	}
	if err != nil && !(interrupted && errors.Is(err, tea.ErrProgramKilled)) {
		return fmt.Errorf("the terminal: %w", err)
	}
	return o.Until.Ended(nil)
}

// A watchModel is the table on the screen. It looks at the board in a steady rhythm, so that a flood of answers costs
// no more than a few.
type watchModel struct {
	subject string         // what the title says
	look    func() picture // gives the board as it is now
	until   *cli.Until     // the event that ends it
	keys    bool           // there is a keyboard
	styled  bool           // bold and dim text

	now           picture
	width, height int
	sortBy        int // place in watchColumns
	reversed      bool
	top           int // rows that are scrolled away
}

// lookMsg says that it is time to look again.
type lookMsg struct{}

const lookEvery = 250 * time.Millisecond

func lookLater() tea.Cmd { return tea.Tick(lookEvery, func(time.Time) tea.Msg { return lookMsg{} }) }

// Init begins to look.
func (m *watchModel) Init() tea.Cmd { return func() tea.Msg { return lookMsg{} } }

// Update takes in what happened.
func (m *watchModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case lookMsg:
		m.now = m.look()
		m.sort()
		m.scroll(0)
		if m.until.Came() {
			return m, tea.Quit
		}
		return m, lookLater()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.scroll(0)
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

// key does what a key is for.
func (m *watchModel) key(name string) tea.Cmd {
	switch name {
	case "q", "Q", "esc", "ctrl+c":
		return tea.Quit
	case "s":
		m.sortBy = (m.sortBy + 1) % len(watchColumns)
	case "S":
		m.sortBy = (m.sortBy + len(watchColumns) - 1) % len(watchColumns)
	case "r", "R":
		m.reversed = !m.reversed
	default:
		rows, page := len(m.now.rows), m.room()
		m.scroll(map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page, "home": -rows, "end": rows}[name])
	}
	m.sort()
	return nil
}

// sort puts the rows in order. Those that are equal stay by name, so that they do not jump about.
func (m *watchModel) sort() {
	by := &watchColumns[m.sortBy]
	slices.SortStableFunc(m.now.rows, func(a, b row) int {
		order := by.compare(&a, &b)
		if m.reversed {
			order = -order
		}
		return cmp.Or(order, strings.Compare(a.Name, b.Name), slices.Compare(a.Desc.Instance[:], b.Desc.Instance[:]))
	})
}

// scroll moves by some rows, no further than there are some.
func (m *watchModel) scroll(by int) {
	m.top = max(0, min(m.top+by, len(m.now.rows)-m.room()))
}

// room is how many rows the screen has room for, beside the title, the columns' titles, and two lines at the bottom.
func (m *watchModel) room() int { return max(1, m.height-4) }

// View draws the screen.
func (m *watchModel) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	return v
}

// draw returns the lines of the screen.
func (m *watchModel) draw() string {
	if m.width <= 0 || m.height <= 0 {
		return "" // the size is not known yet
	}
	visible := m.now.rows[m.top:min(len(m.now.rows), m.top+m.room())]
	cells := make([][]string, len(visible))
	for i := range visible {
		for _, c := range watchColumns {
			cells[i] = append(cells[i], c.text(&visible[i]))
		}
	}
	l := layOut(cells, m.width)
	lines := []string{ansi.Truncate(m.title(), m.width, "~"), m.style(bold, l.line(m.titles(), m.width))}
	for i, r := range visible {
		line := l.line(cells[i], m.width)
		if r.gone {
			line = m.style(dim, line)
		}
		lines = append(lines, line)
	}
	most := max(0, m.height-2) // a screen of few lines has fewer
	lines = slices.Concat(lines, make([]string, m.height))[:most]
	bottom := []string{ansi.Truncate(strings.Join(append(m.now.moved, m.now.wrong...), "; "), m.width, "~"),
		m.style(dim, ansi.Truncate(m.help(), m.width, "~"))}
	lines = append(lines, bottom[max(0, 2-m.height):]...)
	return strings.Join(lines, "\n")
}

func (m *watchModel) title() string {
	text := fmt.Sprintf("%s: %d", m.subject, len(m.now.here()))
	if len(m.now.rows) > m.room() {
		text += fmt.Sprintf(", lines %d to %d of %d", m.top+1, min(len(m.now.rows), m.top+m.room()), len(m.now.rows))
	}
	return text
}

// titles returns those of the columns; the one that the rows are sorted by says so.
func (m *watchModel) titles() []string {
	all := make([]string, len(watchColumns))
	for i, c := range watchColumns {
		all[i] = c.title
	}
	all[m.sortBy] += map[bool]string{false: " v", true: " ^"}[m.reversed]
	return all
}

func (m *watchModel) help() string {
	if !m.keys {
		return "Ctrl-C ends"
	}
	return fmt.Sprintf("s sort (%s)  r reverse  arrows scroll  q quit", strings.ToLower(watchColumns[m.sortBy].title))
}

// The styles, as the numbers that terminals know them by.
const (
	bold = 1
	dim  = 2
)

func (m *watchModel) style(n int, text string) string {
	if !m.styled || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[m", n, text)
}
