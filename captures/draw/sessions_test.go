package draw

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// sectionOf returns a section of a page.
func sectionOf(t *testing.T, page, id string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<section id="` + id + `">.*?</section>`).FindString(page)
	require.NotEmpty(t, m)
	return m
}

// TestReportSessions: the report names the session, its game, each host from when to when, and the chat, each line once.
func TestReportSessions(t *testing.T) {
	p := NewReport(Options{Title: "x", Game: func(wire.GUID) string { return "A <game>" }})
	read(t, "../migration/killed-modern.pcapng", p.Add)
	page := written(t, p)
	sessions := sectionOf(t, page, "sessions")
	assert.Equal(t, 3, strings.Count(sessions, `<td data-h="Game">A &lt;game&gt;</td>`), "each host has a row")
	assert.Equal(t, 3, strings.Count(sessions, "<strong>&#34;Migration&#34;</strong>"))
	assert.Regexp(t, `(?s)&#34;p0&#34; 127\.0\.3\.10:2300.*>0\.000590<.*#m107".*>1\.217516<.*`+
		`&#34;p1&#34; 127\.0\.3\.11:2300.*#m107".*>1\.217516<.*#m138".*>1\.477336<.*`+
		`&#34;p2&#34; 127\.0\.3\.12:2300.*#m138".*>1\.477336<.*the end`, sessions)
	chat := sectionOf(t, page, "chat")
	assert.Equal(t, 5, strings.Count(chat, `<td data-h="Text">before</td>`), "of each player one, however many machines it went to")
	assert.Regexp(t, `#m75" data-n="75">0\.954431</a></td><td data-h="From">&#34;p2&#34;<`, chat)
	assert.Contains(t, page, `<a href="#chat">Chat <b>16</b></a>`)

	p = NewReport(Options{Title: "x"})
	read(t, "../migration/killed-modern.pcapng", p.Add)
	assert.Regexp(t, `<td data-h="Game">\{[0-9a-f-]{36}\}</td>`, sectionOf(t, written(t, p), "sessions"), "a game that is not known")
	empty := written(t, NewReport(Options{Title: "x"}))
	assert.Contains(t, sectionOf(t, empty, "sessions"), "No session is known.")
	assert.Contains(t, sectionOf(t, empty, "chat"), "Nobody chatted")
}

// TestReportChatLimits: what is remembered is bounded, texts are escaped, and a text that is said again later is a line again.
func TestReportChatLimits(t *testing.T) {
	p, in := NewReport(Options{Title: "x"}), new(captures.Session)
	say := func(n int, at time.Duration, from wire.PlayerID, text string) {
		r := made(n, at, alice, bob, &wire.Chat{From: from, To: 9, Text: wire.NewText(text)})
		r.Session = in
		p.Add(r)
	}
	say(1, 0, 1, "<script>\x1b\u202e")
	say(2, 0, 1, "<script>\x1b\u202e")
	say(3, 0, 2, "<script>\x1b\u202e")
	say(4, time.Second, 1, "<script>\x1b\u202e")
	require.Len(t, p.sessions.chats, 3)
	for i := range maxChats {
		say(5+i, time.Duration(i+2)*time.Second, 1, strings.Repeat("x", 5000))
	}
	assert.Len(t, p.sessions.chats, maxChats)
	assert.Less(t, len(p.sessions.chats[9].Text), maxText+4)
	chat := sectionOf(t, written(t, p), "chat")
	assert.Contains(t, chat, "&lt;script&gt;")
	assert.NotContains(t, chat, "<script>")
	assert.NotContains(t, chat, "\x1b")
	assert.NotContains(t, chat, "\u202e")
	assert.Contains(t, chat, "3 lines more are left out.")
	for range 2 * maxSessions {
		r := made(1, 0, alice, bob, &wire.Ping{})
		r.Session = new(captures.Session)
		p.sessions.add(r, 0)
	}
	assert.Len(t, p.sessions.lines, maxSessions)
	for i := range 2 * maxHosts {
		in.Host = wire.PlayerID(i + 1)
		p.sessions.add(&captures.Record{Session: in}, 0)
	}
	assert.Len(t, p.sessions.lines, maxHosts)
}
