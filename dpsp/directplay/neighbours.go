package directplay

import (
	"context"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// Neighbours are the objects of one process. What one of them does in a session the others in it know when its method returns,
// as far as that does not take long. With Windows it looks so: Wine's tests, which were written there, ask one object at once
// for what another one did. The zero Neighbours are ready.
type Neighbours struct {
	mu  sync.Mutex
	all []*Object // that are in a session
}

// settling is how long a method waits at most for what others have to hear.
const settling = 250 * time.Millisecond

// A neighbour is another object in our session, and how many events it has to have heard to know what we do.
type neighbour struct {
	*Object
	self wire.PlayerID // its system player
	due  uint64
}

// in says that an object is in a session, or in none any more.
func (n *Neighbours) in(o *Object, is bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = slices.DeleteFunc(n.all, func(x *Object) bool { return x == o })
	if is {
		n.all = append(n.all, o)
	}
}

// witnesses returns the other objects in our session that hear of what we do. Clients hear little of each other.
func (o *Object) witnesses() []neighbour {
	o.mu.Lock()
	apart := o.opened.Desc.Flags&wire.SessionClientServer != 0
	o.mu.Unlock()
	if apart {
		return nil
	}
	all := o.neighbours()
	for i := range all {
		all[i].due++
	}
	return all
}

// neighbours returns the other objects in our session, as if they had to hear nothing.
func (o *Object) neighbours() []neighbour {
	n := o.opt.Neighbours
	o.mu.Lock()
	instance := o.opened.Desc.Instance
	o.mu.Unlock()
	n.mu.Lock()
	all := slices.DeleteFunc(slices.Clone(n.all), func(x *Object) bool { return x == o })
	n.mu.Unlock()
	var others []neighbour
	for _, x := range all {
		x.mu.Lock()
		if x.state == inside && x.opened.Desc.Instance == instance {
			others = append(others, neighbour{x, x.opened.System, x.heard})
		}
		x.mu.Unlock()
	}
	return others
}

// settle waits until each neighbour heard what it has to.
func settle(all []neighbour) {
	for _, n := range all {
		n.await(settling, func() bool { return n.heard >= n.due })
	}
}

// await waits until something holds of an object, which is locked while that is looked at, but not for ever.
func (o *Object) await(most time.Duration, holds func() bool) {
	ctx, cancel := context.WithTimeout(o.ctx, most)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.told.Broadcast()
	})
	defer stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for !holds() && ctx.Err() == nil && !o.deaf {
		o.told.Wait()
	}
}

// addressees returns those neighbours that a message to somebody is for, which hear of it once for each player that it is for.
// The object is locked.
func (o *Object) addressees(all []neighbour, to wire.PlayerID) []neighbour {
	copies := map[wire.PlayerID]uint64{}
	ids := []wire.PlayerID{to}
	if o.roster.get(to, true) != nil {
		ids = o.roster.AppendMembers(nil, to)
	} else if to == wire.IDAll {
		ids = o.roster.players()
	}
	for _, id := range ids {
		if system, there := o.roster.System(id); there {
			copies[system]++
		}
	}
	for i := range all {
		all[i].due += copies[all[i].self]
	}
	return slices.DeleteFunc(all, func(n neighbour) bool {
		return copies[n.self] == 0
	})
}

// left waits until the neighbours know that we left, and who is host if we were and the session goes on without us.
func left(all []neighbour, was dpsp.SessionOpened, goesOn bool) {
	for _, n := range all {
		n.await(settling, func() bool {
			_, ours := n.roster.System(was.System)
			return n.state != inside || !ours && (!goesOn || n.roster.host != was.System)
		})
	}
}
