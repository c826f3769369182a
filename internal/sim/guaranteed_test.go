package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/wire"
)

// strict returns a bare world of three members in which everything about guaranteed messages is a violation.
func strict(t *testing.T) (*World, []*process) {
	t.Helper()
	w, p := bare(t, 3)
	w.opt.Checks.Once, w.opt.Checks.Order, w.opt.Checks.Delivered = true, true, true
	w.opt.Flags, w.opt.MaxStream = wire.SessionMigrateHost, 0
	return w, p
}

// post has a program send a guaranteed message: it returns what its receivers get.
func post(p *process, to wire.PlayerID) dpsp.Message {
	from := p.program.players[0]
	c := dpsp.Send{From: from, To: to, Guaranteed: true, Payload: p.program.tag(true)}
	p.l.w.truth.sent(p, c)
	return dpsp.Message{From: from, To: to, Sent: to, Guaranteed: true, Payload: c.Payload}
}

// get has a program get a message in a step of its own.
func get(p *process, ev dpsp.Message) {
	p.l.w.res.Steps++
	to := []wire.PlayerID{ev.To}
	if ev.Sent == wire.IDAll {
		to = p.program.players
	}
	for _, ev.To = range to {
		p.l.w.truth.after(p, ev)
	}
}

// over ends the run: what never arrived is lost.
func (w *World) over() {
	w.now += time.Hour
	w.life()
}

// A guaranteedCase is a history of guaranteed messages from the member p[1] to p[2], what it violates and what is counted.
type guaranteedCase struct {
	do   func(w *World, p []*process)
	want []string
	lost map[Cause]int
	late map[Cause]int
}

var guaranteedCases = map[string]guaranteedCase{
	"all arrive": {func(_ *World, p []*process) {
		a, b := post(p[1], wire.IDAll), post(p[1], 202)
		get(p[0], a)
		get(p[2], a)
		get(p[2], b)
	}, nil, nil, nil},
	"two players of a machine": {func(_ *World, p []*process) {
		addPlayer(p, 302, 2)
		a := post(p[1], wire.IDAll)
		get(p[0], a)
		get(p[2], a)
	}, nil, nil, nil},
	"a player that entered the group meanwhile": {func(w *World, p []*process) {
		addPlayer(p, 199, 2)
		for _, q := range p {
			q.told.groups[400] = &thing{system: 100, members: []wire.PlayerID{202}}
		}
		w.opt.MaxStream = 50
		a := post(p[1], 400)
		get(p[2], post(p[1], 202))
		w.res.Steps++
		for _, a.To = range []wire.PlayerID{199, 202} {
			w.truth.after(p[2], a)
		}
	}, nil, nil, map[Cause]int{Fragments: 1}},
	"twice": {func(_ *World, p []*process) {
		a := post(p[1], 202)
		get(p[2], a)
		get(p[2], a)
	}, []string{"once"}, nil, nil},
	"twice, after another": {func(_ *World, p []*process) {
		a, b := post(p[1], 202), post(p[1], 202)
		get(p[2], a)
		get(p[2], b)
		get(p[2], a)
	}, []string{"once"}, nil, nil},
	"twice for two players": {func(_ *World, p []*process) {
		addPlayer(p, 302, 2)
		a := post(p[1], wire.IDAll)
		get(p[0], a)
		get(p[2], a)
		get(p[2], a)
	}, []string{"once"}, nil, nil},
	"the wrong order": {func(_ *World, p []*process) {
		a, b := post(p[1], 202), post(p[1], 202)
		get(p[2], b)
		get(p[2], a)
	}, []string{"order"}, nil, map[Cause]int{NoCause: 1}},
	"the wrong order of fragments": {func(w *World, p []*process) {
		w.opt.MaxStream = 50
		a, b := post(p[1], 202), post(p[1], 202)
		get(p[2], b)
		get(p[2], a)
	}, nil, nil, map[Cause]int{Fragments: 1}},
	"the wrong order of links": {func(w *World, p []*process) {
		w.opt.Flags |= wire.SessionDirectPlayProtocol
		addPlayer(p, 302, 2)
		a, b := post(p[1], 202), post(p[1], 302)
		get(p[2], b)
		get(p[2], a)
	}, nil, nil, map[Cause]int{Links: 1}},
	"the wrong order on a link": {func(w *World, p []*process) {
		w.opt.Flags |= wire.SessionDirectPlayProtocol
		a, b := post(p[1], 202), post(p[1], 202)
		get(p[2], b)
		get(p[2], a)
	}, []string{"order"}, nil, map[Cause]int{NoCause: 1}},
	"the wrong order through a host": {func(w *World, p []*process) {
		w.opt.Flags |= wire.SessionMulticastServer
		a, b := post(p[1], wire.IDAll), post(p[1], 202)
		get(p[0], a)
		get(p[2], b)
		get(p[2], a)
	}, nil, nil, map[Cause]int{Routed: 1}},
	"lost": {func(_ *World, p []*process) {
		post(p[1], 202)
		get(p[2], post(p[1], 202))
	}, []string{"lost"}, map[Cause]int{NoCause: 1}, nil},
	"lost, the last one": {func(_ *World, p []*process) { post(p[1], 202) }, []string{"lost"}, map[Cause]int{NoCause: 1}, nil},
	"lost to one player of a group": {func(_ *World, p []*process) {
		for _, q := range p {
			q.told.groups[400] = &thing{system: 100, members: []wire.PlayerID{202}}
		}
		post(p[1], 400)
	}, []string{"lost"}, map[Cause]int{NoCause: 1}, nil},
	"lost on a connection": {func(w *World, p []*process) {
		w.send(p[1], &dpsp.Outgoing{Transport: dpsp.TCP, To: p[2].l.stream(), Data: post(p[1], 202).Payload})
		p[1].l.out[0].drop()
	}, nil, map[Cause]int{Broke: 1}, nil},
	"lost on a connection, though it was kept": {func(w *World, p []*process) {
		w.send(p[1], &dpsp.Outgoing{Transport: dpsp.TCP, To: p[2].l.stream(), Data: post(p[1], 202).Payload})
		p[1].l.out[0].queue[0].kept = true
		p[1].l.out[0].drop()
	}, []string{"lost"}, map[Cause]int{NoCause: 1}, nil},
	"lost on a connection, and reported": {func(w *World, p []*process) {
		post(p[1], 202)
		w.truth.before(p[1], dpsp.ConnectionRenewed{System: 102, Lost: true})
	}, nil, map[Cause]int{Broke: 1}, nil},
	"lost before a connection broke": {func(w *World, p []*process) {
		post(p[1], 202)
		get(p[2], post(p[1], 202))
		w.send(p[1], &dpsp.Outgoing{Transport: dpsp.TCP, To: p[2].l.stream(), Data: post(p[1], 202).Payload})
		p[1].l.out[0].drop()
	}, []string{"lost"}, map[Cause]int{NoCause: 1, Broke: 1}, nil},
	"the receiver lost the sender": {func(w *World, p []*process) {
		post(p[1], 202)
		w.truth.before(p[2], dpsp.PeerLost{System: 101})
	}, nil, map[Cause]int{Parted: 1}, nil},
	"the sender lost the receiver": {func(w *World, p []*process) {
		post(p[1], 202)
		w.truth.before(p[1], dpsp.PeerLost{System: 102})
	}, nil, map[Cause]int{Parted: 1}, nil},
	"the wrong order after the receiver lost the sender": {func(w *World, p []*process) {
		a := post(p[1], 202)
		w.truth.before(p[2], dpsp.PeerLost{System: 101})
		get(p[2], post(p[1], 202))
		get(p[2], a)
	}, []string{"order"}, nil, map[Cause]int{NoCause: 1}},
	"the wrong order of links after the receiver lost the sender": {func(w *World, p []*process) {
		w.opt.Flags |= wire.SessionDirectPlayProtocol
		addPlayer(p, 302, 2)
		a := post(p[1], 202)
		w.truth.before(p[2], dpsp.PeerLost{System: 101})
		get(p[2], post(p[1], 302))
		get(p[2], a)
	}, nil, nil, map[Cause]int{Links: 1}},
	"lost before the receiver lost the sender": {func(w *World, p []*process) {
		post(p[1], 202)
		get(p[2], post(p[1], 202))
		w.truth.before(p[2], dpsp.PeerLost{System: 101})
	}, []string{"lost"}, map[Cause]int{NoCause: 1}, nil},
	"the receiver does not have the sender": {func(_ *World, p []*process) {
		delete(p[2].told.players, 201)
		post(p[1], 202)
	}, nil, map[Cause]int{Parted: 1}, nil},
	"an unknown player": {func(_ *World, p []*process) {
		addPlayer(p, 301, 1)
		delete(p[2].told.players, 201)
		post(p[1], 202)
	}, nil, map[Cause]int{Unknown: 1}, nil},
	"the wrong order of connections": {func(w *World, p []*process) {
		a := post(p[1], 202)
		w.send(p[1], &dpsp.Outgoing{Transport: dpsp.TCP, To: p[2].l.stream(), Data: a.Payload})
		w.hangUp(p[1].l, p[2].l.stream())
		get(p[2], post(p[1], 202))
		get(p[2], a)
	}, nil, nil, map[Cause]int{Former: 1}},
	"the wrong order of players that the receiver does not know yet": {func(_ *World, p []*process) {
		addPlayer(p, 301, 1)
		x := p[2].told.players[201]
		delete(p[2].told.players, 201)
		a := post(p[1], 202)
		p[1].program.players = []wire.PlayerID{301}
		b := post(p[1], 202)
		p[2].told.players[201] = x
		get(p[2], b)
		get(p[2], a)
	}, nil, nil, map[Cause]int{Unknown: 1}},
	"the wrong order of players of a sender that the receiver does not know yet": {func(_ *World, p []*process) {
		addPlayer(p, 301, 1)
		x, y := p[2].told.players[201], p[2].told.players[301]
		delete(p[2].told.players, 201)
		delete(p[2].told.players, 301)
		a := post(p[1], 202)
		p[1].program.players = []wire.PlayerID{301}
		b := post(p[1], 202)
		p[2].told.players[201], p[2].told.players[301] = x, y
		get(p[2], b)
		get(p[2], a)
	}, nil, nil, map[Cause]int{Unknown: 1}},
	"lost on a connection that was closed": {func(w *World, p []*process) {
		w.send(p[1], &dpsp.Outgoing{Transport: dpsp.TCP, To: p[2].l.stream(), Data: post(p[1], 202).Payload})
		w.hangUp(p[1].l, p[2].l.stream())
	}, nil, map[Cause]int{Former: 1}, nil},
	"a deleted player": {func(w *World, p []*process) {
		post(p[1], 202)
		w.truth.after(p[2], dpsp.PlayerDeleted{ID: 202})
	}, nil, map[Cause]int{Deleted: 1}, nil},
	"a deleted group": {func(w *World, p []*process) {
		for _, q := range p {
			q.told.groups[400] = &thing{system: 100, members: []wire.PlayerID{202}}
		}
		post(p[1], 400)
		w.truth.after(p[2], dpsp.GroupDeleted{ID: 400})
	}, nil, map[Cause]int{Deleted: 1}, nil},
	"a group that was deleted before": {func(w *World, p []*process) {
		p[1].told.groups[400] = &thing{system: 100, members: []wire.PlayerID{202}}
		post(p[1], 400)
	}, nil, map[Cause]int{Deleted: 1}, nil},
	"another deleted player": {func(w *World, p []*process) {
		post(p[1], 202)
		w.truth.after(p[2], dpsp.PlayerDeleted{ID: 200})
	}, []string{"lost"}, map[Cause]int{NoCause: 1}, nil},
	"too much": {func(w *World, p []*process) {
		a := post(p[1], 202)
		p[2].l.frozen, p[2].l.inbox = true, make([]dpsp.Input, maxInbox)
		w.input(p[2], dpsp.Input{Kind: dpsp.Stream, Data: a.Payload})
		p[2].l.frozen, p[2].l.inbox = false, nil
	}, nil, map[Cause]int{Overflow: 1}, nil},
	"the receiver left": {func(w *World, p []*process) {
		post(p[1], 202)
		w.end(p[2].l, exit)
	}, nil, nil, nil},
	"the sender left": {func(w *World, p []*process) {
		post(p[1], 202)
		w.end(p[1].l, exit)
	}, nil, nil, nil},
	"the sender left long after": {func(w *World, p []*process) {
		post(p[1], 202)
		w.now += w.truth.patience()
		w.end(p[1].l, exit)
	}, []string{"lost"}, map[Cause]int{NoCause: 1}, nil},
	"of a former membership": {func(w *World, p []*process) {
		a := post(p[1], 202)
		w.truth.leaves(p[1])
		w.truth.enters(p[1])
		get(p[2], post(p[1], 202))
		get(p[2], a)
	}, []string{"order"}, nil, nil},
	"of a former membership, and of none since": {func(w *World, p []*process) {
		a := post(p[1], 202)
		w.truth.leaves(p[1])
		w.truth.enters(p[1])
		get(p[2], a)
	}, nil, nil, nil},
	"of a legacy machine in frames, to the program before": {toFormer(true), nil, nil, nil},
	"to the program before":                                {toFormer(false), []string{"once"}, nil, nil},
}

// toFormer sends two messages. Between them the receiver begins anew at its address, and the sender knows only its former self.
func toFormer(legacy bool) func(w *World, p []*process) {
	return func(w *World, p []*process) {
		w.opt.Flags |= wire.SessionDirectPlayProtocol
		p[1].l.legacy = legacy
		p[2].told.self = 300
		a := post(p[1], 202)
		p[1].told.peers[300], p[1].told.players[202].system = p[1].told.peers[102], 300
		get(p[2], post(p[1], 202))
		get(p[2], a)
	}
}

// addPlayer gives a machine another player.
func addPlayer(p []*process, id wire.PlayerID, of int) {
	for _, q := range p {
		q.told.players[id] = &thing{system: p[of].told.self, local: q == p[of]}
	}
	p[of].program.players = append(p[of].program.players, id)
}

// TestGuaranteed makes each mistake with guaranteed messages, and each that has a cause.
func TestGuaranteed(t *testing.T) {
	for name, c := range guaranteedCases {
		t.Run(name, func(t *testing.T) {
			w, p := strict(t)
			c.do(w, p)
			w.over()
			assert.Equal(t, c.want, w.broken())
			assert.Equal(t, c.lost, w.res.Stats.NeverCame)
			assert.Equal(t, c.late, w.res.Stats.Overtaken)
			w, p = strict(t)
			w.opt.Checks = Checks{}
			c.do(w, p)
			w.over()
			assert.Empty(t, w.broken(), "counted")
		})
	}
}

// TestGuaranteedBounds sends more than a flow keeps: the oldest messages are lost, and that they arrive after all is no mistake.
func TestGuaranteedBounds(t *testing.T) {
	w, p := strict(t)
	w.opt.Checks = Checks{Once: true}
	first := post(p[1], 202)
	for range maxWaiting {
		post(p[1], 202)
	}
	assert.Len(t, w.truth.flows[2][1].waiting, maxWaiting)
	assert.Equal(t, map[Cause]int{NoCause: 1}, w.res.Stats.NeverCame)
	get(p[2], post(p[1], 202))
	get(p[2], first)
	assert.Empty(t, w.broken())
}

// TestTag writes and reads tags.
func TestTag(t *testing.T) {
	for _, x := range []tag{{}, {63, 1<<24 - 1, 1<<32 - 1}, {2, 3, 4}} {
		got, ok := parseTag(append(x.append(nil), 5))
		assert.True(t, ok)
		assert.Equal(t, x, got)
	}
	for _, b := range []string{"", "sim:1234567", "sin:12345678"} {
		_, ok := parseTag([]byte(b))
		assert.False(t, ok, b)
	}
}

// One message that is lost to several full flows makes violations in the order of the machines, not of a map.
func TestFullFlowsInOrder(t *testing.T) {
	for range 20 { // the order of a map differs from run to run
		w, p := strict(t)
		for range maxWaiting + 1 {
			post(p[1], wire.IDAll)
		}
		var lanes []int
		for _, v := range w.res.Violations {
			lanes = append(lanes, v.Lane)
		}
		assert.Equal(t, []int{0, 2}, lanes)
	}
}
