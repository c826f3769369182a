package sim

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// playLater has the program do something with objects after a while, again and again. It draws from a stream of its
// own, so that runs with and without objects have the same programs otherwise.
func (g *program) playLater(p *process) {
	if g.w.opt.Objects == 0 {
		return
	}
	instance := p.told.instance
	g.w.after(10*time.Millisecond+about(p.l.toys, 2*g.w.opt.Think+5*time.Second), func() {
		if p.gone || !p.told.in || p.told.instance != instance || g.w.settled {
			return
		}
		if !p.l.frozen && !p.l.asleep && !g.leaving {
			g.play()
		}
		g.playLater(p)
	})
}

// play does one of the things that a game does with objects.
func (g *program) play() {
	r, t := g.p.l.toys, &g.p.told
	all := t.ids()
	var mine []wire.ObjectID
	made := 0
	for _, id := range all {
		if t.objects[id].owner == t.self {
			mine = append(mine, id)
		}
		if id.Creator == t.self {
			made++
		}
	}
	switch n := r.IntN(100); {
	case n < 25 || len(all) == 0:
		if made < g.w.opt.Objects && len(all) < 2*g.w.opt.Members { // those of machines that are gone stay
			g.ask(dpsp.CreateObject{State: g.state(5000)})
		}
	case n < 70:
		if len(mine) > 0 {
			g.ask(dpsp.UpdateObject{ID: oneOf(r, mine...), State: g.state(dpsp.MaxObjectUpdate)})
		}
	case n < 88:
		if len(t.players) > 0 {
			to := oneOf(r, slices.Sorted(maps.Keys(t.players))...)
			g.ask(dpsp.MigrateObject{ID: oneOf(r, all...), To: to})
		}
	case n < 95:
		if len(mine) > 0 {
			g.ask(dpsp.DestroyObject{ID: oneOf(r, mine...)})
		}
	default:
		if t.host == t.self {
			g.ask(dpsp.BalanceObjects{})
		}
	}
}

// state draws a state: mostly a small one, at times one of so many octets.
func (g *program) state(large int) []byte {
	r := g.p.l.toys
	n := 1 + r.IntN(30)
	if r.IntN(30) == 0 {
		n = large
	}
	b := make([]byte, n)
	copy(b, fmt.Sprintf("%d of %s", r.Uint32(), g.p.l.name))
	return b
}

// ids returns the objects that a program knows, in order.
func (t *told) ids() []wire.ObjectID {
	return slices.SortedFunc(maps.Keys(t.objects), func(a, b wire.ObjectID) int {
		return cmp.Or(cmp.Compare(a.Creator, b.Creator), cmp.Compare(a.Number, b.Number))
	})
}

// played takes in the answer to a command about objects.
func (g *program) played(c dpsp.Command, ev dpsp.Done) {
	w, l := g.w, g.p.l
	switch {
	case ev.Err != nil:
	case !w.extended(l):
		w.violate(l, "objects", "%T is done, and there are no objects without the extension", c)
	default:
		if text := g.p.told.did(c, ev.Object); text != "" {
			w.violate(l, "told", "%T: %s", c, text)
		}
		if _, ok := c.(dpsp.CreateObject); ok {
			w.res.Stats.Objects++
			w.moment(l, "object", "made the object %v", ev.Object)
		}
	}
}

// aboutObjects reports whether a command is about objects.
func aboutObjects(c dpsp.Command) bool {
	switch c.(type) {
	case dpsp.CreateObject, dpsp.UpdateObject, dpsp.MigrateObject, dpsp.DestroyObject, dpsp.BalanceObjects:
		return true
	}
	return false
}

// usualErrors are those of commands about objects that came too late, or are none of a program's business.
var usualErrors = []error{
	object.ErrPending, object.ErrNoHost, object.ErrNoPeer, object.ErrNotOwner, object.ErrUnknown, object.ErrDestroyed,
	dpsp.ErrNoID, dpsp.ErrNotHost, dpsp.ErrNoObjects,
}

// lateForObjects reports whether a command about objects failed because of what others did meanwhile.
func lateForObjects(err error) bool {
	for _, usual := range usualErrors {
		if errors.Is(err, usual) {
			return true
		}
	}
	return false
}

// checkObjects holds what a program was told of objects against what its engine has. On its way to another part of
// the session an engine has none, and does not tell: that is nil.
func (w *World) checkObjects(p *process, always bool) {
	if list := p.engine.Objects(); p.told.in && (list != nil || always) {
		if c := p.told.againstObjects(list); c != "" {
			w.violate(p.l, "told", "%s", c)
		}
	}
}

// judgeObjects holds the objects of a session's members against each other. Where the host knows of objects, each has
// an owner that is there; otherwise those of machines that are gone stay as everybody knew them last.
func (w *World) judgeObjects(all, hosts []*process) {
	there := map[wire.PlayerID]bool{}
	for _, p := range all {
		there[p.told.self] = true
	}
	first := map[*process]*process{} // of each host's members: the one that the others are held against
	for _, p := range all {
		h := hostOf(p, hosts)
		if h == nil || !w.extended(p.l) {
			continue
		}
		led := w.extended(h.l)
		if first[h] == nil {
			first[h] = p
			w.judgeOwners(p, there, led)
			continue
		}
		a, b := first[h].told.toys(there, led), p.told.toys(there, led)
		if slices.Equal(a, b) {
			continue
		}
		w.res.Stats.ObjectsUnequal++
		if w.opt.Checks.Objects {
			w.violate(p.l, "objects", "its objects are not those of %s: %s", first[h].l.name, difference(first[h].l.name, a, b))
		}
	}
}

// judgeOwners looks for objects whose owner is not in the session.
func (w *World) judgeOwners(p *process, there map[wire.PlayerID]bool, led bool) {
	for _, id := range p.told.ids() {
		if owner := p.told.objects[id].owner; led && !there[owner] && w.opt.Checks.Objects {
			w.violate(p.l, "objects", "object %v belongs to %v, who is not in the session", id, owner)
		}
	}
}

// toys returns a line for each object that a program knows, sorted; without those of machines that are gone unless the
// host knows of objects.
func (t *told) toys(there map[wire.PlayerID]bool, led bool) []string {
	var all []string
	for id, o := range t.objects {
		if led || there[o.owner] {
			all = append(all, fmt.Sprintf("object %v of %v, counter %d: %x", id, o.owner, o.counter, o.state))
		}
	}
	slices.Sort(all)
	return all
}
