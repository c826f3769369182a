package sim

import (
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// The truth is what nobody in the world knows: all programs at once.
type truth struct {
	w       *World
	waiting []wait // for a new host
	split   []split
	met     acquainted
	dropped map[*lane]Excuse // why a machine that others lost may be lost
	guaranteed
}

// An owned is an id in a session.
type owned struct {
	instance wire.GUID
	id       wire.PlayerID
}

// A wait is a program without a host: its host is gone, or it lost it.
type wait struct {
	p     *process
	since time.Duration
	gone  time.Duration // when the host was gone, never for one that it lost
}

// never is no time of a world.
const never = -1

// A split is a session with several hosts.
type split struct {
	instance wire.GUID
	since    time.Duration
}

// hosts counts the hosts of a session.
func (t *truth) hosts(instance wire.GUID) (n int) {
	for _, l := range t.w.lanes {
		if p := l.proc; p != nil && p.told.in && p.told.instance == instance && p.told.host == p.told.self {
			n++
		}
	}
	return n
}

// recount notes where sessions have fallen apart or come together.
func (t *truth) recount(instance wire.GUID) {
	n, w := t.hosts(instance), t.w
	for i, s := range t.split {
		if s.instance != instance {
			continue
		}
		if n < 2 {
			w.res.Stats.SplitTime += w.now - s.since
			t.split = append(t.split[:i:i], t.split[i+1:]...)
			w.moment(nil, "healed", "the session has %d host(s) again", n)
		}
		return
	}
	if n >= 2 {
		t.split = append(t.split, split{instance, w.now})
		w.res.Stats.Splits++
		w.moment(nil, "split", "the session has %d hosts", n)
		if w.opt.Checks.Whole {
			w.violate(nil, "split", "the session has %d hosts", n)
		}
	}
}

// own notes that a program holds an id now. The id of a machine that was taken for lost may be given again; it gives
// way when it comes back. That of a member in good standing may not.
func (t *truth) own(p *process, id wire.PlayerID) {
	key := owned{p.told.instance, id}
	if q := t.w.owners[key]; q != nil && q != p && !q.gone && q.told.in && q.told.instance == key.instance {
		t.w.res.Stats.DoubleIDs++
		if t.w.opt.Checks.IDs && t.standing(p, q, id) {
			t.w.violate(p.l, "ids", "%v is held by %s as well, and their host knows that", id, q.l.name)
		}
	}
	t.w.owners[key] = p
}

// standing reports whether two programs have the same host, and it knows that the id is q's.
func (t *truth) standing(p, q *process, id wire.PlayerID) bool {
	if p.told.host != q.told.host {
		return false
	}
	for _, l := range t.w.lanes {
		h := l.proc
		if h == nil || !h.told.in || h.told.instance != p.told.instance || h.told.self != p.told.host || h.told.host != h.told.self {
			continue
		}
		if x := h.told.players[id]; h == q || x != nil && x.system == q.told.self || x == nil && h.knows(q.told.self) &&
			id == q.told.self {
			return true
		}
	}
	return false
}

func (t *truth) disown(p *process, instance wire.GUID, id wire.PlayerID) {
	if key := (owned{instance, id}); t.w.owners[key] == p {
		delete(t.w.owners, key)
	}
}

// left notes that a program is out of its session, for whatever reason. What it was told is as it was before.
func (t *truth) left(p *process) {
	if !p.told.in {
		return
	}
	was := p.told.instance
	hosted := p.told.host == p.told.self
	for id, x := range p.told.players {
		if x.local {
			t.disown(p, was, id)
		}
	}
	t.disown(p, was, p.told.self)
	t.stopWaiting(p)
	t.leaves(p)
	delete(t.dropped, p.l)
	t.met.forget(p)
	self := p.told.self
	p.told.reset()
	if hosted {
		t.w.res.Stats.HostsLost++
		for _, l := range t.w.lanes {
			if q := l.proc; q != nil && q != p && q.told.in && q.told.instance == was && q.told.host == self {
				if x := t.startWaiting(q); x.gone == never {
					x.gone = t.w.now
				}
			}
		}
	}
	t.recount(was)
}

// startWaiting notes that a program is without a host, if it was not before.
func (t *truth) startWaiting(p *process) *wait {
	i := slices.IndexFunc(t.waiting, func(x wait) bool { return x.p == p })
	if i < 0 {
		i = len(t.waiting)
		t.waiting = append(t.waiting, wait{p, t.w.now, never})
	}
	return &t.waiting[i]
}

// stopWaiting ends a program's time without a host, if it was without one.
func (t *truth) stopWaiting(p *process) (wait, bool) {
	for i, x := range t.waiting {
		if x.p == p {
			t.waiting = append(t.waiting[:i:i], t.waiting[i+1:]...)
			t.w.res.Stats.NoHost = append(t.w.res.Stats.NoHost, t.w.now-x.since)
			return x, true
		}
	}
	return wait{}, false
}

// hasHost notes that a program has a host again.
func (t *truth) hasHost(p *process) {
	if x, ok := t.stopWaiting(p); ok && x.gone != never {
		t.w.res.Stats.NewHost = append(t.w.res.Stats.NewHost, t.w.now-x.gone)
	}
}

// exists reports whether some program has a player of its own with the id, by whatever name: a new name may have got
// lost where a connection broke.
func (t *truth) exists(p *process, id wire.PlayerID) bool {
	for _, l := range t.w.lanes {
		if q := l.proc; q != nil && q.told.in && q.told.instance == p.told.instance {
			if x := q.told.players[id]; x != nil && x.local {
				return true
			}
		}
	}
	return false
}

// before takes in what a program is about to be told.
func (t *truth) before(p *process, ev dpsp.Event) {
	switch ev := ev.(type) {
	case dpsp.SessionLost, dpsp.SessionClosed:
		if !p.told.in {
			return
		}
		if _, lost := ev.(dpsp.SessionLost); lost {
			t.out(p, t.excuse(p))
		}
		t.left(p)
		p.told.joining = true // the event itself still comes in a session, as far as told knows
	case dpsp.SessionHealed:
		if ev.System != p.told.self {
			t.disown(p, p.told.instance, p.told.self)
		}
	case dpsp.PeerLost:
		t.parted(p, ev.System)
	case dpsp.ConnectionRenewed:
		if ev.Lost {
			t.reported(p, ev.System)
		}
	case dpsp.PlayerDeleted:
		t.disown(p, p.told.instance, ev.ID)
	}
}

// after takes in what a program was told.
func (t *truth) after(p *process, ev dpsp.Event) {
	switch ev := ev.(type) {
	case dpsp.SessionOpened:
		t.own(p, ev.System)
		t.entered(p)
		t.recount(ev.Desc.Instance)
	case dpsp.PeerJoined:
		t.meet(p, ev.System)
		if q := t.peer(p, ev.System); q != nil && t.flows != nil { // it was lost, and nobody keeps what was on its way in fragments
			t.blame(q.l, p.l, Parted, func(s *sent) bool { return s.large })
		}
	case dpsp.SessionHealed:
		t.own(p, ev.System)
		t.moved(p)
		t.hasHost(p)
	case dpsp.PlayerCreated:
		if ev.Local && p.told.in {
			t.own(p, ev.System) // it may be another one: a machine that came back like a stranger gets a new id
			t.own(p, ev.ID)
		}
		// A machine that was cut off brings its players back. One that its owner gave up stays away.
		if p.told.risen && t.w.opt.Checks.Final && !t.exists(p, ev.ID) {
			t.w.violate(p.l, "told", "%v, %s, was deleted before, and nobody has it: the table went back", ev.ID, ev.ShortName)
		}
		p.told.risen = false
	case dpsp.PlayerDeleted:
		t.deleted(p, ev.ID)
	case dpsp.GroupDeleted:
		t.deleted(p, ev.ID)
	case dpsp.MemberRemoved:
		if x := p.told.players[ev.Player]; x != nil && x.local {
			t.deleted(p, ev.Player)
		}
	case dpsp.Message:
		t.arrived(p, ev)
	case dpsp.HostLost:
		if p.told.in {
			t.startWaiting(p)
		}
	case dpsp.HostChanged:
		t.hasHost(p)
		t.recount(p.told.instance)
	}
}
