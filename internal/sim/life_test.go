package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/wire"
)

// TestLife has a member say something new that does not reach another one, in each way.
func TestLife(t *testing.T) {
	for name, c := range map[string]struct {
		say     func(w *World, p []*process)
		unheard int
		unsaid  int
	}{
		"nothing": {func(*World, []*process) {}, 0, 0},
		"a player": {func(_ *World, p []*process) {
			answered(p[1], dpsp.CreatePlayer{}, dpsp.Done{ID: 301})
			p[0].told.players[301] = &thing{}
		}, 1, 0},
		"a name": {func(_ *World, p []*process) {
			answered(p[1], dpsp.SetName{ID: 201, ShortName: "q"}, dpsp.Done{})
			p[0].told.players[201].name = "q"
		}, 1, 0},
		"data": {func(_ *World, p []*process) {
			answered(p[1], dpsp.SetData{ID: 201, Data: []byte("q")}, dpsp.Done{})
			p[0].told.players[201].data = "q"
		}, 1, 0},
		"data that nobody is told of": {func(_ *World, p []*process) {
			p[0].told.flags, p[2].told.flags = wire.SessionNoDataMessages, wire.SessionNoDataMessages
			answered(p[1], dpsp.SetData{ID: 201, Data: []byte("q")}, dpsp.Done{})
		}, 0, 0},
		"a group": {func(_ *World, p []*process) {
			answered(p[1], dpsp.CreateGroup{}, dpsp.Done{ID: 400})
			p[0].told.groups[400] = &thing{}
		}, 1, 0},
		"a membership": {func(_ *World, p []*process) {
			answered(p[1], dpsp.AddToGroup{Group: 400, Player: 201}, dpsp.Done{})
			p[0].told.groups[400], p[2].told.groups[400] = &thing{members: []wire.PlayerID{201}}, &thing{}
		}, 1, 0},
		"a shortcut": {func(_ *World, p []*process) {
			answered(p[1], dpsp.AddShortcut{Parent: 400, Child: 401}, dpsp.Done{})
			p[0].told.groups[400], p[2].told.groups[400] = &thing{subgroups: []wire.PlayerID{401}}, &thing{}
		}, 1, 0},
		"a message": {func(_ *World, p []*process) { get(p[0], post(p[1], wire.IDAll)) }, 1, 0},
		"refused":   {func(_ *World, p []*process) { answered(p[1], dpsp.SetName{ID: 201}, dpsp.Done{Err: dpsp.ErrNoSession}) }, 0, 1},
		"another host": {func(_ *World, p []*process) {
			answered(p[1], dpsp.SetName{ID: 201, ShortName: "q"}, dpsp.Done{})
			p[0].told.players[201].name = "q"
			p[2].told.host = 102
		}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, check := range []bool{false, true} {
				w, p := strict(t)
				w.opt.Checks = Checks{Life: check}
				members := map[*process]uint32{}
				for _, q := range p {
					members[q], q.program.news.list = 1, []newThing{}
				}
				c.say(w, p)
				all, hosts := w.members(p[0].told.instance)
				w.judgeLife(all, hosts, members, w.now)
				assert.Equal(t, c.unheard, w.res.Stats.Unheard)
				assert.Equal(t, c.unsaid, w.res.Stats.Unsaid)
				assert.Equal(t, check && c.unheard+c.unsaid > 0, len(w.broken()) > 0)
			}
		})
	}
}

// answered has a command for new things answered.
func answered(p *process, c dpsp.Command, ev dpsp.Done) {
	p.program.news.asked++
	p.program.news.done(&p.program, c, ev)
}

// TestEntered takes players out of groups, and groups out of groups, at one member.
func TestEntered(t *testing.T) {
	for name, c := range map[string]struct {
		spoil               func(p []*process)
		memberships, shorts int
	}{
		"nothing":              {func([]*process) {}, 0, 0},
		"at its own":           {func(p []*process) { p[1].told.groups[400].members = nil }, 1, 0},
		"at another":           {func(p []*process) { p[2].told.groups[400].members = nil }, 1, 0},
		"at all":               {func(p []*process) { each(p, func(q *process) { q.told.groups[400].members = nil }) }, 3, 0},
		"no such group":        {func(p []*process) { delete(p[2].told.groups, 400) }, 1, 1},
		"no shortcut":          {func(p []*process) { p[2].told.groups[400].subgroups = nil }, 0, 1},
		"the group is deleted": {func(p []*process) { each(p, func(q *process) { delete(q.told.groups, 400) }) }, 0, 0},
		"the player is deleted": {func(p []*process) {
			each(p, func(q *process) { delete(q.told.players, 201); q.told.groups[400].members = nil })
		}, 0, 0},
		"another host": {func(p []*process) { p[2].told.host, p[2].told.groups[400] = 102, &thing{} }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, check := range []bool{false, true} {
				w, p := strict(t)
				w.opt.Checks = Checks{Entered: check}
				each(p, func(q *process) {
					q.told.groups[400] = &thing{system: 100, local: q == p[0], members: []wire.PlayerID{201}, subgroups: []wire.PlayerID{401}}
					q.told.groups[401] = &thing{system: 101, local: q == p[1]}
				})
				p[1].program.entersOrLeaves(dpsp.AddToGroup{Player: 201, Group: 400}, true)
				p[1].program.entersOrLeaves(dpsp.AddShortcut{Child: 401, Parent: 400}, true)
				c.spoil(p)
				w.judge()
				assert.Equal(t, c.memberships, w.res.Stats.Outside)
				assert.Equal(t, c.shorts, w.res.Stats.Unlinked)
				assert.Equal(t, check && c.memberships+c.shorts > 0, len(w.broken()) > 0)
			}
		})
	}
}

func each(p []*process, do func(q *process)) {
	for _, q := range p {
		do(q)
	}
}
