package bridging

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
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

// table shows the table until the user ends it, or the session. Of it nothing stays on the screen.
func (o *Options) table(ctx context.Context, s Session, screen *os.File) (err error) {
	defer func() { err = o.Until.Ended(err) }()
	b := newBoard(s)
	m := &model{board: b, styled: cli.UseColor("auto", screen), code: s.Code(), members: s.Members()}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(cli.Terminal(o.Std.In)), tea.WithOutput(screen),
		tea.WithoutSignalHandler())
	learned := make(chan struct{})
	go func() {
		defer close(learned)
		for e := range s.Events() {
			b.learn(time.Now(), e)
			if o.Until.Printed(NameOf(e)) {
				p.Quit()
			}
		}
		p.Quit()
	}()
	_, err = p.Run()
	left := leftText(s)
	closed := make(chan struct{})
	go func() { s.Close(); <-learned; close(closed) }() //nolint:errcheck // it is left
	select {
	case <-closed:
	case <-time.After(cli.LeaveTime):
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended != "":
		return errors.New("out of the session" + because(b.ended))
	case err != nil && !(ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled)):
		return fmt.Errorf("the terminal: %w", err)
	}
	fmt.Fprintln(o.Std.Out, left)
	return nil
}

// A model is the table on the screen.
type model struct {
	*board
	styled        bool
	code          string
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
		m.code, m.members = m.s.Code(), m.s.Members()
		m.look(time.Now())
		again := tea.Tick(lookEvery, func(time.Time) tea.Msg { return lookMsg{} })
		if m.ring() {
			return m, tea.Batch(tea.Raw(bell), again)
		}
		return m, again
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch key := strings.ToLower(msg.String()); key {
		case "q", "ctrl+c":
			return m, tea.Quit
		case "y", "n":
			m.answer(key == "y")
		case "h", "j":
			m.letHost(key == "h")
		}
	}
	return m, nil
}

// View draws the table, on a screen of its own: one among other lines is torn when the window gets narrower.
func (m *model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	return v
}
