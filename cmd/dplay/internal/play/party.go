package play

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A party is the group that our player is in: of those that have its name the one with the lowest id, so that all who make
// it at the same time meet in one. A group goes with the machine that made it, or because somebody deletes it. Then our
// player enters another one of that name, or makes one, and takes those along who were in the one that went: what is said
// next reaches them all, also those who have yet to hear where the others are. It stays in a group that it does not say
// anything to any more, for what others said there may be on its way.
type party struct {
	name   string                            // "": our player is to be in none
	id     wire.PlayerID                     // wire.IDAll: it is in none
	called map[wire.PlayerID][]wire.PlayerID // the groups of that name, and who is in each
	left   []wire.PlayerID                   // who was in the one that went
	making bool
	made   chan madeGroup // ends making
}

// A madeGroup is how it went to make a group.
type madeGroup struct {
	id  wire.PlayerID
	err error
}

func newParty(name string) party {
	return party{name: name, called: map[wire.PlayerID][]wire.PlayerID{}, made: make(chan madeGroup, 1)}
}

// missing reports whether our player is to be in a group, and is in none.
func (g *party) missing() bool { return g.name != "" && g.id == wire.IDAll }

// learn takes in an event.
func (g *party) learn(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.GroupCreated:
		g.isCalled(e.ID, e.ShortName)
	case dpsp.GroupChanged:
		g.isCalled(e.ID, e.ShortName)
	case dpsp.GroupDeleted:
		if e.ID == g.id {
			g.id, g.left = wire.IDAll, g.called[e.ID]
		}
		delete(g.called, e.ID)
	case dpsp.MemberAdded:
		if in, ok := g.called[e.Group]; ok {
			g.called[e.Group] = append(in, e.Player)
		}
	case dpsp.MemberRemoved:
		g.out(e.Group, e.Player)
	case dpsp.PlayerDeleted:
		for id := range g.called {
			g.out(id, e.ID)
		}
	}
}

// isCalled notes a group's name. The one that our player is in stays the one, whatever it is called.
func (g *party) isCalled(id wire.PlayerID, name string) {
	switch _, known := g.called[id]; {
	case name != g.name && id != g.id:
		delete(g.called, id)
	case !known:
		g.called[id] = nil
	}
}

// out notes that a player is not in a group.
func (g *party) out(group, player wire.PlayerID) {
	if in, ok := g.called[group]; ok {
		g.called[group] = slices.DeleteFunc(in, func(id wire.PlayerID) bool { return id == player })
	}
}

// next returns the group that our player is to go to, wire.IDAll for none.
func (g *party) next() wire.PlayerID {
	if len(g.called) == 0 {
		return wire.IDAll
	}
	id := slices.Min(slices.Collect(maps.Keys(g.called)))
	if id >= g.id && !g.missing() {
		return wire.IDAll
	}
	return id
}

// hold returns those of two channels that may be read now: what is to be said first, and what is typed, waits for the group.
// If that could not be made the user is told at the next line.
func (g *party) hold(first <-chan time.Time, lines <-chan string) (<-chan time.Time, <-chan string) {
	switch {
	case g.missing() && g.making:
		return nil, nil
	case g.missing():
		return nil, lines
	}
	return first, lines
}

// enterGroup puts our player into its group for the first time.
func (p *playing) enterGroup(ctx context.Context) (err error) {
	id := p.party.next()
	if id == wire.IDAll {
		if id, err = p.session.CreateGroup(ctx, cli.Typed(p.party.name), nil); err != nil {
			return err
		}
	}
	return p.enter(ctx, id)
}

// enter puts our player into a group, with those who were in the one that went, or are in the one that it had.
func (p *playing) enter(ctx context.Context, id wire.PlayerID) error {
	g := &p.party
	err := p.session.AddToGroup(ctx, p.player, id)
	if err != nil && !errors.Is(err, playerlist.ErrMember) {
		return err
	}
	with := g.along()
	for _, player := range with {
		p.session.AddToGroup(ctx, player, id) //nolint:errcheck // it is in it, or gone
	}
	g.moved(id, with)
	return nil
}

// along returns who is to come along to another group.
func (g *party) along() []wire.PlayerID { return slices.Concat(g.left, g.called[g.id]) }

// moved takes it that our player is in a group, with others. Events say the same, but perhaps behind that of one more group, to
// which the others have to come along again.
func (g *party) moved(id wire.PlayerID, with []wire.PlayerID) {
	g.id, g.left = id, nil
	g.called[id] = append(g.called[id], with...)
}

// regroup has our player in its group after an event.
func (p *playing) regroup(ctx context.Context, e dpsp.Event) {
	g := &p.party
	if g.name == "" {
		return
	}
	g.learn(e)
	switch e := e.(type) {
	case dpsp.PlayerCreated:
		if e.Local && !g.missing() { // perhaps it came back as another one
			p.tellGroup(p.enter(ctx, g.id))
		}
	case dpsp.GroupCreated, dpsp.GroupChanged, dpsp.GroupDeleted, dpsp.HostChanged,
		dpsp.SessionHealed: // what failed before may work now
		p.findGroup(ctx)
	}
}

// findGroup has our player go to the group that it is to be in. To make one takes the host, and there may be none now: that
// is waited for elsewhere.
func (p *playing) findGroup(ctx context.Context) {
	g := &p.party
	switch id := g.next(); {
	case p.player == 0: // it is still to come
	case id != wire.IDAll:
		p.tellGroup(p.enter(ctx, id))
	case g.missing() && !g.making:
		g.making = true
		go func(name dpsp.Text) {
			id, err := p.session.CreateGroup(ctx, name, nil)
			g.made <- madeGroup{id, err}
		}(cli.Typed(g.name))
	}
}

// groupMade takes in the end of making a group.
func (p *playing) groupMade(ctx context.Context, m madeGroup) {
	g := &p.party
	g.making = false
	if m.err == nil && (g.missing() || m.id < g.id) {
		m.err = p.enter(ctx, m.id)
	}
	p.tellGroup(m.err)
}

// tellGroup tells that our player is not in its group. What is not there any more, or not yet again, is told by an event,
// and that is looked at then.
func (p *playing) tellGroup(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, playerlist.ErrUnknown) || errors.Is(err, dpsp.ErrNoSession) {
		return
	}
	fmt.Fprintf(p.std.Err, "dplay: group %q: %s\n", p.party.name, err)
}

// unsaid tells at the end that a line waited for the group.
func (p *playing) unsaid(lines <-chan string) {
	if !p.party.missing() {
		return
	}
	select {
	case text := <-lines:
		if text != "" {
			fmt.Fprintf(p.std.Err, "dplay: not said: %s\n", p.noGroup())
		}
	default:
	}
}

// noGroup says why nothing can be said.
func (p *playing) noGroup() error { return fmt.Errorf("there is no group %q now", p.party.name) }
