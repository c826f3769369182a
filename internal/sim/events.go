package sim

import (
	"errors"
	"slices"
	"strings"

	"dplay4/dpsp"
	"dplay4/wire"
)

// events takes in what an engine tells its program: the checks first, then the program.
func (w *World) events(p *process, list []dpsp.Event) {
	if len(list) == 0 {
		return
	}
	listed, objects := false, false
	for _, ev := range list {
		w.truth.before(p, ev)
		if c := p.told.hear(ev); c != "" {
			w.violate(p.l, "told", "%T: %s", ev, c)
		}
		w.truth.after(p, ev)
		w.tell(p, ev)
		p.program.hear(ev)
		w.noticed(p, ev)
		switch ev.(type) {
		case dpsp.Message, dpsp.ChatMessage, dpsp.Dropped, dpsp.SessionFound:
		case dpsp.Done, dpsp.ObjectCreated, dpsp.ObjectUpdated, dpsp.ObjectMigrated, dpsp.ObjectDestroyed:
			objects = true
		default:
			listed = true
		}
	}
	if p.told.joining {
		return
	}
	if objects && w.opt.Objects > 0 {
		w.checkObjects(p, false)
	}
	if listed {
		w.checkList(p)
	}
}

// checkList holds what a program was told of players and groups against its engine's list.
func (w *World) checkList(p *process) {
	if err := p.engine.Compare(&p.told.list); err != nil {
		w.violate(p.l, "told", "%v", err)
	}
	if n := p.told.list.Count(); n > w.opt.Bounds.List {
		w.violate(p.l, "bounds", "a list of %d players", n)
	}
}

// checkVersion checks that a log never goes back. Its index is 0 while the program has no view. A program that another part lets in like
// a stranger begins anew.
func (w *World) checkVersion(p *process, v uint32) {
	if p.told.in && v != 0 && v < p.version {
		w.violate(p.l, "table", "the log went back from %d to %d", p.version, v)
	}
	p.version = v
}

// tell puts an event on the timeline, and into the statistics.
func (w *World) tell(p *process, ev dpsp.Event) {
	l, s := p.l, &w.res.Stats
	switch ev := ev.(type) {
	case dpsp.SessionOpened:
		p.enlisted = ev.Hosting
		if ev.Hosting {
			w.moment(l, "host", "opens the session %q as %v", ev.Name, ev.System)
		} else {
			s.Joins++
			w.moment(l, "joined", "joined as %v; the host is %s", ev.System, w.nameOf(ev.Desc.Instance, ev.Host))
		}
		l.span(p.program.phase())
	case dpsp.SessionLost:
		s.SessionsLost++
		p.enlisted = false
		w.moment(l, "lost", "lost the session: %s", ev.Reason)
		if w.opt.Checks.Whole {
			w.violate(l, "lost", "it lost the session: %s", ev.Reason)
		}
		if w.opt.Checks.Migration && strings.Contains(ev.Reason, "the host is gone") {
			w.violate(l, "migration", "the session has MIGRATEHOST and was lost with its host")
		}
		l.span("up")
	case dpsp.SessionClosed:
		p.enlisted = false
		w.moment(l, "left", "left")
		l.span("up")
	case dpsp.HostChanged:
		p.enlisted = ev.New == p.told.self
		w.moment(l, "host", "the host is %s now; it was %v", w.nameOf(p.told.instance, ev.New), ev.Old)
		l.span(p.program.phase())
	case dpsp.PeerLost:
		s.PeersLost++
		w.moment(l, "peer", "%s is lost: %s", w.nameOf(p.told.instance, ev.System), ev.Reason)
	case dpsp.PlayerCreated:
		if ev.Local {
			w.moment(l, "player", "made the player %s, %v", ev.ShortName, ev.ID)
		}
	case dpsp.Done:
		if c := p.program.asked(ev.Token); ev.Err != nil && !errors.Is(ev.Err, dpsp.ErrLeft) &&
			!(aboutObjects(c.command) && lateForObjects(ev.Err)) {
			w.moment(l, "failed", "%s: %v", c.what, ev.Err)
		}
	case dpsp.Dropped:
		s.Dropped++
		if w.opt.Trace {
			w.moment(l, "dropped", "%s from %v: %s", ev.Command, ev.From, ev.Text)
		}
	case dpsp.ObjectCreated, dpsp.ObjectUpdated, dpsp.ObjectMigrated, dpsp.ObjectDestroyed:
		w.tellObject(p, ev)
	default:
		if e, ok := w.electionOf(p, ev); ok {
			w.moment(l, e.kind, "%s", e.text)
			switch e.kind {
			case "election":
				s.Elections++
			case "healed":
				p.version = 0
			}
		}
	}
}

// tellObject puts an event about an object on the timeline: that it has a new owner, at that one alone.
func (w *World) tellObject(p *process, ev dpsp.Event) {
	m, ok := ev.(dpsp.ObjectMigrated)
	switch {
	case ok && m.To == p.told.self && m.From != m.To:
		w.res.Stats.ObjectsMoved++
		w.moment(p.l, "object", "has the object %v now; it was that of %s", m.ID, w.nameOf(p.told.instance, m.From))
	case w.opt.Trace:
		w.moment(p.l, "object", "is told %T %+v", ev, ev)
	}
}

// nameOf returns the name of the machine with a system player in a session, and the id; of one that is gone the id alone.
func (w *World) nameOf(instance wire.GUID, system wire.PlayerID) string {
	i := slices.IndexFunc(w.lanes, func(l *lane) bool {
		return l.proc != nil && l.proc.told.in && l.proc.told.instance == instance && l.proc.told.self == system
	})
	if i < 0 {
		return system.String()
	}
	return w.lanes[i].name + " (" + system.String() + ")"
}
