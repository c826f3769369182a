package bridging

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
)

// longCode is the code of a session with a credential.
const longCode = "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR-ASC0-7218-1107-HC79-45CS-3JG2-79SA"

// drawn draws the table of a session in which something of everything is the case.
func drawn(width, height int, members ...string) []string {
	s := newMade(members...)
	m := &model{board: newBoard(s), code: longCode[:44], members: s.members, width: width, height: height}
	s.members[1].Hosts = true
	s.members[1].Name = "a machine with a long name"
	at := time.Date(2026, 1, 2, 20, 15, 0, 0, time.UTC)
	for i := range 20 {
		m.note(at.Add(time.Duration(i)*time.Second), fmt.Sprintf("event %d", i))
	}
	m.learn(at, bridge.Local{Event: local.Waiting{For: "47624 is held by g\x1bme.exe"}})
	m.learn(at, bob(5))
	return strings.Split(m.draw(), "\n")
}

// TestDraw draws the table on screens of several sizes: what happened goes first where there is no room.
func TestDraw(t *testing.T) {
	got := drawn(100, 30, "Ann", "Bob", "Cid")
	assert.Len(t, got, 30, "as much of what happened as fits")
	assert.Equal(t, `Code: ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR
Who has it can join: dplay bridge join, and the code.

#  MACHINE                     GAME   WAY      ROUND TRIP  LOSS  OVER
0  Ann (you)                          -        -           -     192.0.2.7:4433
1  a machine with a long name  hosts  direct   12 ms       2 %   192.0.2.7:4433
2  Cid                                relayed  24 ms       4 %   192.0.2.7:4433

a machine with a long name's game hosts: look for sessions in the game; where it asks for an
address, that is 127.0.0.1.
waiting: 47624 is held by g�me.exe
20:15:04 event 4`, strings.Join(got[:12], "\n"))
	assert.Equal(t, []string{"20:15:19 event 19", "", "Bob wants to join: y lets in, n does not",
		"q or Ctrl-C leaves. In another terminal, dplay bridge kick NAME sends somebody away."}, got[26:])

	assert.Equal(t, `Code: ASC0-7218-1107-HC79-45CS-3JG2-
79SA-NRRV-ACKR
Who has it can join: dplay bridge join,
and the code.

#  MACHINE                GAME   WAY
0  Ann (you)                     -
1  a machine with a lon~  hosts  direct
2  Cid                           relayed`, strings.Join(drawn(40, 24, "Ann", "Bob", "Cid")[:9], "\n"))

	assert.Equal(t, `Code: ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR
#  MACHINE                     GAME   WAY     ROUND TRIP  LOSS  OVER
0  Ann (you)                          -       -           -     192.0.2.7:4433
1  a machine with a long name  hosts  direct  12 ms       2 %   192.0.2.7:4433
waiting: 47624 is held by g�me.exe
Bob wants to join: y lets in, n does not`, strings.Join(drawn(100, 6, "Ann", "Bob"), "\n"))

	got = drawn(100, 12, strings.Split(strings.Repeat("Ann ", 49)+"Ann", " ")...)
	assert.Equal(t, "... and 46 more", got[6])
}

// TestDrawWhole has lines that are broken in two: of the first one on the screen the beginning is there, and of the last one something.
func TestDrawWhole(t *testing.T) {
	s := newMade("Ann")
	m := &model{board: newBoard(s), code: "ABCD", members: s.members, width: 40}
	for i := range 5 {
		m.note(time.Time{}, fmt.Sprintf("event %d %send", i, strings.Repeat("long ", 8)))
	}
	for m.height = 10; m.height < 30; m.height++ {
		if before, _, ended := strings.Cut(m.draw(), " end"); ended {
			assert.Contains(t, before, " event ", "%d", m.height)
		}
		if m.height > 15 {
			assert.Contains(t, m.draw(), "event 4", "%d", m.height)
		}
	}
	assert.Contains(t, m.draw(), "event 0")
}

// TestDrawFits draws it on screens of every size: nothing is wider or higher, and the table goes last.
func TestDrawFits(t *testing.T) {
	for width := 1; width < 110; width++ {
		for height := 1; height < 26; height++ {
			got := drawn(width, height, "Ann", "Bob", "Cid")
			assert.LessOrEqual(t, len(got), height, "%d x %d", width, height)
			for _, line := range got {
				assert.LessOrEqual(t, ansi.StringWidth(line), width, "%d x %d", width, height)
			}
			if text := strings.Join(got, "\n"); width >= 40 && height >= 5 {
				assert.Contains(t, text, "Bob wants to join: y lets in, n does not")
				assert.Contains(t, text, "\n1  a machine")
			}
		}
	}
}

// TestCodeLines breaks the code between its groups alone.
func TestCodeLines(t *testing.T) {
	for width := 5; width < 90; width++ {
		lines := codeLines(longCode, width)
		assert.Equal(t, longCode, strings.TrimSpace(strings.TrimPrefix(strings.Join(lines, ""), "Code:")), "%d", width)
		for _, line := range lines[:len(lines)-1] {
			assert.Regexp(t, "(:|-)$", line, "%d", width)
		}
	}
}

// TestHosts says whose games host, and what to do.
func TestHosts(t *testing.T) {
	connected := false
	hosts := func(slots ...int) string {
		s := newMade("Ann", "Bob", "Cid")
		for _, slot := range slots {
			s.members[slot].Hosts = true
		}
		return hostsText(s.members, connected, "")
	}
	assert.Contains(t, hosts(), "Nobody hosts yet. Host in the game here, or wait until somebody else does")
	assert.Contains(t, hosts(0), "Your game hosts")
	assert.Contains(t, hosts(1), "Bob's game hosts: look for sessions")
	connected = true
	assert.Equal(t, "Bob's game hosts, and yours is connected to others.", hosts(1))
	assert.Equal(t, "2 host, each another session: Ann and Cid.", hosts(0, 2))
	assert.Equal(t, "3 host, each another session: Ann, Bob and Cid.", hosts(0, 1, 2))
}

// TestHostsLet says what a game here may do, unless it does it.
func TestHostsLet(t *testing.T) {
	const may = " A game here may host as well, and does not find the others' sessions: j takes that back."
	s := newMade("Ann", "Bob", "Cid")
	assert.Equal(t, "Nobody hosts yet."+may, hostsText(s.members, false, "j"))
	s.members[1].Hosts = true
	assert.Equal(t, "Bob's game hosts."+may, hostsText(s.members, false, "j"))
	assert.Equal(t, "Bob's game hosts, and yours is connected to others."+may, hostsText(s.members, true, "j"))
	s.members[2].Hosts = true
	assert.Equal(t, "2 host, each another session: Bob and Cid."+may, hostsText(s.members, false, "j"))
	s.members[0].Hosts = true
	assert.Equal(t, "3 host, each another session: Ann, Bob and Cid.", hostsText(s.members, false, "j"))
	s.members[1].Hosts, s.members[2].Hosts = false, false
	assert.Contains(t, hostsText(s.members, false, "j"), "when they look for sessions in theirs.")
	assert.NotContains(t, hostsText(s.members, false, "j"), may)
}

// TestHelpText says who can do what.
func TestHelpText(t *testing.T) {
	assert.Contains(t, helpText(newMade("Ann", "Bob").members), "kick NAME sends somebody away")
	assert.Equal(t, "q or Ctrl-C leaves. Bob lets newcomers in, and can send machines away.", helpText(guest("Ann", "Bob").members))
	assert.Equal(t, "q or Ctrl-C leaves.", helpText(nil))
}
