package bridge

import (
	"context"
	"time"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/plan"
)

// A PairWay is how octets go between two machines of the session.
type PairWay struct {
	A, B Member // without their ways; the slot of A is the lower one
	// Known says that at least one of them told.
	Known bool
	// Linked says that there is a way at the moment.
	Linked bool
	// Way is what the one says for whom it is worse. Addresses are told to nobody: Over is empty.
	Way link.Way
}

// waysMost is how long the others have to answer.
const waysMost = 3 * time.Second

// A poll is a question to all members.
type poll struct {
	asked map[plan.ID]bool // who has not answered
	told  map[plan.ID]map[plan.ID]plan.Way
	done  chan struct{} // closed when all have
}

// Ways asks the other machines how octets go between them, and returns it for each pair of machines, this one among them. What a
// machine does not tell, as older versions do not, is not known.
func (s *Session) Ways(ctx context.Context) (all []PairWay, err error) {
	ctx, cancel := context.WithTimeout(ctx, waysMost)
	defer cancel()
	p := &poll{asked: map[plan.ID]bool{}, told: map[plan.ID]map[plan.ID]plan.Way{}, done: make(chan struct{})}
	err = s.ask(func(l *loop) error {
		for _, m := range l.plan.Members() {
			if m.Link != 0 {
				p.asked[m.ID] = true
			}
		}
		if len(p.asked) == 0 {
			close(p.done)
			return nil
		}
		l.polls[p] = true
		l.step(plan.AskWays{})
		return nil
	})
	if err != nil {
		return nil, err
	}
	link.Next(ctx, s.over, p.done) //nolint:errcheck // what was told by then is what is known
	err = s.ask(func(l *loop) error {
		delete(l.polls, p)
		all = l.pairs(p)
		return nil
	})
	return all, err
}

// ways returns how octets go from us to the others.
func (l *loop) ways() (all []plan.Way) {
	for _, m := range l.session.members { // nobody else writes it
		if now := m.now(); !now.Self {
			all = append(all, plan.Way{ID: plan.ID(now.ID), Up: now.Linked, Direct: now.Way.Direct, RTT: now.Way.RTT, Loss: now.Way.Loss})
		}
	}
	return all
}

// tellWays answers a member that asks for our ways.
func (l *loop) tellWays(to plan.ID) {
	l.post1(func() { l.step(plan.TellWays{ID: to, Ways: l.ways()}) })
}

// hearWays takes a member's answer.
func (l *loop) hearWays(o plan.WaysTold) {
	for p := range l.polls {
		if !p.asked[o.ID] {
			continue
		}
		p.take(o.ID, o.Ways)
		if delete(p.asked, o.ID); len(p.asked) == 0 {
			delete(l.polls, p)
			close(p.done)
		}
	}
}

// take notes what a machine says.
func (p *poll) take(from plan.ID, ways []plan.Way) {
	told := map[plan.ID]plan.Way{}
	for _, w := range ways {
		told[w.ID] = w
	}
	p.told[from] = told
}

// pairs returns the pairs of the session, with what was told.
func (l *loop) pairs(p *poll) (all []PairWay) {
	p.take(l.plan.Self().ID, l.ways())
	for i, seen := range l.session.members {
		for _, other := range l.session.members[i+1:] {
			a, b := seen.member, other.member
			pair := PairWay{A: a, B: b}
			pair.take(p.told[plan.ID(a.ID)][plan.ID(b.ID)])
			pair.take(p.told[plan.ID(b.ID)][plan.ID(a.ID)])
			all = append(all, pair)
		}
	}
	return all
}

// take takes what one of the two says, which is nothing with a zero ID.
func (w *PairWay) take(said plan.Way) {
	switch {
	case said.ID == plan.ID{}:
	case !w.Known:
		w.Known, w.Linked, w.Way = true, said.Up, link.Way{Direct: said.Direct, RTT: said.RTT, Loss: said.Loss}
	default:
		w.Linked = w.Linked && said.Up
		w.Way = link.Way{Direct: w.Way.Direct && said.Direct, RTT: max(w.Way.RTT, said.RTT), Loss: max(w.Way.Loss, said.Loss)}
	}
}
