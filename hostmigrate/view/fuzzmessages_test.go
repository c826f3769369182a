package view_test

import (
	"slices"
	"testing"
	"time"

	"dplay4/hostmigrate"
	"dplay4/hostmigrate/view"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A script has the leader and the members of a session say things to each other, by a fuzzer's octets. Each message has the view, index
// and nonce with which it counts. The octets make its operations.
type script struct {
	*view.Octets
	w     *world
	ids   []wire.PlayerID
	sent  []view.Send // of the last step
	epoch uint32
}

// ops returns some operations in the form of a message, with ever higher versions. If whole is set, most of them add something.
func (h *script) ops(version uint32, whole bool) (all [][]byte) {
	for n := h.Choose(6); n > 0; n-- {
		op := h.Op(h.ids)
		if whole && h.Choose(4) > 0 {
			op = h.Add(h.ids)
		}
		if b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: version, Op: op}); err == nil {
			all = append(all, b)
		}
		version += 1 + uint32(h.Choose(3)*h.Choose(3))
	}
	return all
}

// list returns a whole list in the form of a message, with operations behind it. Some of its entries may be missing.
func (h *script) list(l *playerlist.List, version uint32) (all [][]byte) {
	for _, e := range l.State().Entries {
		var op playerlist.Op = playerlist.AddPlayer{Entry: e}
		if e.Group {
			op = playerlist.AddGroup{Entry: e}
		}
		if b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: e.Added, Op: op}); err == nil && h.Choose(8) > 0 {
			all = append(all, b)
		}
	}
	return append(all, h.ops(version, true)...)
}

// say has one program say something to another one.
func (h *script) say(from, to *program, m wire.ExtensionView) {
	if m.From.Incarnation == 0 {
		m.From = from.member()
	}
	h.w.noticed = func(p *program, e view.Effect) {
		if s, ok := e.(view.Send); ok && p == to {
			h.sent = append(h.sent, s)
		}
	}
	h.sent = nil
	to.core.Handle(h.w.now, from.self, &m)
	to.after()
	h.w.noticed = nil
}

// answered returns the last message of a kind that the last one to be said caused; nil: there is none.
func (h *script) answered(step wire.ViewStep) *wire.ExtensionView {
	for _, s := range slices.Backward(h.sent) {
		if s.Message.Step == step {
			return s.Message
		}
	}
	return nil
}

// step has one thing happen.
func (h *script) step() {
	in := h.w.in()
	leader := h.w.leader()
	if leader == nil || len(in) < 2 {
		h.w.run(h.w.now + time.Second)
		return
	}
	in = slices.DeleteFunc(in, func(p *program) bool { return p == leader })
	member := in[h.Choose(len(in))]
	v, version := leader.core.View(), member.core.List().Version()
	members := leader.core.Members()
	switch h.Choose(9) {
	case 0: // a message of DirectPlay 4
		to := leader
		if h.Choose(2) == 0 {
			to = member
		}
		op := h.Op(h.ids)
		if d, ok := op.(playerlist.DeletePlayer); ok && d.ID == to.self { // it would have lost the session
			return
		}
		if _, err := to.list.Apply(op); err == nil {
			to.core.Did(h.w.now, members[h.Choose(len(members))].System, op)
			to.after()
		}
	case 1:
		for _, b := range h.ops(version+1, false) {
			h.say(leader, member, wire.ExtensionView{Step: wire.ViewLog, View: v, Index: member.core.List().Version() + 1, Ops: [][]byte{b}, Members: members[:h.Choose(2)]})
		}
	case 2: // a view that a leader begins
		h.epoch = max(h.epoch, v.Epoch) + 1
		next := v
		next.Epoch = h.epoch
		h.say(leader, member, wire.ExtensionView{Step: wire.ViewPrepare, View: next, Nonce: 1, Members: members})
		m := wire.ExtensionView{Step: wire.ViewInstall, View: next, Place: v, Index: version + uint32(h.Choose(20)), Members: members[:len(members)-h.Choose(2)]}
		if m.Base = version; h.Choose(2) == 0 {
			m.Base, m.Ops = 0, h.list(member.core.List(), version+1)
		} else {
			m.Ops = h.ops(version+1+uint32(h.Choose(4)), false)
		}
		h.say(leader, member, m)
	case 3:
		m := wire.ExtensionView{Step: wire.ViewOwn, View: v, Index: version, Nonce: 1, Ops: h.list(member.core.List(), version)}
		m.Base = uint32(h.Choose(3))
		h.say(member, leader, m)
	case 4: // a member promised a newer view, and then promises the leader's next one
		place := v
		place.Epoch++
		h.say(member, leader, wire.ExtensionView{Step: wire.ViewRefuse, View: v, Place: place})
		h.promise(member, leader, member.member())
	case 5: // somebody asks to be let in
		who := wire.ViewMember{System: h.ids[h.Choose(len(h.ids))], Incarnation: wire.Incarnation(0x77 + h.Choose(3)), Stream: address(50 + h.Choose(2)),
			Datagram: address(50)}
		if h.Choose(4) == 0 {
			who.Stream = address(member.n)
		}
		b, _ := hostmigrate.AppendOperation(nil, playerlist.Numbered{Op: playerlist.SetDesc{Session: leader.list.Session()}})
		stranger := &program{w: h.w, self: 0}
		h.say(stranger, leader, wire.ExtensionView{Step: wire.ViewJoin, From: who, View: wire.View{Epoch: uint32(h.Choose(3))}, Ops: [][]byte{b}})
		h.promise(stranger, leader, who)
	case 6:
		member.core.Suspect(h.w.now, members[h.Choose(len(members))].System)
		member.after()
	case 7:
		leader.core.Suspect(h.w.now, member.self)
		leader.after()
	case 8:
		h.w.run(h.w.now + time.Duration(1+h.Choose(30))*100*time.Millisecond)
	}
}

// promise has a program promise the view that a leader wants, and send it the list if the leader asks for it.
func (h *script) promise(from, leader *program, who wire.ViewMember) {
	p := h.answered(wire.ViewPrepare)
	if p == nil {
		return
	}
	place := leader.core.View()
	if h.Choose(2) == 0 {
		place.Epoch -= min(place.Epoch, uint32(h.Choose(3)))
		place.Incarnation ^= wire.Incarnation(h.Choose(2))
	}
	version := leader.core.List().Version()
	m := wire.ExtensionView{Step: wire.ViewAck, From: who, View: p.View, Place: place, Base: 7, Index: version + uint32(h.Choose(20)), Nonce: p.Nonce,
		Members: append(leader.core.Members(), who), Ops: h.list(leader.core.List(), version+1)}
	h.say(from, leader, m)
	for range 8 { // the others promise as well
		if f := h.answered(wire.ViewFetch); f != nil {
			h.say(from, leader, wire.ExtensionView{Step: wire.ViewState, From: who, View: f.View, Place: f.Place, Index: f.Index, Ops: h.list(leader.core.List(), version+1)})
			return
		}
		h.w.noticed = func(p *program, e view.Effect) {
			if s, ok := e.(view.Send); ok && p == leader {
				h.sent = append(h.sent, s)
			}
		}
		h.w.run(h.w.now + 50*time.Millisecond)
	}
}

// FuzzMessages has the leader and the members of a session, and newcomers, send any operations where they count. Each list that results
// loads again: otherwise a core panics.
func FuzzMessages(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(view.Drawn(seed, 200))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h := &script{Octets: &view.Octets{B: b[:min(len(b), 1000)]}, w: newWorld(1, options{programs: 3})}
		h.w.at = append(h.w.at, make([]*program, 100)...) // addresses at which nobody is
		for _, p := range h.w.in() {
			h.ids = append(h.ids, p.self)
		}
		h.ids = append(h.ids, wire.IDAll, 1, 5, 6, 7, 8, 9)
		for len(h.B) > 0 {
			h.step()
		}
		h.w.run(h.w.now + 3*time.Second)
	})
}
