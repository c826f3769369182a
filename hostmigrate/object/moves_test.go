package object_test

import (
	"errors"
	"slices"
	"strings"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

type visitor func(l label, next *node)

// moves gives all that can happen next. Time goes on when nothing else can happen, and a few times before.
func (e *explorer) moves(n *node, visit visitor) {
	busy := false
	do := func(l label, next *node) {
		busy = true
		visit(l, next)
	}
	for i := range e.acts {
		e.acting(n, i, do)
	}
	for at := range e.machines {
		if n.here>>at&1 == 1 {
			e.news(n, at, do)
			for from := range e.machines {
				e.arrivals(n, from, at, do)
			}
		}
	}
	if busy && n.early == 0 {
		return
	}
	next := object.Never
	for i := range e.machines {
		if n.here>>i&1 == 1 {
			next = min(next, e.tables[n.tables[i]].Next())
		}
	}
	if next >= tombstone {
		return
	}
	m := *n
	m.now = max(m.now, uint8(min(next/tick, 255)))
	if busy {
		m.early--
	}
	visit(label{kind: ticking}, &m)
}

// acting tries whether an act can happen.
func (e *explorer) acting(n *node, i int, visit visitor) {
	a := &e.acts[i]
	if n.done>>i&1 == 1 || !a.come && n.here>>a.at&1 == 0 || a.when != nil && !a.when(e.tables[n.tables[a.at]]) {
		return
	}
	m := *n
	m.done |= 1 << i
	if a.dies || a.come {
		m.here ^= 1 << a.at
		m.news[a.at] = 0
	}
	for j := range e.machines {
		switch {
		case j == a.at || n.here>>j&1 == 0:
		case a.dies: // what is for it is lost; what it sent may still arrive
			m.news[j] |= 1 << (8 + a.at)
			m.streams[j*5+a.at], m.datagrams[j*5+a.at] = "", ""
		case a.come:
			m.news[j] |= 1 << a.at
			m.news[a.at] |= 1 << j
		}
	}
	visit(label{kind: acting, a: uint8(i)}, &m)
}

// news lets a machine hear that another one came or went. What that one had sent and has not arrived is lost. If
// the lowest machine left hears that the host is gone, it is host: [MC-DPL4CS] 3.1.7.1.
func (e *explorer) news(n *node, at int, visit visitor) {
	for of := range e.machines {
		came, went := uint16(1)<<of, uint16(1)<<(8+of)
		m := *n
		l := label{kind: coming, a: uint8(at), b: uint8(of)}
		switch {
		case n.news[at]&came != 0: // that it went comes later
			m.news[at] &^= came
		case n.news[at]&went != 0:
			m.news[at] &^= went
			m.streams[of*5+at], m.datagrams[of*5+at] = "", ""
			l.kind = going
			if below := uint8(1)<<at - 1; of < at && n.here&below == 0 {
				l.kind = going1
			}
		default:
			continue
		}
		visit(l, &m)
	}
}

// arrivals lets a message of one machine arrive at another, or get lost.
func (e *explorer) arrivals(n *node, from, at int, visit visitor) {
	q := from*5 + at
	l := label{kind: arrival, a: uint8(from), b: uint8(at)}
	if s := n.streams[q]; s != "" {
		m := *n
		m.streams[q] = s[2:]
		l.code = number(s)
		visit(l, &m)
	}
	d := n.datagrams[q]
	for i := 0; i < len(d); i += 2 {
		if i > 0 && d[i:i+2] == d[i-2:i] {
			continue // two alike
		}
		l.kind, l.code = arrival, number(d[i:])
		m := *n
		m.datagrams[q] = d[:i] + d[i+2:]
		if n.losses > 0 {
			lost := m
			lost.losses--
			visit(label{losing, l.a, l.b, l.code}, &lost)
		}
		if n.doubles > 0 {
			double := *n
			double.doubles--
			visit(label{again, l.a, l.b, l.code}, &double)
		}
		visit(l, &m)
	}
}

// run does with the tables what a label says. It gives false if there was a violation.
func (e *explorer) run(n *node, l label) bool {
	switch l.kind {
	case acting:
		if a := &e.acts[l.a]; a.do != nil {
			e.step(n, a.at, l)
		}
	case coming, going, going1:
		e.step(n, int(l.a), l)
	case arrival, again:
		e.step(n, int(l.b), label{kind: arrival, a: l.a, code: l.code})
	case ticking:
		for i := range e.machines {
			if n.here>>i&1 == 1 {
				e.step(n, i, l)
			}
		}
		if n.now > 200 {
			e.fail("it does not come to an end")
		}
	}
	return e.wrong == ""
}

// step has one table do something and puts what it sends on its way. The same table never does the same twice.
func (e *explorer) step(n *node, at int, l label) {
	k := memo{n.tables[at], l, n.now}
	r, ok := e.steps[k]
	if !ok {
		r = e.first(k)
		e.steps[k] = r
	}
	n.tables[at] = r.table
	for j := range e.machines {
		if r.host && j != at && n.here>>j&1 == 1 {
			n.streams[at*5+j] += code(0)
		}
	}
	for i := range r.posts {
		e.post(n, at, &r.posts[i])
	}
}

// first does a step that was not done before.
func (e *explorer) first(k memo) outcome {
	old := e.tables[k.table]
	t := old.Clone()
	err := e.tell(t, k.label, time.Duration(k.now)*tick)
	if errors.Is(err, object.ErrEarly) {
		e.fail("something came before what it refers to: %v", err)
	}
	now := t.Ranks()
	for id, was := range old.Ranks() {
		if is, ok := now[id]; !ok || is.Older(was) {
			e.fail("%v became older: %+v, then %+v", id, was, is)
		}
	}
	r := outcome{host: object.Host(t) == object.Self(t) && object.Host(old) != object.Self(t)}
	sends := slices.Clone(t.Take().Sends)
	for i := 0; i < len(sends); i++ {
		s := sends[i]
		m := s.Message
		p := post{to: uint8(s.To) - 1, reliable: s.Reliable, op: m.Op, code: code(e.letter(&m))}
		if m.Op == wire.KindObjectInstruct {
			f := m
			f.Op = wire.KindObjectMigrate
			p.foul = code(e.letter(&f))
			if e.foul { // what the host announces it knows itself
				require.NoError(e.t, t.Receive(time.Duration(k.now)*tick, s.To, &f))
				sends = append(sends, t.Take().Sends...)
			}
		}
		r.posts = append(r.posts, p)
	}
	r.table = e.number(t.Clone())
	return r
}

// tell tells a table what happened.
func (e *explorer) tell(t *object.Table, l label, now time.Duration) error {
	switch l.kind {
	case acting:
		err := e.acts[l.a].do(t, now)
		if err != nil && !e.acts[l.a].may {
			e.fail("%s: %v", e.acts[l.a].name, err)
		}
	case coming:
		t.Join(now, id(int(l.b)))
	case going, going1:
		t.Leave(now, id(int(l.b)))
		if l.kind == going1 {
			t.SetHost(now, object.Self(t))
		}
	case arrival:
		m := e.letters[l.code]
		if m == nil {
			t.SetHost(now, id(int(l.a)))
			return nil
		}
		before := *m
		err := t.Receive(now, id(int(l.a)), m)
		if e.foul && m.Owner != id(int(l.a)) && m.Op == wire.KindObjectMigrate { // it speaks for the owner
			err = t.Receive(now, m.Owner, m)
		}
		require.Equal(e.t, before, *m)
		return err
	case ticking:
		t.Look(now)
	}
	return nil
}

// post puts a message on its way. In the foul variant the host announces a migration itself, to everybody, and the
// new owner does not.
func (e *explorer) post(n *node, at int, p *post) {
	if e.foul && p.op == wire.KindObjectMigrate {
		return
	}
	for j := range e.machines {
		if e.foul && p.foul != "" && j != at && j != int(p.to) && n.here>>j&1 == 1 && n.news[at]>>j&1 == 0 {
			n.streams[at*5+j] += p.foul
		}
	}
	if n.here>>p.to&1 == 0 {
		return
	}
	q := at*5 + int(p.to)
	if p.reliable {
		n.streams[q] += p.code
		return
	}
	d := []string{p.code} // datagrams have no order, so they are kept in one
	for i := 0; i < len(n.datagrams[q]); i += 2 {
		d = append(d, n.datagrams[q][i:i+2])
	}
	slices.Sort(d)
	n.datagrams[q] = strings.Join(d, "")
}
