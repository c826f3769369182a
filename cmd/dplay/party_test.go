package main

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// inGroup waits until a program's event says that a player is in a group, and gives the group.
func (p *program) inGroup(player any) any {
	p.t.Helper()
	return p.event("member_added", "player", player)["group"]
}

// sayIn says something and gives the group in which another program hears it.
func (p *program) sayIn(text string, heard *program) any {
	p.t.Helper()
	p.say(text)
	return heard.event("chat", "text", text)["sent"]
}

// meets has two programs talk until both do so in one group, and gives it. Nothing is lost on the way there.
func (p *program) meets(q *program) any {
	p.t.Helper()
	for range 100 {
		if in := p.sayIn("later", q); in == q.sayIn("later, too", p) {
			return in
		}
	}
	require.FailNow(p.t, "they stay in two groups")
	return nil
}

// TestGroupMakerLeaves has the maker of a group leave. The two that stay, who notice at the same time, say something at once
// and hear each other, and a game's player that was in the group hears both. Later all are in one group, newcomers as well.
func TestGroupMakerLeaves(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	a := startJoin(t, at, "--player", "A", "--group", "Team")
	group := h.event("member_added")["group"]
	var stay [2]*program
	for i := range stay {
		stay[i] = startJoin(t, at, "--player", strconv.Itoa(i), "--group", "Team")
		player := stay[i].event("player_created", "local", true)["id"]
		assert.Equal(t, group, stay[i].inGroup(player))
		for _, p := range []*program{h, a, stay[0]} {
			if p != stay[i] {
				p.inGroup(player)
			}
		}
	}
	b, c := stay[0], stay[1]
	ctx := testkit.Context(t)
	s := enter(t, ctx, at)
	game, err := s.CreatePlayer(ctx, "game", nil)
	require.NoError(t, err)
	require.NoError(t, s.AddToGroup(ctx, game, mustID(t, group)))
	for _, p := range stay {
		p.inGroup(game.String())
	}
	assert.Equal(t, exitOK, a.interrupt(), a.stderr())
	for _, p := range stay {
		p.event("group_deleted", "id", group)
	}
	for i, p := range stay {
		p.say("at once " + strconv.Itoa(i))
	}
	b.event("chat", "text", "at once 1")
	c.event("chat", "text", "at once 0")
	hear(t, ctx, s.Events(), "at once 0", "at once 1")
	assert.NotEqual(t, group, b.meets(c))
	hear(t, ctx, s.Events(), "later", "later, too")
	late := startJoin(t, at, "--player", "late", "--group", "Team")
	player := late.event("player_created", "local", true)["id"]
	assert.NotEqual(t, group, late.inGroup(player))
	b.inGroup(player)
	b.meets(late)
	for _, p := range []*program{b, c, late, h} {
		assert.Equal(t, exitOK, p.interrupt(), p.stderr())
		assert.Empty(t, p.stderr())
	}
}

// TestGroupLowest: of several groups of the name the one with the lowest id is entered, also when it comes later. When it is
// deleted the next one is.
func TestGroupLowest(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	startHost(t, at)
	ctx := testkit.Context(t)
	s := enter(t, ctx, at)
	first, err := s.CreateGroup(ctx, "Team", nil)
	require.NoError(t, err)
	second, err := s.CreateGroup(ctx, "Team", nil)
	require.NoError(t, err)
	low, high := min(first, second), max(first, second)
	call := func(name dpsp.Text) {
		require.NoError(t, s.SetName(ctx, low, name, ""))
	}
	call("Other")
	a := startJoin(t, at, "--player", "A", "--group", "Team")
	pa := a.event("player_created", "local", true)["id"]
	assert.Equal(t, high.String(), a.inGroup(pa))
	b := startJoin(t, at, "--player", "B", "--group", "Team")
	pb := b.event("player_created", "local", true)["id"]
	assert.Equal(t, high.String(), b.inGroup(pb))
	a.inGroup(pb)
	call("Team")
	for _, p := range []*program{a, b} { // each may hear where it is before it hears why
		p.inAnyOrder(
			func() { p.event("group_changed", "id", low.String()) },
			func() { p.event("member_added", "player", pa, "group", low.String()) },
			func() { p.event("member_added", "player", pb, "group", low.String()) })
	}
	assert.Equal(t, low.String(), a.sayIn("low", b))
	assert.Equal(t, low.String(), b.sayIn("low, too", a))
	require.NoError(t, s.DeleteGroup(ctx, low))
	for _, p := range []*program{a, b} {
		p.event("group_deleted", "id", low.String())
	}
	assert.Equal(t, high.String(), a.sayIn("next", b))
	assert.Equal(t, high.String(), b.sayIn("next, too", a))
}

// mustID reads an id of an event.
func mustID(t *testing.T, id any) wire.PlayerID {
	t.Helper()
	n, err := strconv.ParseUint(id.(string), 0, 32)
	require.NoError(t, err)
	return wire.PlayerID(n)
}

// hear waits until all of some texts were said, in any order.
func hear(t *testing.T, ctx context.Context, events <-chan dpsp.Event, texts ...string) {
	t.Helper()
	for len(texts) > 0 {
		select {
		case e := <-events:
			if m, ok := e.(dpsp.ChatMessage); ok {
				texts = slices.DeleteFunc(texts, func(s string) bool { return s == m.Text })
			}
		case <-ctx.Done():
			require.FailNow(t, "not heard", "%q", texts)
		}
	}
}
