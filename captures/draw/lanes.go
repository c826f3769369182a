package draw

import (
	"cmp"
	"net/netip"
	"slices"

	"dplay4/wire"
)

// A laner decides which sockets are one machine, and which machines have lanes.
type laner struct {
	ends    *endpoints
	players *playerTable
	machine []int // endpoint to the endpoint that stands for its machine
	of      []int // endpoint to lane
	rest    []int // endpoints of machines without a lane of their own
	lanes   []Lane
}

func newLaner(e *endpoints, p *playerTable) *laner {
	l := &laner{ends: e, players: p, machine: make([]int, len(e.list))}
	hosts := p.hosts()
	for i := range e.list {
		l.machine[i] = l.owner(i, hosts)
	}
	l.assign(l.rank())
	for _, host := range hosts {
		l.lanes[l.of[host]].Host = true
	}
	l.name()
	if last := &l.lanes[len(l.lanes)-1]; last.Kind == Others {
		last.Others = l.restNames()
	}
	return l
}

// owner returns the endpoint that stands for a socket's machine: the one that is known by its UDP socket, else the only
// one with its address, or the host of several; else itself.
func (l *laner) owner(i int, hosts []int) int {
	e := &l.ends.list[i]
	if i == 0 || e.Sure {
		return i
	}
	if j, ok := l.ends.index[l.ends.streams[e.At]]; ok {
		return j
	}
	found, several := i, false
	for j := 1; j < len(l.ends.list); j++ {
		if o := &l.ends.list[j]; o.Sure && o.At.Addr() == e.At.Addr() {
			if slices.Contains(hosts, j) {
				return j
			}
			several = found != i
			found = j
		}
	}
	if several && e.At.Port() != wire.EnumPort {
		return i // which of them it is nobody can tell
	}
	return found
}

// broadcast reports whether an address is one of everybody. That of a network is told by its last octet where nobody
// was seen to have it.
func (l *laner) broadcast(i int) bool {
	e := &l.ends.list[i]
	if i == 0 || e.Sure || l.machine[i] != i || e.sent > 0 {
		return false
	}
	ip := e.At.Addr()
	return ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}) || ip.IsMulticast() ||
		e.At.Port() == wire.EnumPort && ip.Is4() && ip.As4()[3] == 255
}

// A candidate is a machine that may have a lane.
type candidate struct {
	endpoint int
	seen     int
	kind     LaneKind
}

// rank returns the machines that have lanes of their own, from left to right: in the order in which they were met, and
// broadcasts last.
func (l *laner) rank() []candidate {
	seen := make([]int, len(l.ends.list))
	for i := 1; i < len(l.ends.list); i++ {
		seen[l.machine[i]] += l.ends.list[i].seen
	}
	var all []candidate
	for i := 1; i < len(seen); i++ {
		if l.machine[i] != i {
			continue
		}
		c := candidate{endpoint: i, seen: seen[i]}
		if l.broadcast(i) {
			c.kind = Broadcast
		}
		all = append(all, c)
	}
	room := maxLanes
	if len(all) > room || len(l.ends.lost) > 0 {
		room--
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.seen, a.seen) })
	for len(all) > room {
		l.rest = append(l.rest, all[len(all)-1].endpoint)
		all = all[:len(all)-1]
	}
	slices.Sort(l.rest)
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.endpoint, b.endpoint))
	})
	return all
}

// assign makes the lanes, and gives each endpoint its own. The lane of others is last.
func (l *laner) assign(chosen []candidate) {
	others := len(chosen)
	l.of = slices.Repeat([]int{others}, len(l.ends.list))
	for lane, c := range chosen {
		l.lanes = append(l.lanes, Lane{Kind: c.kind, At: l.ends.list[c.endpoint].At, Machines: 1})
		l.of[c.endpoint] = lane
	}
	for i, machine := range l.machine {
		l.of[i] = l.of[machine]
	}
	if rest := len(l.rest) + len(l.ends.lost); rest > 0 || len(chosen) == 0 {
		l.lanes = append(l.lanes, Lane{Kind: Others, Machines: rest})
	}
	for i := range l.ends.list {
		if of := l.of[i]; of < len(l.lanes) {
			l.lanes[of].Messages += l.ends.list[i].sent
			l.lanes[of].Octets += l.ends.list[i].octets
		}
	}
}

// name writes the players' names on the lanes. Where two have one name, their ids tell them apart.
func (l *laner) name() {
	ids := map[string][]wire.PlayerID{} // by name
	people := l.players.people()
	for _, p := range people {
		if with := ids[p.Name]; !slices.Contains(with, p.ID) && len(with) < 2 {
			ids[p.Name] = append(with, p.ID)
		}
	}
	for _, p := range people {
		end := p.end(l.ends)
		if end == 0 || l.lanes[l.of[end]].Kind != Machine {
			continue
		}
		text := called(p.Name, p.ID)
		if p.Name != "" && len(ids[p.Name]) > 1 {
			text += " " + p.ID.String()
		}
		lane := &l.lanes[l.of[end]]
		if !slices.Contains(lane.Players, text) {
			lane.Players = append(lane.Players, text)
		}
	}
}
