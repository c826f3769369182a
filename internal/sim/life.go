package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// How long a run goes on after Options.Time, for what its programs say then: in three steps, after the last of which all arrives.
const (
	lifeStep = 5 * time.Second
	lifeTime = 6 * lifeStep
)

// The news of a program is what it did after everything had come right.
type news struct {
	asked int // commands
	list  []newThing
}

// A newThing is something that other members should come to know, and where to look for it.
type newThing struct {
	what  string
	knows func(t *told) bool
}

// life has each member of a session say something new, when everything has had its time, and looks whether those that have the
// same host come to know of it: a guaranteed message to all, a name, data, a group, a membership, a shortcut.
func (w *World) life() {
	began := w.now
	members := map[*process]uint32{}
	for _, l := range w.lanes {
		if p := l.proc; p != nil && p.told.in {
			members[p] = w.truth.entry[l.i]
		}
	}
	each := func(do func(g *program)) {
		for _, l := range w.lanes {
			if p := l.proc; p != nil && p.told.in && members[p] == w.truth.entry[l.i] {
				do(&p.program)
			}
		}
	}
	w.at(began, func() { each((*program).newPlayer) })
	w.at(began+lifeStep, func() { each((*program).newWords) })
	w.at(began+2*lifeStep, func() { each((*program).newGroups) })
	w.loop(began + lifeTime)
	for _, l := range w.lanes {
		if p := l.proc; p != nil && members[p] != 0 && members[p] != w.truth.entry[l.i] {
			delete(members, p)
		}
	}
	for _, s := range w.sessions() {
		all, hosts := w.members(s)
		for _, part := range w.truth.parts(all, hosts) {
			w.judgeLife(part, hosts, members, began)
		}
	}
	for i := range w.truth.flows {
		for j := range w.truth.flows[i] {
			w.truth.settle(&w.truth.flows[i][j], w.lanes[i], w.lanes[j], 0)
		}
	}
}

// order gives a command whose effect is to be seen by others.
func (n *news) order(g *program, c dpsp.Command) {
	n.asked++
	g.ask(c)
}

// newPlayer makes a player, if the program has none.
func (g *program) newPlayer() {
	g.news = news{list: []newThing{}}
	if len(g.players) == 0 {
		g.news.order(g, dpsp.CreatePlayer{ShortName: g.name("late")})
	}
}

// newWords says something to all, and changes what is the program's own.
func (g *program) newWords() {
	if len(g.players) == 0 {
		return
	}
	me := g.players[0]
	g.news.order(g, dpsp.Send{From: me, To: wire.IDAll, Guaranteed: true, Payload: g.tag(true)})
	g.news.order(g, dpsp.SetName{ID: me, ShortName: g.name("new"), LongName: "is new"})
	g.news.order(g, dpsp.SetData{ID: me, Data: fmt.Appendf(nil, "new of %s", g.p.l.name)})
	g.news.order(g, dpsp.CreateGroup{ShortName: g.name("newgroup")})
}

// newGroups puts a player into the newest group of the program, and that group into another one.
func (g *program) newGroups() {
	if len(g.players) == 0 || len(g.groups) == 0 {
		return
	}
	mine := g.groups[len(g.groups)-1]
	g.news.order(g, dpsp.AddToGroup{Player: g.players[0], Group: mine})
	for _, id := range slices.Sorted(maps.Keys(g.p.told.groups)) {
		if !g.p.told.groups[id].local {
			g.news.order(g, dpsp.AddShortcut{Child: mine, Parent: id})
			return
		}
	}
}

// done takes the answer to a command: what others should know now.
func (n *news) done(g *program, c dpsp.Command, ev dpsp.Done) {
	if n.list == nil || ev.Err != nil {
		return
	}
	note := func(what string, knows func(t *told) bool) {
		n.asked--
		n.list = append(n.list, newThing{what, knows})
	}
	switch c := c.(type) {
	case dpsp.CreatePlayer:
		note(fmt.Sprintf("player %v", ev.ID), func(t *told) bool { return t.players[ev.ID] != nil })
	case dpsp.SetName:
		note(fmt.Sprintf("the name %s of player %v", c.ShortName, c.ID), func(t *told) bool {
			x := t.players[c.ID]
			return x != nil && x.name == string(c.ShortName)
		})
	case dpsp.SetData:
		note(fmt.Sprintf("the data of player %v", c.ID), func(t *told) bool {
			x := t.players[c.ID]
			return x != nil && (x.data == string(c.Data) || t.flags&wire.SessionNoDataMessages != 0)
		})
	case dpsp.CreateGroup:
		note(fmt.Sprintf("group %v", ev.ID), func(t *told) bool { return t.groups[ev.ID] != nil })
	case dpsp.AddToGroup:
		note(fmt.Sprintf("player %v in group %v", c.Player, c.Group), func(t *told) bool {
			x := t.groups[c.Group]
			return x != nil && slices.Contains(x.members, c.Player)
		})
	case dpsp.AddShortcut:
		note(fmt.Sprintf("group %v in group %v", c.Child, c.Parent), func(t *told) bool {
			x := t.groups[c.Parent]
			return x != nil && slices.Contains(x.subgroups, c.Child)
		})
	case dpsp.Send:
		n.asked-- // its receivers are in flows
	}
}

// judgeLife looks whether the members of a part of a session that have the same host know what is new.
func (w *World) judgeLife(part, hosts []*process, members map[*process]uint32, began time.Duration) {
	s := &w.res.Stats
	unheard := func(q, p *process, what string) {
		if s.Unheard++; w.opt.Checks.Life {
			w.violate(q.l, "life", "it never hears of %s, which %s said after everything had come right", what, p.l.name)
		}
	}
	for _, p := range part {
		h := hostOf(p, hosts)
		if h == nil || members[p] == 0 {
			continue
		}
		if n := p.program.news.asked; n > 0 {
			if s.Unsaid += n; w.opt.Checks.Life {
				w.violate(p.l, "life", "%d of its commands failed, or were not answered, after everything had come right", n)
			}
		}
		for _, q := range part {
			if q == p || members[q] == 0 || hostOf(q, hosts) != h {
				continue
			}
			s.Said += len(p.program.news.list)
			for _, x := range p.program.news.list {
				if !x.knows(&q.told) {
					unheard(q, p, x.what)
				}
			}
			f := &w.truth.flows[q.l.i][p.l.i]
			f.waiting = slices.DeleteFunc(f.waiting, func(x sent) bool {
				late := x.at >= began
				if late && x.why != maybe {
					unheard(q, p, fmt.Sprintf("its guaranteed message %d to all", x.number))
				}
				return late
			})
		}
	}
}
