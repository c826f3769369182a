package draw

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// restNames returns what those machines are called that have no lane of their own: their address, and who plays there. They
// stand in the order in which they were met; those that there was no place to remember have no port.
func (l *laner) restNames() (names []string) {
	others := len(l.lanes) - 1
	people := map[int]string{}
	for _, p := range l.players.people() {
		if end := p.end(l.ends); end != 0 && l.of[end] == others {
			name := called(p.Name, p.ID)
			if at := l.machine[end]; !strings.Contains(people[at], name) {
				people[at] += " " + name
			}
		}
	}
	for _, i := range l.rest[:min(len(l.rest), maxOthers)] {
		names = append(names, l.ends.list[i].At.String()+people[i])
	}
	lost := slices.SortedFunc(maps.Keys(l.ends.lost), netip.Addr.Compare)
	for _, a := range lost[:min(len(lost), maxOthers-len(names))] {
		names = append(names, a.String())
	}
	return names
}

// Rest returns the lane of machines that have none of their own, which is the last one, nil if all have one.
func (d *Diagram) Rest() *Lane {
	if last := &d.Lanes[len(d.Lanes)-1]; len(last.Others) > 0 {
		return last
	}
	return nil
}

// rest lists the machines that share a lane, for people: "10.0.0.9:2300 "Bob", 10.0.0.10:2300 and 5 more".
func (l *Lane) rest() string {
	text := strings.Join(l.Others, ", ")
	if n := l.Machines - len(l.Others); n > 0 {
		text += " and " + grouped(n) + " more"
	}
	return text
}

// maxHidden bounds the machines that a row names where its lane does not.
const maxHidden = 3

// hide notes that an end of an item is a machine without a lane of its own.
func (a *item) hide(endpoint int) {
	if len(a.hidden) <= maxHidden && !slices.Contains(a.hidden, endpoint) {
		a.hidden = append(a.hidden, endpoint)
	}
}

// hiddenNames names the machines of an item that its lanes do not.
func (b *Builder) hiddenNames(a *item) (names []string) {
	if a.Kind == Band {
		return nil
	}
	for i, end := range a.hidden {
		if i == maxHidden {
			return append(names, "…")
		}
		names = append(names, b.ends.name(end))
	}
	return names
}
