package browse

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// seen makes a row of a picture.
func seen(name, host string, players, most uint32, flags wire.SessionFlags, trip time.Duration) row {
	return row{answer: answer{
		Found: sock.Found{Name: name, Host: netip.MustParseAddrPort(host), Desc: wire.SessionDesc{
			Instance: wire.GUID{byte(len(name)), name[0]}, Application: wire.GUID{7}, CurrentPlayers: players,
			MaxPlayers: most, Flags: flags}},
		trip: trip, dialect: wire.DX9,
	}}
}

// fourSessions is a picture with what is hard to show.
func fourSessions(t *testing.T) picture {
	lotr := seen("Castle", "192.0.2.7:2300", 2, 8, wire.SessionMigrateHost|wire.SessionKeepAlive, 12*time.Millisecond)
	lotr.Desc.Application = lotr2(t)
	wide := seen("\u57ce\u5821\u57ce\u5821\u57ce\u5821\u57ce\u5821\u57ce\u5821", "192.0.2.130:2301", 1,
		0, wire.SessionPasswordRequired, 1400*time.Millisecond)
	wide.dialect = wire.DX61A
	evil := seen("\x1b]0;owned\a\x1b[31mred\r\n\u202etxt\u009b2J", "192.0.2.9:2300", 4, 4, wire.SessionJoinDisabled, 0)
	evil.dialect = 0
	gone := seen("ended", "192.0.2.8:2300", 0, 16, 0, 400*time.Microsecond)
	gone.gone = true
	return picture{rows: []row{lotr, evil, gone, wide}, wrong: []string{"192.0.2.99 does not answer"}}
}

// newTestWatch returns a table that has looked at a picture once.
func newTestWatch(p picture, width, height int) *watchModel {
	m := &watchModel{subject: "Sessions on the network", keys: true, look: func() picture { return p }}
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Update(lookMsg{})
	return m
}

// press presses keys, by name.
func press(t *testing.T, m *watchModel, keys ...string) (last tea.Cmd) {
	t.Helper()
	codes := map[string]tea.KeyPressMsg{
		"esc": {Code: tea.KeyEscape}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	}
	for _, k := range keys {
		msg, special := codes[k]
		if !special {
			msg = tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		}
		require.Equal(t, k, msg.String())
		_, last = m.Update(msg)
	}
	return last
}

// TestWatchViews compares the table with golden files, at several sizes. On none is a line wider than the screen, are
// there more lines than it has, or does a name command the terminal.
func TestWatchViews(t *testing.T) {
	for _, c := range []struct {
		name          string
		width, height int
	}{{"wide", 160, 10}, {"usual", 80, 10}, {"narrow", 40, 9}, {"tiny", 20, 5}} {
		golden(t, "watch-"+c.name+".txt", newTestWatch(fourSessions(t), c.width, c.height).draw()+"\n")
	}
	for width := 1; width <= 200; width++ {
		for _, height := range []int{1, 2, 3, 4, 5, 24} {
			m := newTestWatch(fourSessions(t), width, height)
			m.styled = width%2 == 0
			text := m.draw()
			lines := strings.Split(text, "\n")
			require.LessOrEqual(t, len(lines), height, "%d x %d", width, height)
			for _, line := range lines {
				require.LessOrEqual(t, ansi.StringWidth(line), width, "%d x %d: %q", width, height, line)
			}
			for _, style := range []string{"\x1b[1m", "\x1b[2m", "\x1b[m"} {
				text = strings.ReplaceAll(text, style, "")
			}
			for _, r := range text {
				require.True(t, r == '\n' || r >= ' ' && r != 0x7f && (r < 0x80 || r >= 0xa0) && r != 0x202e, "%q", text)
			}
		}
	}
	assert.Empty(t, newTestWatch(fourSessions(t), 0, 0).draw(), "before the size is known")
	view := newTestWatch(fourSessions(t), 80, 10).View()
	assert.True(t, view.AltScreen, "what was on the screen before comes back")
}

// order returns the names in the order of the table, by their beginnings.
func order(m *watchModel) (names []string) {
	for _, r := range m.now.rows {
		names = append(names, captures.Printable(r.Name)[:1])
	}
	return names
}

// TestWatchKeys sorts by each column both ways, and ends.
func TestWatchKeys(t *testing.T) {
	p := picture{rows: []row{
		seen("a", "192.0.2.30:2300", 9, 9, wire.SessionPasswordRequired, 30*time.Millisecond),
		seen("b", "192.0.2.4:2300", 10, 20, wire.SessionJoinDisabled, 0),
		seen("C", "192.0.2.200:2300", 0, 0, 0, 4*time.Millisecond),
	}}
	p.rows[0].dialect, p.rows[1].dialect = wire.DX6, wire.DX9
	p.rows[2].dialect, p.rows[2].Desc.Application = wire.DX8, lotr2(t)
	m := newTestWatch(p, 160, 10)
	for _, want := range []string{"abC", "baC", "Cab", "Cba", "Cba", "Cab", "aCb", "Cab"} { // name ... game
		assert.Equal(t, want, strings.Join(order(m), ""), watchColumns[m.sortBy].title)
		press(t, m, "s")
	}
	assert.Zero(t, m.sortBy, "after the last one comes the first one")
	press(t, m, "S")
	assert.Equal(t, "GAME", watchColumns[m.sortBy].title)
	press(t, m, "s", "r")
	assert.Equal(t, "Cba", strings.Join(order(m), ""))
	assert.Contains(t, m.draw(), "NAME ^")
	m.Update(lookMsg{})
	assert.Equal(t, "Cba", strings.Join(order(m), ""), "a new picture is in the same order")
	press(t, m, "r")
	assert.Contains(t, m.draw(), "NAME v")
	for _, key := range []string{"q", "esc", "ctrl+c"} {
		cmd := press(t, m, key)
		require.NotNil(t, cmd, key)
		assert.Equal(t, tea.Quit(), cmd(), key)
	}
	assert.Nil(t, press(t, m, "x"))
}

// TestWatchScroll checks that the arrows stay within the list, also when it gets shorter.
func TestWatchScroll(t *testing.T) {
	var p picture
	for i := range 30 {
		p.rows = append(p.rows, seen(fmt.Sprintf("s%02d", i), "192.0.2.1:2300", 0, 0, 0, 0))
	}
	m := newTestWatch(p, 100, 14) // ten rows
	first := func() string { return strings.Fields(strings.Split(m.draw(), "\n")[2])[0] }
	for _, c := range []struct{ key, want string }{
		{"up", "s00"}, {"down", "s01"}, {"pgdown", "s11"}, {"pgdown", "s20"}, {"down", "s20"}, {"pgup", "s10"},
		{"home", "s00"}, {"end", "s20"},
	} {
		press(t, m, c.key)
		assert.Equal(t, c.want, first(), c.key)
	}
	assert.Contains(t, m.draw(), "Sessions on the network: 30, lines 21 to 30 of 30\n")
	m.look = func() picture { return picture{rows: p.rows[:3]} }
	m.Update(lookMsg{})
	assert.Equal(t, "s00", first())
}

// TestBoard lets time pass over a board: a session that does not answer is gone for one round, and then forgotten.
func TestBoard(t *testing.T) {
	began := time.Now()
	at := func(s float64) time.Time { return began.Add(time.Duration(s * float64(time.Second))) }
	f := &Options{Flags: Flags{Timeout: 2 * time.Second}}
	one, two := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	f.hosts = []asked{{"one", one}, {"t\x1bwo", two}}
	b := newBoard(f, began)
	assert.Equal(t, "Sessions at one, t\ufffdwo", b.subject())
	assert.Empty(t, b.look(at(1)).wrong, "they have time to answer")
	assert.Equal(t, []string{"one, t\ufffdwo do not answer: are sessions open there, and UDP and TCP port 47624?"},
		b.look(at(2)).wrong)
	take := func(s float64) {
		b.take(answer{Found: sock.Found{Name: "x", From: one, Desc: wire.SessionDesc{Instance: wire.GUID{1}}}, at: at(s)})
	}
	take(3)
	require.Len(t, b.look(at(8.9)).rows, 1)
	assert.Equal(t, []string{"t\ufffdwo does not answer: is a session open there, and UDP and TCP port 47624?"},
		b.look(at(8.9)).wrong)
	assert.False(t, b.look(at(8.9)).rows[0].gone)
	assert.True(t, b.look(at(9)).rows[0].gone)
	take(9.5)
	assert.False(t, b.look(at(10)).rows[0].gone, "it is back")
	assert.True(t, b.look(at(15.5)).rows[0].gone)
	assert.Contains(t, b.look(at(15.5)).wrong[0], "one, t", "it is quiet again")
	assert.Empty(t, b.look(at(17.5)).rows)
	assert.Empty(t, b.list.found, "and forgotten")
	for i := range maxWrong + 3 {
		b.warn(errors.New("card\x1b"))
		b.warn(fmt.Errorf("card %d", i))
	}
	assert.Equal(t, "card\ufffd", b.look(at(18)).wrong[0])
	assert.Len(t, b.look(at(18)).wrong, maxWrong+1)

	f.hosts = nil
	b = newBoard(f, began)
	assert.Equal(t, "Sessions on the network", b.subject())
	assert.Empty(t, b.look(at(1)).wrong)
	assert.Contains(t, b.look(at(2)).wrong[0], "nobody answers yet")
	f.Timeout, f.AllCards = time.Millisecond, true
	require.NoError(t, f.App.Set("lotr2"))
	assert.Equal(t, "Sessions of Lords of the Realm II on the networks of all interfaces", b.subject())
	take(3)
	assert.False(t, b.look(at(5)).rows[0].gone, "the rhythm of the requests is the least")
}
