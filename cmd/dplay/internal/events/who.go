package events

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// Who says who is in the session, a line each: the session, its players, its groups.
func (r *Roster) Who(s dpsp.SessionOpened) []string {
	s.Desc.CurrentPlayers = uint32(r.list.Count())
	lines := []string{fmt.Sprintf("%q, %s", captures.Shown(s.Name), PlayersText(&s.Desc))}
	if s.Hosting {
		lines[0] += "; " + r.joinAt()
	}
	for p := range r.players() {
		var is []string
		if p.System == r.self {
			is = append(is, "you")
		}
		if p.System == s.Host {
			is = append(is, "the host")
		}
		if at, shown := r.shown(r.machines[p.System]); shown && p.System != r.self {
			is = append(is, "at "+at.String())
		}
		line := r.renamed(p.ID, name(&p))
		if len(is) > 0 {
			line += " (" + strings.Join(is, ", ") + ")"
		}
		lines = append(lines, line)
	}
	for g := range r.list.EachGroup() {
		var in []string
		for _, id := range r.list.AppendMembers(nil, g.ID) {
			in = append(in, r.who(id))
		}
		lines = append(lines, fmt.Sprintf("group %s: %s", r.renamed(g.ID, name(&g)), cmp.Or(strings.Join(in, ", "), "nobody")))
	}
	return lines
}

// Members returns the players in a group.
func (r *Roster) Members(group wire.PlayerID) []wire.PlayerID {
	return r.list.AppendMembers(nil, group)
}

// Find returns the player or group whose name, or id, a text begins with, in any case, and the rest of the text. Of several that
// fit it takes the longest name.
func (r *Roster) Find(text string) (id wire.PlayerID, rest string, err error) {
	first, after, _ := strings.Cut(text, " ")
	if n, e := strconv.ParseUint(first, 0, 32); e == nil && strings.HasPrefix(first, "0x") {
		return wire.PlayerID(n), strings.TrimSpace(after), nil
	}
	var found []wire.PlayerID
	longest := 0
	for _, e := range slices.AppendSeq(slices.Collect(r.players()), r.list.EachGroup()) {
		n := len(name(&e))
		switch {
		case n == 0, n < longest, n > len(text), !strings.EqualFold((text + " ")[:n+1], name(&e)+" "):
			continue
		case n > longest:
			found = nil
		}
		longest, found = n, append(found, e.ID)
	}
	switch len(found) {
	case 0:
		return 0, "", fmt.Errorf("nobody is called %q; /who lists who is there", first)
	case 1:
		return found[0], strings.TrimSpace(text[longest:]), nil
	}
	return 0, "", fmt.Errorf("several are called %q: say which by the id, such as %s", text[:longest], found[0])
}
