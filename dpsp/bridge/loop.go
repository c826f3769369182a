package bridge

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
	"dplay4/dpsp/bridge/plan"
)

const (
	look        = 250 * time.Millisecond // how often ways, relays and addresses are looked at
	lookSoon    = 20 * time.Millisecond  // until the session is open
	meetingMost = 3 * time.Second        // that Share waits for the address of its code
	silentMost  = 3                      // looks without a way, after which a machine is taken for silent
	sleepLeast  = 10 * time.Second       // between two looks, for this machine to have slept
)

// A loop is the one goroutine of a session that has its plan.
type loop struct {
	session *Session
	ctx     context.Context // done when we are to leave
	net     link.Network
	opt     Options
	game    local.Game // that runs already
	plan    *plan.Plan
	local   stands
	work    sync.WaitGroup // what runs beside the loop

	posts  chan func()
	over   chan struct{} // closed when nothing is taken any more
	meets  chan bool
	opened chan error // is told once

	wires map[plan.Link]*wired
	last  plan.Link
	polls map[*poll]bool
	known map[plan.ID]Member // who has joined, as the program was told last
	relay map[string]bool    // which were told to answer
	hosts []int              // slots whose games are host
	keys  code.Keys

	reached plan.Reached // as the plan was told
	looked  time.Time    // the time of day of the last look or step
	began   time.Time
	entered bool
	open    bool
	end     *plan.End
	failed  error // why the session ends, if it is not the plan
}

func newLoop(ctx context.Context, s *Session, net link.Network, opt Options, game local.Game) *loop {
	return &loop{session: s, ctx: ctx, net: net, opt: opt, game: game, local: nobody{}, posts: make(chan func()),
		over: make(chan struct{}), meets: make(chan bool, 16), opened: make(chan error, 1), wires: map[plan.Link]*wired{},
		known: map[plan.ID]Member{}, polls: map[*poll]bool{}, relay: map[string]bool{},
		keys: s.code.Keys(), began: time.Now()}
}

// post has the loop do something. It returns whether it will.
func (l *loop) post(do func()) bool {
	select {
	case l.posts <- do:
		return true
	case <-l.over:
		return false
	}
}

// run is the loop.
func (l *loop) run() {
	l.work.Go(l.accept)
	l.work.Go(l.meet)
	l.reach()
	l.step(plan.Tick{})
	wake, look := time.NewTimer(0), time.NewTimer(lookSoon)
	leave := l.ctx.Done()
	for l.end == nil {
		wake.Reset(time.Until(l.plan.Wake()))
		select {
		case do := <-l.posts:
			do()
		case <-wake.C:
			l.step(plan.Tick{})
		case <-look.C:
			look.Reset(l.look())
		case <-leave:
			leave = nil
			l.step(plan.Leave{})
		}
		l.publish()
	}
	wake.Stop()
	look.Stop()
	l.close()
}

// close closes all, and says why.
func (l *loop) close() {
	why := l.failure(*l.end) // while the relays say how it stands with them
	close(l.over)
	l.session.leave()
	close(l.meets)
	for _, w := range l.wires {
		w.close(plan.Left)
	}
	l.local.Close() //nolint:errcheck // nothing is left of it
	l.work.Wait()
	l.net.Close() //nolint:errcheck // nothing is left of it
	if l.failed != nil {
		why = l.failed
	}
	if !l.open {
		if errors.Is(why, link.ErrClosed) && l.ctx.Err() != nil {
			why = context.Cause(l.ctx)
		}
		l.opened <- why
	}
	reason := why.Error()
	if why == link.ErrClosed { //nolint:errorlint // we left
		reason = ""
	}
	l.session.close(reason)
}

// fail ends the session, after what it does now.
func (l *loop) fail(err error) {
	l.failed = err
	l.post1(func() { l.step(plan.Leave{}) })
}

// step gives the plan an input, and does what it wants.
func (l *loop) step(in plan.Input) {
	if l.end != nil {
		return
	}
	if l.slept(time.Now()) {
		l.step(plan.Slept{}) // it is to know first
	}
	for _, o := range l.plan.Step(time.Now(), in) {
		l.do(o)
	}
}

// slept reports whether this machine did nothing for a while. The time of day tells: the clock that timers go by may stand still
// meanwhile (facts, bridge 6).
func (l *loop) slept(now time.Time) bool {
	before := l.looked
	l.looked = now.Round(0)
	return !before.IsZero() && l.looked.Sub(before) >= sleepLeast
}

// do carries out an output of the plan.
func (l *loop) do(o plan.Output) {
	switch o := o.(type) {
	case plan.Send:
		l.say(o)
	case plan.Close:
		l.hangUp(o)
	case plan.Dial:
		l.work.Go(func() { l.dial(o) })
	case plan.Knock:
		l.work.Go(l.knock)
	case plan.Meet:
		link.Offer(l.meets, o.On) // what is asked for again and again is asked for once more
	case plan.Ended:
		l.end = &o.Why
	case plan.Entered:
		l.enter(o)
	case plan.Moved:
		if err := l.local.Move(o.Slot, filter.Ports(o.Ports)); err != nil {
			l.fail(err)
			return
		}
		l.publish()
		l.session.tell(SlotChanged{Self: l.self()})
	case plan.Stands:
		l.stand(o)
	case plan.Falls:
		l.local.Drop(o.Machine.Slot)
	case plan.Gone:
		gone := l.describe(plan.Member{Machine: o.Machine})
		gone.Twin = l.member(o.Machine.ID).Twin // it is still published
		l.publish()
		if _, known := l.known[o.Machine.ID]; known {
			delete(l.known, o.Machine.ID)
			l.session.tell(Left{Member: gone, Reason: reasonFor(o.Reason)})
		}
	case plan.Keeps:
		l.publish()
		if l.open {
			l.session.tell(KeeperChanged{Member: l.member(o.ID), Ask: l.plan.Asks()})
		}
	case plan.Asked:
		l.publish()
		l.session.tell(asked(o.Machine))
	case plan.Unasked:
		l.publish()
		l.session.tell(Unasked{ID: link.ID(o.Machine.ID), Name: o.Machine.Name, Reason: unasked[o.Reason]})
	case plan.WaysWanted:
		l.tellWays(o.ID)
	case plan.WaysTold:
		l.hearWays(o)
	case plan.Waits:
		l.opt.Waits(ForYes)
	}
}

// asked returns what the program is told of a newcomer.
func asked(m plan.Machine) Asked { return Asked{ID: link.ID(m.ID), Name: m.Name} }

// enter opens what stands for the other machines.
func (l *loop) enter(o plan.Entered) {
	s, err := l.opt.stands(local.Options{Slot: o.Slot, Ports: filter.Ports(o.Ports), Game: l.game.Ports, Record: l.opt.Record,
		Report: l.session.tellLocal})
	if err != nil {
		l.fail(err)
		return
	}
	l.local, l.entered = s, true
}

// post1 has the loop do something after what it does now.
func (l *loop) post1(do func()) { l.work.Go(func() { l.post(do) }) }

// stand has a machine be on its slot.
func (l *loop) stand(o plan.Stands) {
	w := l.wires[o.Link]
	if w == nil {
		return
	}
	if err := l.local.Stand(o.Machine.Slot, filter.Ports(o.Machine.Ports), w.link); err != nil && w.link.Context().Err() == nil {
		l.session.tell(Local{Event: local.Cut{Slot: o.Machine.Slot, Err: err}})
	}
	l.publish()
	m := l.member(o.Machine.ID)
	before, known := l.known[o.Machine.ID]
	l.known[o.Machine.ID] = m
	switch {
	case known:
		l.session.tell(WayChanged{Member: m, First: before.Name == "" && !before.Linked})
	case l.open:
		l.session.tell(Joined{Member: m})
	}
}

// publish makes the lists that Members and Asking return.
func (l *loop) publish() {
	var all []seen
	named := map[string]int{}
	for _, m := range slices.Concat([]plan.Member{{Machine: l.plan.Self()}}, l.plan.Members()) {
		if m.Slot < 0 {
			continue
		}
		s := seen{member: l.describe(m)}
		if w := l.wires[m.Link]; w != nil {
			s.link = w.link
		}
		all = append(all, s)
		named[m.Name]++
	}
	slices.SortStableFunc(all, func(a, b seen) int { return cmp.Compare(a.member.Slot, b.member.Slot) })
	named[""] = 0 // machines without a name are no twins
	for i := range all {
		m := &all[i].member
		m.Twin, m.Hosts = named[m.Name] > 1, slices.Contains(l.hosts, m.Slot)
	}
	var asking []Asked
	for _, m := range l.plan.Asking() {
		asking = append(asking, asked(m))
	}
	l.session.mu.Lock()
	l.session.members, l.session.asking = all, asking
	l.session.mu.Unlock()
}

// self returns this machine.
func (l *loop) self() Member { return l.describe(plan.Member{Machine: l.plan.Self()}) }

// describe returns a machine, without its way.
func (l *loop) describe(m plan.Member) Member {
	self := m.ID == l.plan.Self().ID
	return Member{ID: link.ID(m.ID), Slot: m.Slot, Name: m.Name, Self: self, Linked: self || m.Link != 0,
		Keeper: m.ID == l.plan.Keeper(), Ports: filter.Ports(m.Ports)}
}

// member returns a machine of those that are published, or of those that are about to get a slot.
func (l *loop) member(id plan.ID) Member {
	// No other goroutine writes the list.
	if m, found := find(l.session.members, func(m seen) bool { return m.member.ID == link.ID(id) }); found {
		return m.now()
	}
	if m, found := find(l.plan.Members(), func(m plan.Member) bool { return m.ID == id }); found {
		return l.describe(m)
	}
	return Member{ID: link.ID(id), Slot: -1}
}

// find returns the first element of a list for which is is true.
func find[T any](list []T, is func(T) bool) (one T, found bool) {
	i := slices.IndexFunc(list, is)
	if i < 0 {
		return one, false
	}
	return list[i], true
}

// meet has newcomers find us, or not. Where we are told to although we do, another machine may have taken the address over.
func (l *loop) meet() {
	for on := range l.meets {
		if on && slices.ContainsFunc(l.net.Meeting(), valid) {
			l.net.Meet(false)
		}
		l.net.Meet(on)
	}
}
