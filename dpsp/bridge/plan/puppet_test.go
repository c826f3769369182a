package plan

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A puppet is one plan, whose network is the test.
type puppet struct {
	t    *testing.T
	plan *Plan
	now  time.Time
	last Link
}

func newPuppet(t *testing.T, c Config) *puppet {
	p := &puppet{t: t, now: time.Unix(1e9, 0)}
	c.ID = ID{100}
	p.plan = New(c)
	return p
}

// step gives an input some time later.
func (p *puppet) step(in Input) []Output {
	p.now = p.now.Add(10 * time.Millisecond)
	return p.give(in)
}

// give gives an input now. No call of the plan comes to anything.
func (p *puppet) give(in Input) []Output {
	out := p.plan.Step(p.now, in)
	for _, d := range of[Dial](out) {
		out = append(out, p.give(Failed{ID: d.ID})...)
	}
	for range of[Knock](out) {
		p.plan.Step(p.now, Unanswered{Ourselves: true})
	}
	return out
}

// wait lets time pass, with the ticks that the plan asks for.
func (p *puppet) wait(d time.Duration) (out []Output) {
	until := p.now.Add(d)
	for at := p.plan.Wake(); !at.After(until); at = p.plan.Wake() {
		require.False(p.t, at.Before(p.now), "a wake in the past")
		p.now = at
		out = append(out, p.give(Tick{})...)
	}
	p.now = until
	return out
}

// up has a machine connect.
func (p *puppet) up(id ID) (Link, []Output) {
	p.last++
	return p.last, p.step(Up{Link: p.last, ID: id})
}

// say has a machine say something.
func (p *puppet) say(l Link, m message) []Output { return p.step(Heard{Link: l, Data: encode(m)}) }

// join has a machine connect and come in, if it is let.
func (p *puppet) join(id ID, name string) (Link, *grant) {
	l, _ := p.up(id)
	s := state{Name: name, Slot: -1}
	out := p.say(l, message{State: &s})
	for _, m := range sent(p.t, out, l) {
		if g := m.Grant; g != nil {
			s.Slot, s.Order, s.Ports = g.Slot, g.Order, g.Ports
			p.say(l, message{State: &s})
			return l, g
		}
	}
	return l, nil
}

// sent returns what was said over a link.
func sent(t *testing.T, out []Output, l Link) (all []message) {
	for _, o := range out {
		if s, ok := o.(Send); ok && s.Link == l {
			var m message
			require.NoError(t, json.Unmarshal(s.Data, &m))
			all = append(all, m)
		}
	}
	return all
}

// of returns the outputs of one type.
func of[O Output](out []Output) (all []O) {
	for _, o := range out {
		if o, ok := o.(O); ok {
			all = append(all, o)
		}
	}
	return all
}
