package play

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/wire"
)

// TestParty checks which group a player goes to, and who comes along, whatever happens.
func TestParty(t *testing.T) {
	r := events.NewRoster()
	g := newParty("Team", r)
	learn := func(e dpsp.Event) {
		r.Learn(e)
		g.learn(e)
	}
	assert.True(t, g.missing())
	assert.Equal(t, wire.IDAll, g.next(), "there is none")
	for id := wire.PlayerID(1); id < 10; id++ {
		learn(dpsp.PlayerCreated{ID: id, System: id + 0x100})
	}
	group := func(id wire.PlayerID, name string) dpsp.GroupCreated {
		return dpsp.GroupCreated{ID: id, ShortName: name, System: 0x101}
	}
	all := []dpsp.Event{
		group(0x30, "Team"), group(0x10, "Other"),
		dpsp.MemberAdded{Player: 6, Group: 0x30}, dpsp.MemberAdded{Player: 2, Group: 0x30}, dpsp.MemberAdded{Player: 9, Group: 0x10},
		dpsp.MemberAdded{Player: 3, Group: 0x30}, dpsp.MemberRemoved{Player: 2, Group: 0x30}, dpsp.MemberAdded{Player: 4, Group: 0x30},
		group(0x40, "Team"),
	}
	for _, e := range all {
		learn(e)
	}
	assert.EqualValues(t, 0x30, g.next(), "the lowest id, not another group")
	g.moved(0x30)
	learn(dpsp.MemberAdded{Player: 5, Group: 0x30})
	learn(dpsp.MemberRemoved{Player: 5, Group: 0x30})
	learn(dpsp.PlayerDeleted{ID: 3})
	assert.False(t, g.missing())
	assert.Equal(t, wire.IDAll, g.next(), "it stays")
	learn(group(0x20, "Team"))
	assert.EqualValues(t, 0x20, g.next(), "another machine made it at the same time")
	learn(dpsp.GroupChanged{ID: 0x20, ShortName: "Band", Renamed: true})
	assert.Equal(t, wire.IDAll, g.next())
	learn(dpsp.GroupChanged{ID: 0x30, ShortName: "Crew", Renamed: true})
	learn(dpsp.GroupDeleted{ID: 0x10})
	assert.False(t, g.missing(), "it was renamed, and another one deleted")
	learn(dpsp.GroupDeleted{ID: 0x30})
	assert.True(t, g.missing())
	assert.Equal(t, []wire.PlayerID{6, 4}, g.with)
	assert.EqualValues(t, 0x40, g.next())
	learn(dpsp.GroupDeleted{ID: 0x40})
	assert.Equal(t, []wire.PlayerID{6, 4}, g.with, "nobody of us was in that one")
	assert.Equal(t, wire.IDAll, g.next())
	g.moved(0x50)
	learn(group(0x50, "Team"))
	learn(group(0x45, "Team"))
	assert.EqualValues(t, 0x45, g.next())
	assert.Equal(t, []wire.PlayerID{6, 4}, g.with, "before it is told that they are in the one that it made")
	g = newParty("", r)
	assert.False(t, g.missing(), "everybody is meant")
}

// TestPartyOfMany: what happens to another group costs no look at all groups.
func TestPartyOfMany(t *testing.T) {
	p := newPlaying(&Common{}, cli.Streams{})
	p.party = newParty("Team", p.roster)
	var e dpsp.GroupCreated
	for id := range wire.PlayerID(1000) {
		e = dpsp.GroupCreated{ID: id + 0x1000, System: 0x101, ShortName: "Other"}
		p.roster.Learn(e)
	}
	assert.Less(t, testing.AllocsPerRun(10, func() { p.regroup(t.Context(), e) }), 10.0)
}

// TestPartyWaits: while a group is being made nothing is read that is to be said in it. If it cannot be made, or not any more,
// the user is told what becomes of it.
func TestPartyWaits(t *testing.T) {
	var errs bytes.Buffer
	p := newPlaying(&Common{Events: flags.Choice{Value: "text"}}, cli.Streams{Out: &bytes.Buffer{}, Err: &errs})
	first, lines := make(<-chan time.Time), make(chan string, 1)
	held := func() [2]bool {
		f, l := p.party.hold(first, lines)
		return [2]bool{f == nil, l == nil}
	}
	assert.Equal(t, [2]bool{}, held())
	p.party = newParty("Team", p.roster)
	p.party.making = true
	assert.Equal(t, [2]bool{true, true}, held())
	lines <- "hello"
	p.unsaid(lines)
	assert.Equal(t, "dplay: not said: there is no group \"Team\" now\n", errs.String())
	errs.Reset()
	p.groupMade(t.Context(), madeGroup{err: dpsp.ErrShare})
	assert.Equal(t, `dplay: group "Team": `+dpsp.ErrShare.Error()+"\n", errs.String())
	assert.Equal(t, [2]bool{true, false}, held())
	errs.Reset()
	p.typed(t.Context(), "hello")
	p.unsaid(lines) // there is none
	assert.Equal(t, "dplay: not said: there is no group \"Team\" now\n", errs.String())
	p.party.id = 5
	assert.Equal(t, [2]bool{}, held())
}
