package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// Stats are what a run is measured by.
type Stats struct {
	Splits         int           // times that a session got a second host
	SplitTime      time.Duration // how long sessions had several hosts, all splits together
	SplitAtEnd     int           // sessions that have several hosts in the end
	DoubleIDs      int           // ids that two machines held
	HostsLost      int           // times that a host was gone while in a session
	Elections      int
	NewHost        Times          // for each member and each host that was gone: until it was told of a new one
	NoHost         Times          // each time that a member had no host: its host was gone, or it lost it, until it had one or left
	HostlessAtEnd  int            // members that have none in the end
	SessionsLost   int            // times that a member lost its session
	Breaks         int            // connections that the fault of that name broke
	ThrownOut      int            // members that are out of their session although they live and answer
	Excused        map[Excuse]int // other members that are out of their session, by the reason
	Stranded       int            // of both: those that are out in the end, and do not know it
	Guaranteed     int            // guaranteed messages of the game, one for each machine or player of a group that one was for
	Doubled        int            // those that arrived twice
	Overtaken      map[Cause]int  // those that arrived after a later one, by the cause
	NeverCame      map[Cause]int  // those that never arrived although both machines stayed in the session, by the cause
	Stale          int            // those of a former membership that arrived after one of the present membership
	Said           int            // when everything has come right: new things that other members should come to know
	Unheard        int            // those that one of them does not know
	Unsaid         int            // commands for new things that failed, or were not answered
	Joins          int
	JoinsFailed    int
	PeersLost      int
	Sends          int
	Operations     int // commands of programs
	Failed         int // those that failed
	Known          int // in the end: players, groups and memberships of each member's own
	LostOperations int // those of them that another member of the same session does not have as they are
	Forgotten      int // members whose host does not know them, in the end
	Phantoms       int // players that hosts have, in the end, of machines that are gone
	Outside        int // memberships of players and groups that are there in the end which a member does not have
	Unlinked       int // shortcuts likewise
	Unequal        int // members whose table is not the host's
	Dropped        int // messages that engines ignored
	Objects        int // that were made
	ObjectsMoved   int // times that one got another owner
	ObjectsUnequal int // members whose objects are not those of others, in the end
}

// judge looks at what is left when everything has had its time.
func (w *World) judge() {
	for _, s := range w.truth.split {
		w.res.Stats.SplitTime += w.now - s.since
	}
	w.res.Stats.HostlessAtEnd = len(w.truth.waiting)
	for len(w.truth.waiting) > 0 {
		w.truth.stopWaiting(w.truth.waiting[0].p)
	}
	for _, s := range w.sessions() {
		w.judgeSession(s)
	}
	for _, l := range w.lanes {
		if p := l.proc; p != nil && p.told.joining {
			w.violate(l, "stuck", "it is still on its way into a session")
		}
		if p := l.proc; p != nil && len(p.program.pending) > 0 {
			w.violate(l, "stuck", "%d command(s) are not answered, the first one %s", len(p.program.pending), p.program.pending[0].what)
		}
	}
}

// sessions returns those that programs are in.
func (w *World) sessions() (all []wire.GUID) {
	for _, l := range w.lanes {
		if p := l.proc; p != nil && p.told.in && !slices.Contains(all, p.told.instance) {
			all = append(all, p.told.instance)
		}
	}
	return all
}

func (w *World) judgeSession(instance wire.GUID) {
	all, hosts := w.members(instance)
	if len(hosts) > 1 {
		w.res.Stats.SplitAtEnd++
	}
	for _, part := range w.truth.parts(all, hosts) {
		w.judgePart(part, slices.DeleteFunc(slices.Clone(hosts), func(h *process) bool { return !slices.Contains(part, h) }))
	}
}

// members returns who is in a session, and who of them is host.
func (w *World) members(instance wire.GUID) (all, hosts []*process) {
	for _, l := range w.lanes {
		if p := l.proc; p != nil && p.told.in && p.told.instance == instance {
			all = append(all, p)
			if p.told.host == p.told.self {
				hosts = append(hosts, p)
			}
		}
	}
	return all, hosts
}

// judgePart looks at the machines of a session that know of each other: all of them, but for rare accidents.
func (w *World) judgePart(all, hosts []*process) {
	if len(hosts) > 1 && w.opt.Checks.OneHost {
		w.violate(nil, "hosts", "the session has %d hosts in the end", len(hosts))
	}
	if w.opt.Checks.IDs {
		w.judgeIDs(all)
	}
	for _, h := range hosts {
		w.judgeLiving(h, all)
	}
	w.truth.stranded(all, hosts)
	w.judgeObjects(all, hosts)
	own := make([][]string, len(all))
	for i, p := range all {
		w.judgeEntered(p, all, hosts)
		w.judgeMember(p, hosts)
		own[i] = p.told.own()
	}
	for i, q := range all {
		have := q.told.table()
		for j := range all {
			if i != j {
				w.compare(own[j], have)
			}
		}
	}
}

// judgeIDs looks for ids that two machines of a session hold in the end.
func (w *World) judgeIDs(all []*process) {
	holders := map[wire.PlayerID]*process{}
	for _, p := range all {
		ids := append([]wire.PlayerID{p.told.self}, slices.Sorted(maps.Keys(p.told.players))...)
		for _, id := range ids {
			if x := p.told.players[id]; x != nil && !x.local {
				continue
			}
			if q := holders[id]; q != nil && q != p {
				w.violate(p.l, "ids", "%v is held by %s as well", id, q.l.name)
			}
			holders[id] = p
		}
	}
}

// judgeEntered looks for players that entered a group and are not in it, and for groups that are not where their owner made
// them visible, while both are there: at each member that has the same host.
func (w *World) judgeEntered(p *process, all, hosts []*process) {
	h, s := hostOf(p, hosts), &w.res.Stats
	for _, q := range all {
		if h == nil || hostOf(q, hosts) != h {
			continue
		}
		for _, c := range sortedByIDs(p.program.entered, membershipIDs) {
			x, g := p.told.players[c.Player], q.told.groups[c.Group]
			if x == nil || !x.local || !owns(all, p.program.entered[c], c.Group) || g != nil && slices.Contains(g.members, c.Player) {
				continue
			}
			if s.Outside++; w.opt.Checks.Entered {
				w.violate(q.l, "outside", "player %v of %s entered group %v, and is not in it", c.Player, p.l.name, c.Group)
			}
		}
		for _, c := range sortedByIDs(p.program.shown, shortcutIDs) {
			x, g := p.told.groups[c.Child], q.told.groups[c.Parent]
			if x == nil || !x.local || !owns(all, p.program.shown[c], c.Parent) || g != nil && slices.Contains(g.subgroups, c.Child) {
				continue
			}
			if s.Unlinked++; w.opt.Checks.Entered {
				w.violate(q.l, "outside", "group %v of %s was made visible in group %v, and is not", c.Child, p.l.name, c.Parent)
			}
		}
	}
}

func membershipIDs(c dpsp.AddToGroup) [2]wire.PlayerID { return [2]wire.PlayerID{c.Group, c.Player} }

func shortcutIDs(c dpsp.AddShortcut) [2]wire.PlayerID { return [2]wire.PlayerID{c.Parent, c.Child} }

// sortedByIDs returns the keys of a map in the order of their ids.
func sortedByIDs[K comparable, V any](m map[K]V, ids func(K) [2]wire.PlayerID) []K {
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		x, y := ids(a), ids(b)
		return slices.Compare(x[:], y[:])
	})
}

// owns reports whether a machine is in a session, and a group is its own.
func owns(all []*process, system, group wire.PlayerID) bool {
	return slices.ContainsFunc(all, func(q *process) bool {
		x := q.told.groups[group]
		return q.told.self == system && x != nil && x.local
	})
}

// judgeLiving looks for players of machines that are not in the session any more.
func (w *World) judgeLiving(h *process, all []*process) {
	for _, id := range slices.Sorted(maps.Keys(h.told.players)) {
		x := h.told.players[id]
		if slices.ContainsFunc(all, func(p *process) bool { return p.told.self == x.system }) {
			continue
		}
		w.res.Stats.Phantoms++
		if w.opt.Checks.Living && (w.opt.Checks.OneHost || w.res.Stats.Splits == 0) {
			w.violate(h.l, "phantom", "it has player %v, %s, of machine %v, which is not in the session", id, x.name, x.system)
		}
	}
}

// hostOf returns who is a member's host, nil for nobody. The halves of a session that fell apart may have given the same
// id: the one that knows the member is its host.
func hostOf(p *process, hosts []*process) (h *process) {
	for _, x := range hosts {
		if x.told.self == p.told.host && (h == nil || x.knows(p.told.self)) {
			h = x
		}
	}
	return h
}

// judgeMember holds a member's picture against that of its host.
func (w *World) judgeMember(p *process, hosts []*process) {
	h := hostOf(p, hosts)
	if h == nil {
		w.res.Stats.Forgotten++
		if !w.opt.Checks.Known {
			return // without pings nobody tells it that a new program has its host's address
		}
		w.violate(p.l, "orphan", "its host, %v, is no host of the session", p.told.host)
		return
	}
	if h != p && len(p.program.players) > 0 && !h.knows(p.told.self) {
		w.res.Stats.Forgotten++
		if w.opt.Checks.Known && (w.opt.Checks.OneHost || w.res.Stats.Splits == 0) {
			w.violate(p.l, "forgotten", "%s, its host, knows none of its players", h.l.name)
		}
		return
	}
	if a, b := h.told.table(), p.told.table(); !slices.Equal(a, b) {
		w.res.Stats.Unequal++
		if w.opt.Checks.Tables {
			w.violate(p.l, "tables", "its table is not that of %s: %s", h.l.name, difference(h.l.name, a, b))
		}
	} else if w.opt.Checks.Tables && w.extended(p.l) && w.extended(h.l) && p.version != h.version {
		w.violate(p.l, "tables", "its log is at %d, that of %s at %d", p.version, h.l.name, h.version)
	}
}

// knows reports whether a program was told of players of a machine.
func (p *process) knows(system wire.PlayerID) bool {
	for _, x := range p.told.players {
		if x.system == system {
			return true
		}
	}
	return false
}

// compare counts what a member should know of another one's own, by the lines of both.
func (w *World) compare(own, have []string) {
	for _, line := range own {
		w.res.Stats.Known++
		if _, ok := slices.BinarySearch(have, line); !ok {
			w.res.Stats.LostOperations++
		}
	}
}

// table returns all that a program was told of players and groups, one line each, sorted.
func (t *told) table() []string { return t.lines(func(*thing) bool { return true }) }

// own returns the lines for what is the program's own.
func (t *told) own() []string { return t.lines(func(x *thing) bool { return x.local }) }

func (t *told) lines(keep func(*thing) bool) []string {
	var all []string
	data := func(x *thing) string {
		if t.flags&wire.SessionNoDataMessages != 0 {
			return "" // it is nobody's business but the owner's
		}
		return fmt.Sprintf(" %x", x.data)
	}
	for _, id := range slices.Sorted(maps.Keys(t.players)) {
		if x := t.players[id]; keep(x) {
			all = append(all, fmt.Sprintf("player %v of %v: %q %q%s", id, x.system, x.name, x.long, data(x)))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.groups)) {
		x := t.groups[id]
		if keep(x) {
			all = append(all, fmt.Sprintf("group %v of %v: %q %q %x", id, x.system, x.name, x.long, x.data))
		}
		for _, m := range x.members {
			if p := t.players[m]; p != nil && keep(p) {
				all = append(all, fmt.Sprintf("player %v is in group %v", m, id))
			}
		}
		for _, m := range x.subgroups {
			if g := t.groups[m]; g != nil && keep(g) {
				all = append(all, fmt.Sprintf("group %v is visible in group %v", m, id))
			}
		}
	}
	slices.Sort(all)
	return all
}

// difference returns the first lines of two sorted tables that only one of them has: the one of another machine, and ours.
func difference(other string, host, member []string) string {
	var diff []string
	for _, l := range host {
		if _, ok := slices.BinarySearch(member, l); !ok {
			diff = append(diff, other+" alone has "+l)
		}
	}
	for _, l := range member {
		if _, ok := slices.BinarySearch(host, l); !ok {
			diff = append(diff, "it alone has "+l)
		}
	}
	if len(diff) > 3 {
		diff = append(diff[:3:3], fmt.Sprintf("and %d more", len(diff)-3))
	}
	return strings.Join(diff, "; ")
}
