package bridging

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// newTable returns the table of a session, as it was drawn once.
func newTable(s *made, events ...bridge.Event) *model {
	m := &model{board: newBoard(s)}
	for _, e := range events {
		m.learn(time.Now(), e)
	}
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(m.Init()())
	m.View()
	return m
}

// press presses keys, by name.
func press(t *testing.T, m *model, keys ...string) (last tea.Cmd) {
	t.Helper()
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		if k == "ctrl+c" {
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		require.Equal(t, k, msg.String())
		_, last = m.Update(msg)
	}
	return last
}

func bob(id byte) bridge.Asked { return bridge.Asked{ID: link.ID{id}, Name: "Bob"} }

// TestTableLooks has the table look again and again, and draw what it sees.
func TestTableLooks(t *testing.T) {
	s := newMade("Ann")
	m := newTable(s)
	assert.NotContains(t, m.View().Content, "Bob")
	s.members = newMade("Ann", "Bob").members
	_, again := m.Update(lookMsg{})
	assert.Contains(t, m.View().Content, "\n1  Bob        direct  12 ms")
	assert.IsType(t, lookMsg{}, again())
	m.Update(tea.WindowSizeMsg{Width: 10, Height: 30})
	for line := range strings.SplitSeq(m.View().Content, "\n") {
		assert.LessOrEqual(t, len(line), 10)
	}
}

// TestTableAnswers has newcomers ask: keys answer the question that is on the screen.
func TestTableAnswers(t *testing.T) {
	s := newMade("Ann")
	m := newTable(s, bob(5), bob(6), bob(7))
	assert.Contains(t, m.View().Content, "Bob wants to join: y lets in, n does not (2 more wait)")
	press(t, m, "y", "y", "x")
	assert.Equal(t, []string{"answer 05 true"}, s.asked(), "the next question was not drawn yet")
	assert.Contains(t, m.View().Content, "Bob wants to join: y lets in, n does not (1 more wait)")
	press(t, m, "N")
	m.View()
	press(t, m, "Y")
	assert.NotContains(t, m.View().Content, "wants to join")
	press(t, m, "y", "n")
	assert.Equal(t, []string{"answer 05 true", "answer 06 false", "answer 07 true"}, s.asked())
}

// TestTableAsksNoMore has who asks go: its question goes as well, and keys that were meant for it answer nobody else's.
func TestTableAsksNoMore(t *testing.T) {
	s := newMade("Ann")
	m := newTable(s, bob(5), bob(6))
	m.learn(time.Now(), bridge.Unasked{ID: link.ID{5}, Name: "Bob", Reason: "it does not wait any more"})
	press(t, m, "y")
	assert.Empty(t, s.asked())
	assert.Contains(t, m.View().Content, " Bob: it does not wait any more\n")
	press(t, m, "y")
	assert.Equal(t, []string{"answer 06 true"}, s.asked())
	m.learn(time.Now(), bridge.Asked{ID: gone, Name: "Cid"})
	m.View()
	press(t, m, "y")
	assert.Contains(t, m.View().Content, " nobody asks\n", "the event has not come yet")
	assert.NotContains(t, m.View().Content, "Cid wants to join")
}

// TestTableLets has a game here host while another one does, and no longer: the screen says which it is, and what takes that back.
func TestTableLets(t *testing.T) {
	const may, h, look = "A game here may host as well, and does not find the others' sessions: j takes that back.",
		"h has a game here host nonetheless.", "look for sessions in the game"
	s := newMade("Ann", "Bob")
	m := newTable(s)
	shows := func(is string, not ...string) {
		t.Helper()
		content := strings.Join(strings.Fields(m.View().Content), " ")
		assert.Contains(t, content, is)
		for _, n := range not {
			assert.NotContains(t, content, n)
		}
	}
	shows("Nobody hosts yet. Host in the game here", may, h)
	press(t, m, "h")
	shows("Nobody hosts yet. "+may, h, look)
	press(t, m, "j")
	shows(look, may, h)

	s.members[1].Hosts = true
	m.learn(time.Now(), bridge.HostElsewhere{On: true, Member: s.members[1]})
	shows("Bob's game hosts: "+look, may)
	shows(h)
	press(t, m, "H")
	shows("Bob's game hosts. "+may, h, look)
	m.learn(time.Now(), bridge.HostElsewhere{})
	shows("Bob's game hosts. "+may, h, look)
	s.members[0].Hosts = true
	m.learn(time.Now(), bridge.Local{Event: local.Hosting{On: true}})
	shows("2 host, each another session: Ann and Bob.", may, h)
	s.members[0].Hosts = false
	m.learn(time.Now(), bridge.Local{Event: local.Hosting{}})
	m.learn(time.Now(), bridge.HostElsewhere{On: true, Member: s.members[1]})
	shows("Bob's game hosts: "+look, may)
	shows(h)
	press(t, m, "h", "J")
	shows("Bob's game hosts: "+look, may)
	assert.Equal(t, []string{"host true", "host false", "host true", "host true", "host false"}, s.asked())
	m.look(time.Now().Add(2 * lasts))
	shows("", "can join, not host", "can host now")
}

// TestTableLetsNot: where nothing was done the screen says why, and nothing else.
func TestTableLetsNot(t *testing.T) {
	m := newTable(newMade("Ann", "Bob"))
	m.s = closed{m.s}
	press(t, m, "h")
	assert.Contains(t, m.View().Content, link.ErrClosed.Error())
	assert.NotContains(t, m.View().Content, "takes that back")
}

// closed is a session that is over.
type closed struct{ Session }

func (closed) LetHost(bool) error { return link.ErrClosed }

// TestTableEnds has keys that leave.
func TestTableEnds(t *testing.T) {
	for _, k := range []string{"q", "Q", "ctrl+c"} {
		end := press(t, newTable(newMade("Ann")), k)
		require.NotNil(t, end)
		assert.IsType(t, tea.QuitMsg{}, end())
	}
}
