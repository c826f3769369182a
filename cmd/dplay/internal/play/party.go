package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
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
	name   string          // "": our player is to be in none
	id     wire.PlayerID   // wire.IDAll: it is in none
	with   []wire.PlayerID // who is in it, or was in the one that went
	called []wire.PlayerID // the groups of that name
	roster *events.Roster  // is told each event before learn
	making bool
	made   chan madeGroup // ends making
}

// A madeGroup is how it went to make a group.
type madeGroup struct {
	id  wire.PlayerID
	err error
}

func newParty(name string, roster *events.Roster) party {
	return party{name: name, roster: roster, made: make(chan madeGroup, 1)}
}

// missing reports whether our player is to be in a group, and is in none.
func (g *party) missing() bool { return g.name != "" && g.id == wire.IDAll }

// learn updates who is in the group after an event. The group that our player is in stays the one, whatever it is called.
func (g *party) learn(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.GroupCreated:
		g.isCalled(e.ID, e.ShortName == g.name)
	case dpsp.GroupChanged:
		g.isCalled(e.ID, e.ShortName == g.name)
	case dpsp.GroupDeleted:
		g.isCalled(e.ID, false)
		if e.ID == g.id {
			g.id = wire.IDAll
		}
	case dpsp.MemberAdded:
		if e.Group == g.id {
			g.with = append(g.with, e.Player)
		}
	case dpsp.MemberRemoved:
		if e.Group == g.id {
			g.out(e.Player)
		}
	case dpsp.PlayerDeleted:
		g.out(e.ID)
	}
}

// isCalled stores whether a group has the name: a look at all groups after each event takes long in a session of many.
func (g *party) isCalled(id wire.PlayerID, so bool) {
	g.called = slices.DeleteFunc(g.called, func(other wire.PlayerID) bool { return other == id })
	if so {
		g.called = append(g.called, id)
	}
}

// out removes a player from those in the group.
func (g *party) out(player wire.PlayerID) {
	g.with = slices.DeleteFunc(g.with, func(id wire.PlayerID) bool { return id == player })
}

// next returns the group that our player is to go to, wire.IDAll for none.
func (g *party) next() wire.PlayerID {
	if len(g.called) == 0 || !g.missing() && slices.Min(g.called) >= g.id {
		return wire.IDAll
	}
	return slices.Min(g.called)
}

// hold returns those of two channels that may be read now: what is to be said first, and what is typed, waits for the group.
// If that could not be made the user is told at the next line.
func (g *party) hold(first <-chan time.Time, lines <-chan string) (<-chan time.Time, <-chan string) {
	if g.missing() {
		first = nil
		if g.making {
			lines = nil
		}
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
	for _, player := range g.with {
		p.session.AddToGroup(ctx, player, id) //nolint:errcheck // it is in it, or gone
	}
	g.moved(id)
	return nil
}

// moved stores that our player is in a group, with those who came along. Events say the same, but perhaps behind that of one more
// group, to which the others have to come along again.
func (g *party) moved(id wire.PlayerID) {
	g.id, g.with = id, append(g.roster.Members(id), g.with...)
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
	silent := []error{nil, context.Canceled, playerlist.ErrUnknown, dpsp.ErrNoSession}
	if slices.ContainsFunc(silent, func(e error) bool { return errors.Is(err, e) }) {
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
