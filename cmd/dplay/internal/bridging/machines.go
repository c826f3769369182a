package bridging

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dplay4/captures"
	"dplay4/dpsp/bridge"
)

// The titles of columns that can be narrow, or left out.
const (
	machineTitle = "MACHINE"
	tripTitle    = "ROUND TRIP"
	lossTitle    = "LOSS"
	overTitle    = "OVER"
	gameTitle    = "GAME"
)

// you marks this machine.
const you = " (you)"

// narrowestName is how much of a name is shown before a column is left out for it.
const narrowestName = 12

// tableLines returns the machines as a table, without colours, that is no wider than the screen; 0: as wide as it gets.
func tableLines(members []bridge.Member, width int) []string {
	rows := [][]string{{"#", machineTitle, gameTitle, "WAY", tripTitle, lossTitle, overTitle}}
	for i := range members {
		m := &members[i]
		name, game := nameOf(m), ""
		if m.Self {
			name += you
		}
		if m.Hosts {
			game = "hosts"
		}
		rows = append(rows, []string{fmt.Sprint(m.Slot), name, game, wayWord(m), tripText(m), lossText(m), captures.Printable(m.Way.Over)})
	}
	if !slices.ContainsFunc(members, func(m bridge.Member) bool { return m.Hosts }) {
		leaveOut(rows, gameTitle)
	}
	if width > 0 {
		narrow(rows, width)
	}
	return aligned(rows)
}

// leaveOut takes a column out.
func leaveOut(rows [][]string, title string) {
	at := slices.Index(rows[0], title)
	for i := range rows {
		rows[i] = slices.Delete(rows[i], at, at+1)
	}
}

// narrow makes a table fit: by leaving out columns, what matters least first, and then by shorter names.
func narrow(rows [][]string, width int) {
	for _, title := range []string{overTitle, lossTitle, tripTitle} {
		if over, names := tooWide(rows, width); over > 0 && (title == overTitle || names-over < narrowestName) {
			leaveOut(rows, title)
		}
	}
	if over, names := tooWide(rows, width); over > 0 {
		at, most := slices.Index(rows[0], machineTitle), max(1, names-over)
		for i := range rows {
			name, mark := rows[i][at], ""
			if before, self := strings.CutSuffix(name, you); self && most > len(you) {
				name, mark = before, you
			}
			rows[i][at] = ansi.Truncate(name, most-len(mark), "~") + mark
		}
	}
}

// tooWide returns how much wider than the screen a table is, and how wide its names are.
func tooWide(rows [][]string, width int) (over, names int) {
	widths := widthsOf(rows)
	over = 2*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	return over, widths[slices.Index(rows[0], machineTitle)]
}

// hostsText says whose games host, and what to do. The game here may be connected to others, or let host, which back takes back.
func hostsText(members []bridge.Member, connected bool, back string) string {
	const look = "look for sessions in the game; where it asks for an address, that is 127.0.0.1"
	var hosts []string
	us := false
	for i := range members {
		if m := &members[i]; m.Hosts {
			hosts = append(hosts, nameOf(m))
			us = us || m.Self
		}
	}
	may := ""
	if back != "" && !us { // else it is over when that is
		may = " A game here may host as well, and does not find the others' sessions: " + back + " takes that back."
	}
	switch last := len(hosts) - 1; {
	case last > 0:
		return fmt.Sprintf("%d host, each another session: %s and %s.", len(hosts), strings.Join(hosts[:last], ", "), hosts[last]) + may
	case last < 0:
		return "Nobody hosts yet." + cmp.Or(may, " Host in the game here, or wait until somebody else does and "+look+".")
	case us:
		return "Your game hosts: the others find it when they look for sessions in theirs."
	case connected:
		return hosts[0] + "'s game hosts, and yours is connected to others." + may
	case may != "":
		return hosts[0] + "'s game hosts." + may
	}
	return hosts[0] + "'s game hosts: " + look + "."
}

// helpText says what can be done about the table.
func helpText(members []bridge.Member) string {
	const leave = "q or Ctrl-C leaves."
	switch k := keeper(members); {
	case k == nil:
		return leave
	case k.Self:
		return leave + " In another terminal, dplay bridge kick NAME sends somebody away."
	default:
		return leave + " " + nameOf(k) + " lets newcomers in, and can send machines away."
	}
}

// leftText says what becomes of a session that is left.
func leftText(s Session) string {
	if len(s.Members()) < 2 {
		return "You left the session, and nobody else is in it."
	}
	return "You left the session. It goes on without you, by the same code:\n" + s.Code()
}
