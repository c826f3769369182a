package sim

import (
	"fmt"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// Game is the application that all programs play.
var Game = wire.GUID{'s', 'i', 'm'}

// A program is what a player and the game would do.
type program struct {
	w        *World
	p        *process
	token    uint64
	pending  []pending
	found    []dpsp.SessionFound
	looking  bool
	held     bool          // it takes nothing that it finds: the lobby says when
	patience time.Duration // until then it looks for a session, before it opens one
	leaving  bool
	players  []wire.PlayerID                    // ours
	groups   []wire.PlayerID                    // ours
	made     int                                // names given
	entered  map[dpsp.AddToGroup]wire.PlayerID  // ours that entered groups, by their own will alone; and the groups' machines
	shown    map[dpsp.AddShortcut]wire.PlayerID // groups of ours that are visible in groups; and the machines of those
	news     news
	want     int // players that we are to make at first
}

// A pending command waits for its Done.
type pending struct {
	token   uint64
	what    string
	command dpsp.Command
}

// maxPending bounds what a program asks at once.
const maxPending = 64

func (g *program) start(p *process, first bool) {
	*g = program{w: p.l.w, p: p, entered: map[dpsp.AddToGroup]wire.PlayerID{},
		shown: map[dpsp.AddShortcut]wire.PlayerID{}}
	if first {
		g.open()
		return
	}
	g.look()
}

// phase names what the program is in, for a span.
func (g *program) phase() string {
	switch t := &g.p.told; {
	case !t.in:
		return "up"
	case t.host == t.self:
		return "host"
	}
	return "member"
}

// ask has the engine do something, once it is done with what it does now.
func (g *program) ask(c dpsp.Command) {
	if len(g.pending) >= maxPending {
		return
	}
	g.token++
	in := dpsp.Input{Kind: dpsp.Request, Command: c, Token: g.token}
	g.pending = append(g.pending, pending{g.token, fmt.Sprintf("%T", c)[len("dpsp."):], c})
	g.w.after(0, func() { g.w.input(g.p, in) })
}

// asked returns the command with a token.
func (g *program) asked(token uint64) pending {
	for _, x := range g.pending {
		if x.token == token {
			return x
		}
	}
	return pending{what: "a command of the engine's own"}
}

// open opens a session of our own.
func (g *program) open() {
	g.looking = false
	g.p.told.joining = true
	g.ask(dpsp.Host{Application: Game, Name: dpsp.Text(fmt.Sprintf("game%d", g.p.run)), Flags: g.w.opt.Flags})
}

// look begins to look for a session.
func (g *program) look() {
	g.looking, g.found, g.leaving = true, nil, false
	g.patience = g.w.now + between(g.p.l.rng, 20*time.Second, 90*time.Second)
	g.lookAgain()
}

// lookAgain asks once more, or takes what was found.
func (g *program) lookAgain() {
	w := g.w
	if !g.looking || g.p.gone || w.settled {
		return
	}
	if len(g.found) > 0 && !g.held {
		f := oneOf(g.p.l.rng, g.found...)
		g.looking, g.p.told.joining = false, true
		g.ask(dpsp.Join{Host: f.Host, From: f.From, Desc: f.Desc, Name: f.Name})
		return
	}
	if w.now >= g.patience && !g.p.l.asleep && !g.p.l.frozen {
		g.open()
		return
	}
	if !g.p.l.frozen && !g.p.l.asleep {
		g.ask(dpsp.Enumerate{Application: Game, Flags: wire.EnumAll})
	}
	w.after(between(g.p.l.rng, 500*time.Millisecond, 2*time.Second), g.lookAgain)
}

// hear reacts to an event.
func (g *program) hear(ev dpsp.Event) {
	switch ev := ev.(type) {
	case dpsp.SessionFound:
		if g.looking && !slices.ContainsFunc(g.found, func(f dpsp.SessionFound) bool { return f.Host == ev.Host }) {
			g.found = append(g.found, ev)
		}
	case dpsp.SessionOpened:
		g.players, g.groups, g.want = nil, nil, 1+g.p.l.rng.IntN(3)
		g.thinkLater(g.p)
		g.playLater(g.p)
	case dpsp.SessionLost, dpsp.SessionClosed:
		g.over()
	case dpsp.PlayerCreated:
		if ev.Local {
			g.players = append(g.players, ev.ID)
		}
	case dpsp.PlayerDeleted:
		g.players = without(g.players, ev.ID)
	case dpsp.GroupCreated:
		if ev.Local {
			g.groups = append(g.groups, ev.ID)
		}
	case dpsp.GroupDeleted:
		g.groups = without(g.groups, ev.ID)
	case dpsp.Done:
		g.done(ev)
	}
}

// done takes the answer to a command.
func (g *program) done(ev dpsp.Done) {
	i := slices.IndexFunc(g.pending, func(x pending) bool { return x.token == ev.Token })
	if i < 0 {
		g.w.violate(g.p.l, "done", "token %d is answered, and was not asked or was answered before", ev.Token)
		return
	}
	what, c := g.pending[i].what, g.pending[i].command
	g.pending = slices.Delete(g.pending, i, i+1)
	s := &g.w.res.Stats
	switch {
	case what == "Join" || what == "Host":
		if ev.Err != nil {
			s.JoinsFailed++
			g.p.told.reset()
			g.w.after(between(g.p.l.rng, time.Second, 10*time.Second), func() {
				if !g.p.gone && !g.p.told.in && !g.p.told.joining {
					g.look()
				}
			})
		}
	case aboutObjects(c):
		g.played(c, ev)
	case what != "Enumerate" && what != "Leave":
		if s.Operations++; ev.Err != nil {
			s.Failed++
		}
		g.entersOrLeaves(c, ev.Err == nil)
		g.news.done(g, c, ev)
		if c, ok := c.(dpsp.Send); ok && c.Guaranteed && ev.Err == nil {
			g.w.truth.sent(g.p, c)
		}
	}
}

// entersOrLeaves notes whether a player of ours is in a group, and a group of ours visible in another one.
func (g *program) entersOrLeaves(c dpsp.Command, done bool) {
	switch c := c.(type) {
	case dpsp.AddToGroup:
		if x := g.p.told.groups[c.Group]; done && x != nil {
			g.entered[c] = x.system
		}
	case dpsp.RemoveFromGroup:
		delete(g.entered, dpsp.AddToGroup(c))
	case dpsp.AddShortcut:
		if x := g.p.told.groups[c.Parent]; done && x != nil {
			g.shown[c] = x.system
		}
	case dpsp.RemoveShortcut:
		delete(g.shown, dpsp.AddShortcut(c))
	}
}

// over ends what was the session: this program, and another one begins later, or the same one looks again.
func (g *program) over() {
	w, p, l := g.w, g.p, g.p.l
	g.players, g.groups = nil, nil
	clear(g.entered)
	clear(g.shown)
	pause := between(l.rng, time.Second, 20*time.Second)
	if g.leaving {
		pause = between(l.rng, 5*time.Second, 3*time.Minute)
	}
	g.leaving = false
	if w.opt.Reuse {
		w.after(pause, func() {
			if !p.gone && !p.told.in && !p.told.joining && !w.settled {
				g.look()
			}
		})
		return
	}
	w.after(0, func() {
		if l.proc == p {
			w.end(l, exit)
		}
	})
	w.after(pause, func() { w.boot(l) })
}

// thinkLater has the program do something after a while.
func (g *program) thinkLater(p *process) {
	instance := p.told.instance
	g.w.after(10*time.Millisecond+about(p.l.rng, g.w.opt.Think), func() {
		if p.gone || !p.told.in || p.told.instance != instance || g.w.settled {
			return
		}
		if !p.l.frozen && !p.l.asleep && !g.leaving {
			g.think()
		}
		g.thinkLater(p)
	})
}

func (g *program) name(kind string) dpsp.Text {
	g.made++
	return dpsp.Text(fmt.Sprintf("%s%s%d.%d", kind, g.p.l.name, g.p.run, g.made))
}

// rollCall has every program speak to all, so that connections to those who are gone break.
func (w *World) rollCall() {
	for i := range 3 {
		w.after(time.Duration(i)*w.opt.Retransmit, func() {
			for _, l := range w.lanes {
				if l.proc == nil || !l.proc.told.in {
					continue
				}
				if g := &l.proc.program; len(g.players) > 0 {
					g.send(g.players[0], wire.IDAll, true)
				}
			}
		})
	}
}
