package sim

import (
	"maps"
	"slices"

	"dplay4/dpsp"
	"dplay4/wire"
)

// think does one of the things that a game does.
func (g *program) think() {
	r := g.p.l.rng
	if g.want > 0 || len(g.players) == 0 {
		g.want--
		g.ask(dpsp.CreatePlayer{ShortName: g.name("p"), LongName: dpsp.Text("of " + g.p.l.name), Data: []byte{byte(r.Uint32())}})
		return
	}
	me := oneOf(r, g.players...)
	switch n := r.IntN(100); {
	case n < 40:
		g.send(me, wire.IDAll, r.IntN(2) == 0)
	case n < 55:
		g.send(me, g.somebody(), r.IntN(2) == 0)
	case n < 60:
		g.ask(dpsp.Chat{From: me, To: wire.IDAll, Guaranteed: true, Text: "hello"})
	case n < 68:
		g.ask(dpsp.SetName{ID: me, ShortName: g.name("n"), LongName: "renamed"})
	case n < 73:
		g.ask(dpsp.SetData{ID: me, Data: make([]byte, r.IntN(60))})
	case n < 76:
		if len(g.players) < 4 {
			g.ask(dpsp.CreatePlayer{ShortName: g.name("p")})
		}
	case n < 78:
		if len(g.players) > 1 {
			g.ask(dpsp.DeletePlayer{ID: me})
		}
	case n < 96:
		g.thinkOfGroups(me, n)
	case n < 98:
		if t := &g.p.told; t.host == t.self {
			g.ask(dpsp.SetDesc{Name: "renamed", Flags: g.w.opt.Flags, User: [4]uint32{r.Uint32()}})
		}
	default:
		if g.w.opt.has(Churn) && !g.w.quiet {
			g.leaving = true
			g.ask(dpsp.Leave{})
		}
	}
}

// thinkOfGroups does something with groups. Each player comes and goes by its own program's will alone: what two
// machines do to one membership at a time has no defined end in DirectPlay 4.
func (g *program) thinkOfGroups(me wire.PlayerID, n int) {
	r := g.p.l.rng
	all := slices.Sorted(maps.Keys(g.p.told.groups))
	if n < 80 || len(all) == 0 {
		if len(g.groups) < 3 {
			c := dpsp.CreateGroup{ShortName: g.name("g"), Data: []byte{byte(r.Uint32())}}
			if len(all) > 0 && r.IntN(4) == 0 {
				c.Parent = oneOf(r, all...) // whosever it is
			}
			g.ask(c)
		}
		return
	}
	group := oneOf(r, all...)
	in := slices.Contains(g.p.told.groups[group].members, me)
	switch {
	case n < 87 && !in:
		g.ask(dpsp.AddToGroup{Player: me, Group: group})
	case n < 90 && in:
		g.ask(dpsp.RemoveFromGroup{Player: me, Group: group})
	case n == 93 && len(g.groups) > 0:
		g.thinkOfShortcuts(oneOf(r, g.groups...), group)
	case n < 94:
		g.send(me, group, r.IntN(2) == 0)
	case n == 94:
		g.ask(dpsp.DeleteGroup{ID: group}) // whosever it is, with what is in it
	case len(g.groups) > 0:
		g.ask(dpsp.SetName{ID: oneOf(r, g.groups...), ShortName: g.name("r")})
	}
}

// thinkOfShortcuts makes a group of ours visible in another one, whosever that is, or no longer visible there.
func (g *program) thinkOfShortcuts(child, parent wire.PlayerID) {
	switch x := g.p.told.groups[parent]; {
	case child == parent:
	case slices.Contains(x.subgroups, child):
		g.ask(dpsp.RemoveShortcut{Child: child, Parent: parent})
	default:
		g.ask(dpsp.AddShortcut{Child: child, Parent: parent})
	}
}

// somebody returns a player that is not ours, or everybody if there is none.
func (g *program) somebody() wire.PlayerID {
	var others []wire.PlayerID
	for id, p := range g.p.told.players {
		if !p.local {
			others = append(others, id)
		}
	}
	if len(others) == 0 {
		return wire.IDAll
	}
	slices.Sort(others)
	return oneOf(g.p.l.rng, others...)
}

// send sends a message with a tag.
func (g *program) send(from, to wire.PlayerID, guaranteed bool) {
	w := g.w
	w.res.Stats.Sends++
	b := append(g.tag(guaranteed), make([]byte, g.p.l.rng.IntN(40))...)
	if g.p.l.rng.IntN(20) == 0 {
		b = append(b, make([]byte, 2000)...)
	}
	g.ask(dpsp.Send{From: from, To: to, Guaranteed: guaranteed, Payload: b})
}
