package bridging

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// screen returns the terminal for the table, or nil where lines are printed: the output is no terminal, or one that can do
// nothing but print, or nobody sits there.
func (o *Options) screen() *os.File {
	if o.NDJSON || cli.Terminal(o.Std.In) == nil {
		return nil
	}
	if f := cli.Terminal(o.Std.Out); f != nil && cli.Escapes(f) {
		return f
	}
	return nil
}

// shownLines is how many of the last things that happened stand below the table.
const shownLines = 6

// A board is what the table shows. It may be used by several goroutines.
type board struct {
	s Session

	mu      sync.Mutex
	asked   asking
	drawn   link.ID  // about whom is asked on the screen
	waiting string   // for what this machine waits
	lines   []string // what happened last
	blocked bool     // a game here can join, and not host
	ended   string   // why the session ended
	over    bool
}

// learn takes in an event.
func (b *board) learn(e bridge.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked.learn(e)
	switch e := e.(type) {
	case bridge.Asked:
		return // it has a line of its own
	case bridge.Local:
		if w, ok := e.Event.(local.Waiting); ok {
			b.waiting = w.For
			return
		}
	case bridge.HostElsewhere:
		b.blocked = e.On
	case bridge.Ended:
		b.ended, b.over = e.Reason, true
	}
	for _, l := range Lines(e) {
		b.note(l)
	}
}

// note has a line stand below the table.
func (b *board) note(line string) {
	b.lines = append(b.lines, time.Now().Format("15:04:05 ")+line)
	b.lines = b.lines[max(0, len(b.lines)-shownLines):]
}

// answer answers the question that is on the screen, unless it is over.
func (b *board) answer(yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.ContainsFunc(b.asked, func(a bridge.Asked) bool { return a.ID == b.drawn }) {
		return
	}
	if err := b.asked.answer(b.s, b.drawn, yes); err != nil {
		b.note(err.Error())
	}
}

// letHost has a game here host, or join, while another one hosts.
func (b *board) letHost(on bool) {
	if err := b.s.LetHost(on); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.note(err.Error())
	}
}

// table shows the table until the user ends it, or the session.
func (o *Options) table(ctx context.Context, s Session, screen *os.File) error {
	b := &board{s: s}
	out := cli.NewOutput(o.Std.Out)
	first, ok := <-s.Events()
	if opened, is := first.(bridge.Opened); ok && is {
		for _, l := range Opening(&opened, o.Shared) { // the code stays on the screen when the table is gone
			fmt.Fprintln(out, l)
		}
		fmt.Fprintln(out)
		out.Flush()
	}
	p := tea.NewProgram(&model{board: b, styled: cli.UseColor("auto", screen)}, tea.WithContext(ctx),
		tea.WithInput(cli.Terminal(o.Std.In)), tea.WithOutput(screen), tea.WithoutSignalHandler())
	learned := make(chan struct{})
	go func() {
		defer close(learned)
		for e := range s.Events() {
			b.learn(e)
		}
		p.Quit()
	}()
	_, err := p.Run()
	closed := make(chan struct{})
	go func() { s.Close(); <-learned; close(closed) }() //nolint:errcheck // it is left
	select {
	case <-closed:
	case <-time.After(leaveTime):
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.over && b.ended != "":
		return errors.New("out of the session" + because(b.ended))
	case err != nil && !(ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled)):
		return fmt.Errorf("the terminal: %w", err)
	}
	return nil
}

// A model is the table on the screen.
type model struct {
	*board
	styled        bool
	members       []bridge.Member
	width, height int
}

// lookMsg says that it is time to look again.
type lookMsg struct{}

const lookEvery = 250 * time.Millisecond

// Init begins to look.
func (m *model) Init() tea.Cmd { return func() tea.Msg { return lookMsg{} } }

// Update takes in what happened.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case lookMsg:
		m.members = m.s.Members()
		return m, tea.Tick(lookEvery, func(time.Time) tea.Msg { return lookMsg{} })
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "Q", "ctrl+c":
			return m, tea.Quit
		case "y", "Y":
			m.answer(true)
		case "n", "N":
			m.answer(false)
		case "h", "H":
			m.letHost(true)
		case "j", "J":
			m.letHost(false)
		}
	}
	return m, nil
}

// View draws the table.
func (m *model) View() tea.View { return tea.NewView(m.draw()) }

// draw returns the lines.
func (m *model) draw() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.width <= 0 || m.height <= 0 {
		return "" // the size is not known yet
	}
	table := tableLines(m.members)
	lines := []string{m.style(bold, table[0])}
	lines = append(lines, table[1:]...)
	var below []string
	if m.waiting != "" {
		below = append(below, m.style(bold, "waiting: "+m.waiting))
	}
	below = append(below, m.lines...)
	if len(m.asked) > 0 {
		below = append(below, m.style(bold, m.question()))
	}
	if m.blocked {
		below = append(below, m.style(dim, "h has a game here host nonetheless; j takes that back"))
	}
	below = append(below, m.style(dim, "q or Ctrl-C leaves; in another terminal: dplay bridge kick NAME"))
	below = wrapped(below, m.width)
	if room := max(2, m.height-1-len(below)); len(lines) > room {
		lines = append(lines[:room-1], fmt.Sprintf("... and %d more", len(lines)-room+1))
	}
	lines = append(append(lines, ""), below...)
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "~")
	}
	return strings.Join(lines, "\n")
}

// wrapped breaks lines that are wider than the screen: what a line names last is often what matters.
func wrapped(lines []string, width int) []string {
	var all []string
	for _, l := range lines {
		all = append(all, strings.Split(ansi.Wrap(l, width, ""), "\n")...)
	}
	return all
}

// question asks about the newcomer who waits.
func (m *model) question() string {
	m.drawn = m.asked[0].ID
	text := Question(m.asked[0], "y lets in, n does not")
	if more := len(m.asked) - 1; more > 0 {
		text += fmt.Sprintf(" (%d more wait)", more)
	}
	return text
}

// The styles, as the numbers that terminals know them by.
const (
	bold = 1
	dim  = 2
)

func (m *model) style(n int, text string) string {
	if !m.styled {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[m", n, text)
}
