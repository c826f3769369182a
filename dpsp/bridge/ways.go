package bridge

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/plan"
)

func valid(a netip.AddrPort) bool { return a.IsValid() }

// look looks at what changes by itself: addresses, relays, and ways. It returns when to look again.
func (l *loop) look() time.Duration {
	if l.slept(time.Now()) {
		l.step(plan.Slept{})
	}
	l.reach()
	l.code()
	if !l.open {
		l.begin()
		return lookSoon
	}
	l.relays()
	l.listen()
	l.hosts = l.local.Hosts()
	l.publish()
	for _, m := range l.session.members {
		id := plan.ID(m.member.ID)
		now := m.now()
		before, known := l.known[id]
		tell := func(e Event) {
			l.known[id] = now
			l.session.tell(e)
		}
		if !known {
			if !now.Linked {
				tell(Joined{Member: now})
			}
			continue
		}
		if now.path() != before.path() {
			tell(WayChanged{Member: now})
		}
		if now.Hosts != before.Hosts {
			tell(GameHosts{Member: now})
		}
	}
	return look
}

// listen tells the plan whom nothing comes from.
func (l *loop) listen() {
	for n, w := range l.wires {
		before := w.silent >= silentMost
		w.silent++
		if w.link.Way().Over != "" {
			w.silent = 0
		}
		if now := w.silent >= silentMost; now != before {
			l.step(plan.Quiet{Link: n, On: now})
		}
	}
}

// begin has Share or Join return, once we are in and newcomers can come.
func (l *loop) begin() {
	waits := l.keeps() && !slices.ContainsFunc(l.net.Meeting(), valid)
	if !l.entered || l.failed != nil || waits && time.Since(l.began) < meetingMost {
		return
	}
	l.open = true
	l.publish()
	l.session.open(Opened{Code: l.session.Code(), Self: l.self()})
	for _, m := range l.session.members {
		if _, known := l.known[plan.ID(m.member.ID)]; known {
			l.session.tell(Joined{Member: m.now()})
		}
	}
	l.opened <- nil
}

// keeps reports whether this machine is to answer newcomers.
func (l *loop) keeps() bool { return l.plan.Keeper() == l.plan.Self().ID }

// reach tells the plan our addresses.
func (l *loop) reach() {
	at := plan.Reached{At: l.net.Addresses()}
	ports := code.Ports(l.keys.Meeting)
	if m := l.net.Meeting(); len(m) > 0 && !slices.Contains(ports[:], m[0].Port()) {
		at.Meeting = m[0] // not valid while there is none
	}
	if slices.Equal(l.reached.At, at.At) && l.reached.Meeting == at.Meeting {
		return
	}
	l.reached = at
	l.step(at)
}

// code tells what newcomers need to know, if it is new.
func (l *loop) code() {
	s := l.session
	at := l.plan.Meeting()
	sure := l.keeps() && slices.ContainsFunc(l.net.Meeting(), valid) // otherwise none may mean that it is not known yet
	if !l.entered || s.code.Meeting == at || !at.IsValid() && !sure {
		return
	}
	s.mu.Lock()
	s.code.Meeting = at
	s.mu.Unlock()
	if l.open {
		s.tell(CodeChanged{Code: s.Code()})
	}
}

// relays tells which relays answer, and which do not any more.
func (l *loop) relays() {
	all := l.net.Relays()
	answer := slices.DeleteFunc(slices.Clone(all), func(r link.Relay) bool { return !r.Relayed.IsValid() })
	for _, r := range all {
		up := r.Relayed.IsValid()
		before, told := l.relay[r.Name]
		switch {
		case told && up == before:
		case up:
			l.relay[r.Name] = true
			l.session.tell(RelayFound{Relay: r.Name, Transport: r.Transport, Again: told})
		case r.Err != nil:
			l.relay[r.Name] = false
			l.session.tell(RelayLost{Relay: r.Name, Reason: r.Err.Error(), Found: before, Others: len(answer)})
		}
	}
}
