package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/hostmigrate/view"
	"dplay4/playerlist"
	"dplay4/wire"
)

// views connects the engine with the core that decides who is in the session, who leads it, and how its parts come together.
type views struct {
	e        *Engine
	core     *view.Core // nil: the session has none
	maker    wire.PlayerID
	adopting bool            // the core changes the list
	former   wire.ViewMember // the host that was gone before this machine had a view; it is asked to let this machine in again
	ask      backoff
	ledAt    time.Duration // when a peer last said that it has a view
	waited   int
	alone    time.Duration // until then a newcomer without a view waits for a leader; 0: it has one
	losing   bool          // the core removes a machine
	audit    time.Duration
	kept     keptLinks
}

// on reports whether the session has views.
func (v *views) on() bool { return v.core != nil }

// wanted reports whether a session has them.
func (v *views) wanted() bool { return v.e.cfg.Views && v.e.extended() && v.e.migrates() }

// A backoff is how rarely something is tried: after one period, then twice as long each time, at most claimPeriods.
type backoff struct{ at, wait time.Duration }

// due reports whether it is to be tried now.
func (b *backoff) due(now, period time.Duration) bool {
	if b.at > now {
		return false
	}
	b.wait = min(max(2*b.wait, period), claimPeriods*period)
	b.at = now + b.wait
	return true
}

// open begins a core: as host with the list, or as a member that waits for its first view.
func (v *views) open() {
	e := v.e
	if *v = (views{e: e}); !v.wanted() {
		return
	}
	answer := min(hostmigrate.DefaultTimeout, e.cfg.Period)
	self := wire.ViewMember{System: e.self, Incarnation: wire.Incarnation(e.arrivals.incarnation)}
	if d, ok := wire.ParseSPData(e.cfg.spData()); ok {
		self.Stream, self.Datagram = d.Stream, d.Datagram
		self.Datagram.Zero = [8]byte{}
	}
	v.core = view.New(view.Config{
		Self: self, Period: e.cfg.Period, Probe: answer, Patience: 2*e.cfg.Period + answer, Random: e.rng.Uint32,
		List: func() *playerlist.List { return e.list },
		Silence: func(id wire.PlayerID) time.Duration {
			if p := e.peerByID(id); p != nil {
				return e.now - p.lastWord
			}
			return 0
		},
		Admit: func(s playerlist.Session) bool {
			has := e.list.Session()
			const closed = wire.SessionJoinDisabled | wire.SessionNewPlayersDisabled
			full := has.Desc.MaxPlayers > 0 && has.Desc.CurrentPlayers >= has.Desc.MaxPlayers
			return s.Desc.Instance == has.Desc.Instance && has.Desc.Flags&closed == 0 && !full &&
				(!hasText(has.Password) || has.Password.Equal(s.Password))
		},
		IDs: e.freshIDs, Room: room(e),
	})
	v.audit = e.now + e.cfg.Period
	if e.hosting() {
		v.core.Host(e.now, e.list)
	} else {
		v.core.Join(e.now, e.self)
	}
}

// did tells the core of a change of the list.
func (v *views) did(op playerlist.Op) {
	if v.on() && !v.adopting {
		maker := v.maker
		if maker == 0 {
			maker = v.e.self
		}
		v.core.Did(v.e.now, maker, op)
	}
}

// covers reports whether the list has what a message would change, because the leader's word of it came first.
func (v *views) covers(op playerlist.Op) bool { return v.on() && v.core.Covers(op) }

// meets tells the core of a peer that said hello.
func (v *views) meets(p *peer) {
	if v.on() {
		v.e.sayExtension(TCP, p, v.core.Introduction())
	}
}

// suspects has the core decide about a machine that does not answer, and reports whether it does.
func (v *views) suspects(p *peer) bool {
	if !v.on() || v.losing {
		return false
	}
	if v.newcomer() {
		return v.orphaned(p)
	}
	v.core.Suspect(v.e.now, p.system)
	return true
}

// asksHost has the leader ask a legacy host whether it is there after a connection broke, because all would lose it, and reports whether
// it does.
func (v *views) asksHost(p *peer) bool {
	if !v.on() || !v.core.Leads() || p.system != v.e.host || v.knows(p) {
		return false
	}
	v.do(view.Ask{ID: p.system})
	v.e.liveness.asked.hasten(p.system, v.e.now+2*hungUpGrace) // as a rule the end of a connection is the goodbye
	return true
}

// newcomer reports whether this machine waits for its first view.
func (v *views) newcomer() bool { return v.core.View().Epoch == 0 }

// orphaned has a machine wait for another leader if its host is gone before it had a view, and reports whether it is.
func (v *views) orphaned(p *peer) bool {
	e := v.e
	if p.system != e.host {
		return p.modern && v.alone != 0
	}
	v.alone = e.now + min(hostmigrate.DefaultTimeout, e.cfg.Period)
	if v.knows(p) {
		v.alone += multiple(e.cfg.Period, 2) // for those who elect another leader
	} else {
		v.losing = true
		e.lose(p, loss{CauseSilent, "it does not answer"})
		v.losing = false
		v.introduce()
		return true
	}
	v.former = wire.ViewMember{Stream: sockAddr(p.stream)}
	v.do(view.LeaderGone{Leader: p.system})
	first := e.self
	for _, x := range e.peers.all {
		if x != p && v.knows(x) {
			first = min(first, x.system)
		}
	}
	v.do(view.Candidate{ID: first})
	v.introduce()
	return true
}

// introduce tells the host that this machine waits for its first view. Where the host is gone or a legacy machine it tells all peers: then any
// of them may lead.
func (v *views) introduce() {
	h := v.e.peerByID(v.e.host)
	leads := v.alone == 0 && h != nil && v.knows(h)
	for _, p := range v.e.peers.all {
		if p.modern && (!leads || p == h) {
			v.core.AskIn(v.e.now, p.member())
		}
	}
}

// lonely ends the wait for a first view: if none of the others has one, the machine with the lowest id leads. Where others have one,
// and do not let this machine in, it has lost the session.
func (v *views) lonely() {
	e := v.e
	v.waited++
	stood := e.now > v.alone+e.cfg.Period // this program stood still, and has not read the others' words yet
	old, since := e.migration.lastHost(), e.now-multiple(e.cfg.Period, 2)
	here := func(p *peer) bool { return p.system != old && p.modern && p.lastWord >= since }
	legacy := func(p *peer) bool { return !v.knows(p) && (p.system != old || e.host != 0) }
	led := v.ledAt != 0 && v.ledAt >= since
	switch {
	case v.waited > 3 && led && e.host == 0:
		e.sessionLost(loss{CauseSilent, "the host was gone before it had told its members of us"})
		return
	case v.waited <= 3 && (stood || led || slices.ContainsFunc(e.peers.all, func(p *peer) bool { return here(p) && p.system < e.self })):
		v.alone = e.now + multiple(e.cfg.Period, 2)
		v.introduce()
		return
	}
	v.alone = 0
	v.losing = true
	for _, p := range slices.Clone(e.peers.all) {
		if e.host != 0 || here(p) || legacy(p) {
			continue
		}
		for _, op := range e.list.Departed(p.system) {
			_ = e.apply(op)
		}
		e.event(PeerLost{System: p.system, Cause: CauseSilent, Reason: "it does not answer"})
		e.removePeer(p)
	}
	v.losing = false
	if !slices.ContainsFunc(e.peers.all, legacy) {
		_, _ = e.list.Apply(playerlist.SetHost{ID: e.self})
	}
	v.core.Host(e.now, e.list)
	v.install(view.Install{List: e.list, Self: e.self, Leader: e.self})
}

// knows reports whether a peer knows views, or may.
func (v *views) knows(p *peer) bool { return p.modern || p.marked }

// legacyHost reports whether the session's host is one that knows no views.
func (v *views) legacyHost() bool {
	h := v.e.peerByID(v.e.host)
	return h != nil && !v.knows(h)
}

// leads reports whether a machine leads this one's view.
func (v *views) leads(system wire.PlayerID) bool {
	return v.on() && !v.newcomer() && v.core.View().Leader == system
}

// first has the first modern member of a session with a legacy host begin a view. Of several that have none, that with the lowest id does.
func (v *views) first() {
	e := v.e
	v.alone = max(e.now, 1)
	if slices.ContainsFunc(e.peers.all, v.knows) {
		v.alone += multiple(e.cfg.Period, 2) + min(hostmigrate.DefaultTimeout, e.cfg.Period)
	}
}

// nextHost returns the machine that is host next in a session with legacy members: the one with the lowest id, or this view's leader if
// that machine knows views.
func (v *views) nextHost(id wire.PlayerID) wire.PlayerID {
	for _, p := range v.e.peers.all {
		if !v.knows(p) && p.claimed {
			return p.system
		}
	}
	if p := v.e.peerByID(id); !v.newcomer() && (id == v.e.self || p != nil && v.knows(p)) {
		return v.core.View().Leader
	}
	return id
}

// lost reports whether a listener is that of a member that was lost.
func (v *views) lost(at netip.AddrPort) bool {
	return v.on() && slices.ContainsFunc(v.core.Lost(), func(m wire.ViewMember) bool { return m.Stream == sockAddr(at) })
}

// leaves tells the core that a machine says goodbye, and reports whether the core does all else: it does if that is the leader.
func (v *views) leaves(p *peer) bool {
	if !v.on() || !p.modern && !p.marked {
		return false
	}
	v.core.Left(v.e.now, p.system)
	return (p.system == v.e.host || v.leads(p.system)) && v.suspects(p)
}

// take takes in a message of the extension about views. Its sender is the peer that it names, a peer that passes on the message of
// somebody else, or nobody of the session. Who left knows the incarnations of all, so that one counts only from its peer.
func (v *views) take(o origin, m *wire.ExtensionView) {
	e := v.e
	const name = "EXTENSION VIEW"
	if o.udp && m.Step != wire.ViewPosition && m.Step != wire.ViewClaim {
		e.drop(o, name, NotAllowed, "it does not come in a datagram")
		return
	}
	source := o.from.Addr().Unmap()
	addressed(&m.From, source)
	for _, all := range [][]wire.ViewMember{m.Members, m.Lost} {
		for i := range all {
			addressed(&all[i], source)
		}
	}
	p := e.peerOf(o)
	if p != nil && (p.system == m.From.System || p.incarnation != 0 && p.incarnation == m.From.Incarnation) { // it may have another id since
		v.takeFrom(o, p, m)
		return
	}
	via := wire.PlayerID(0)
	switch {
	case p != nil && !o.udp && p.incarnation != 0 && view.Passes(m.Step):
		via = p.system
	case another(e.peers.all, v.core.Members(), m.From.Incarnation, 0):
		e.drop(o, name, NotAllowed, "its sender is not "+m.From.System.String())
		return
	default:
		m.From.Stream = sockAddr(o.direct().listener)
	}
	v.core.Handle(e.now, via, m)
}

// takeFrom takes in a message of a peer of its own.
func (v *views) takeFrom(o origin, p *peer, m *wire.ExtensionView) {
	e := v.e
	first := p.incarnation == 0
	switch {
	case first && o.udp:
		return // it introduces itself over a connection
	case first && another(e.peers.all, v.core.Members(), m.From.Incarnation, p.system):
		e.drop(o, "EXTENSION VIEW", NotAllowed, "it names the incarnation of another machine")
		return
	case first:
		v.identify(p, m.From.Incarnation)
	case p.incarnation != m.From.Incarnation:
		e.drop(o, "EXTENSION VIEW", NotMember, "it is another program than the one that was at its address")
		return
	}
	system := m.From.System
	m.From = p.member()
	m.From.System = system
	if m.View.Epoch != 0 && m.Step != wire.ViewJoin && m.Step != wire.ViewAck { // these two tell of a promise
		v.ledAt = e.now
	}
	if first && !(v.legacyHost() && m.View.Epoch != 0 && m.View.Leader == m.From.System) { // one of two that began a view under one host
		if v.core.Meet(e.now, m.From); m.Step == wire.ViewPosition {
			return // that introduced it
		}
	}
	v.core.Handle(e.now, p.system, m)
}

// another reports whether an incarnation is that of a peer or member, but for one with a system player.
func another(peers []*peer, members []wire.ViewMember, i wire.Incarnation, but wire.PlayerID) bool {
	return slices.ContainsFunc(peers, func(p *peer) bool { return p.incarnation == i && p.system != but }) ||
		slices.ContainsFunc(members, func(m wire.ViewMember) bool { return m.Incarnation == i && m.System != but })
}

// addressed fills in the address of a member that leaves it out: it is where the message came from.
func addressed(m *wire.ViewMember, source netip.Addr) {
	if !source.Is4() {
		return
	}
	if m.Stream.Addr == [4]byte{} {
		m.Stream.Addr = source.As4()
	}
	if m.Datagram.Addr == [4]byte{} {
		m.Datagram.Addr = source.As4()
	}
}

// work does what the core wants, until it wants nothing more.
func (v *views) work() {
	e := v.e
	if !v.on() || e.state != member {
		return
	}
	if e.now >= v.audit {
		v.audit = e.now + e.cfg.Period
		e.reconcile.hellosAgain()
		for _, m := range v.core.Members() { // also those whose HELLO was lost
			if e.peerByID(m.System) != nil && !e.objects.Has(m.System) {
				e.objects.Join(e.now, m.System)
			}
		}
		e.objects.Audit()
		e.liveness.rewatch() // who is asked for, and is not lost, is pinged again
		switch {
		case v.newcomer():
			v.introduce()
		case v.former.Stream.Port != 0 && v.core.Leads() && v.ask.due(e.now, e.cfg.Period):
			v.core.AskIn(e.now, v.former)
		}
	}
	switch {
	case v.alone != 0 && !v.newcomer():
		v.alone = 0
	case v.alone == 0 && v.newcomer() && v.legacyHost():
		v.first()
	}
	if v.alone != 0 && v.alone <= e.now {
		if v.lonely(); !v.on() {
			return
		}
	}
	if v.core.Next() <= e.now {
		v.core.Tick(e.now)
	}
	for v.on() && e.state == member {
		all := v.core.Take()
		if len(all) == 0 {
			return
		}
		for _, x := range all {
			if v.on() && e.state == member {
				v.do(x)
			}
		}
	}
}

// next returns when the core has something to do.
func (v *views) next() time.Duration {
	if !v.on() {
		return Never
	}
	next := min(v.core.Next(), v.audit)
	if v.alone != 0 {
		next = min(next, v.alone)
	}
	return next
}

func (v *views) do(x view.Effect) {
	e := v.e
	switch x := x.(type) {
	case view.Send:
		v.send(x)
	case view.Show:
		if !v.core.Lacks(x.Op) {
			return
		}
		v.adopting = true
		err := v.shown(x.Op)
		v.adopting = false
		if err != nil {
			v.core.Refused()
		}
	case view.Install:
		v.install(x)
	case view.LeaderGone:
		if e.migration.running || x.Leader != e.host && !v.newcomer() {
			return
		}
		e.migration.begin()
		e.host = 0
		e.event(HostLost{Host: x.Leader, Cause: CauseSilent, Reason: "it does not answer"})
		e.objects.SetHost(e.now, 0)
		e.requests.wait(e.migration.patience())
		e.liveness.rewatch()
	case view.Candidate:
		if !e.migration.running {
			return
		}
		// The core names the next leader. DirectPlay 4's rule can make a legacy machine host, whatever leads. The old host is still listed.
		next, _ := hostmigrate.Candidate(hostmigrate.DPlay4, e.list, append(e.peers.passed(), e.migration.old)...)
		if p := e.peerByID(next); v.newcomer() || p == nil || v.knows(p) {
			next = x.ID
		}
		e.migration.due = e.migration.patience()
		e.migration.waitFor(next)
	case view.Ask:
		p := e.peerByID(x.ID)
		if p == nil { // this machine lost it
			v.core.Suspect(e.now, x.ID)
		} else if e.liveness.asked.add(p.system, e.now, min(hostmigrate.DefaultTimeout, e.cfg.Period)) {
			p.answered = false
			p.askedUDP, p.askedTCP = e.liveness.pings.Tick(e.now), 0
			if v.knows(p) {
				e.sayHello(p, true)
			}
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: p.askedUDP})
		}
	case view.Lose:
		if p := e.peerByID(x.ID); p != nil {
			why := loss{CauseSilent, x.Reason}
			if x.Anew {
				why.cause = CauseReplaced
			}
			v.losing = true
			e.lose(p, why)
			v.losing = false
			if x.Anew { // the connection is that of the other one
				e.out.Close = slices.DeleteFunc(e.out.Close, func(at netip.AddrPort) bool { return at == p.stream })
			}
		}
	}
}

func (v *views) send(x view.Send) {
	e := v.e
	m := wire.NewExtension(e.self, x.Message)
	stream, datagram := resolve(x.To.Stream, netip.Addr{}), resolve(x.To.Datagram, netip.Addr{})
	p := e.peerByID(x.To.System)
	if p != nil && (p.incarnation == 0 || p.incarnation == x.To.Incarnation) {
		stream, datagram = p.stream, p.datagram
	} else {
		p = nil
	}
	switch {
	case x.Datagram && datagram.IsValid():
		e.send(UDP, datagram, m)
	case !x.Datagram && stream.IsValid():
		e.sendTCP(stream, m)
		if p == nil {
			e.hangUpUnknown(stream)
		}
	}
}

// shown follows an operation of the leader about the host as well: a legacy one is gone, or there is another one.
func (v *views) shown(op playerlist.Op) error {
	e := v.e
	switch o := op.(type) {
	case playerlist.SetHost:
		if e.peerByID(o.ID) != nil {
			e.migration.newHost(o.ID)
		}
	case playerlist.DeletePlayer:
		if o.ID == e.host && e.peerByID(o.ID) != nil {
			why := loss{CauseSilent, "it does not answer"}
			e.event(PeerLost{System: o.ID, Cause: why.cause, Reason: why.text})
			e.departed(o.ID, why, true)
			return nil
		}
	}
	return v.follow(op)
}

// follow has an operation take effect in the list and, if it is about a machine, among the peers.
func (v *views) follow(op playerlist.Op) error {
	e := v.e
	switch o := op.(type) {
	case playerlist.AddPlayer:
		if o.Entry.Flags&wire.PlayerSystem == 0 {
			break
		}
		o.Entry.Flags &^= wire.PlayerNameServer
		if err := e.apply(o); err != nil {
			return err
		}
		if o.Entry.ID != e.self {
			p := e.addPeer(o.Entry.ID, o.Entry.SPData, wire.Dialect(o.Entry.Dialect), netip.Addr{})
			e.event(PeerJoined{System: p.system, Addr: p.stream})
			for _, m := range v.core.Members() {
				if m.System == p.system {
					v.identify(p, m.Incarnation)
				}
			}
			e.greet(p)
		}
		return nil
	case playerlist.DeletePlayer:
		p := e.peerByID(o.ID)
		if err := e.apply(o); err != nil {
			return err
		}
		if p != nil {
			e.event(PeerLost{System: p.system, Cause: CauseSilent, Reason: "the host lost it"})
			e.removePeer(p)
		}
		return nil
	case playerlist.DeleteGroup:
		e.partition.keepLinks(o.ID)
	case playerlist.SetSPData:
		return nil // addresses are those at which this machine reaches its peers
	}
	return e.apply(op)
}

// install makes the list and the peers those of a view.
func (v *views) install(x view.Install) {
	e := v.e
	old := e.migration.lastHost()
	hosted := e.hosting()
	host := x.Leader
	if v.core.Mixed() {
		host = x.List.Host()
	}
	if x.Merged {
		for _, p := range e.peers.all {
			p.link.Void(isVoid)
		}
	}
	instead := map[wire.PlayerID]wire.PlayerID{}
	for _, r := range x.Renamed {
		instead[r.New] = r.Old
	}
	v.adopting = true
	for _, m := range x.Members { // an id that two parts gave is another machine's now
		if p := e.peerByID(m.System); p != nil && p.incarnation != 0 && p.incarnation != m.Incarnation {
			for _, op := range e.list.Departed(p.system) {
				_ = v.follow(op)
			}
		}
	}
	if x.Self != e.self {
		v.rename(x.Self)
	}
	var groups []wire.PlayerID
	var legacy []*peer
	for _, p := range e.peers.all {
		if !v.knows(p) {
			legacy = append(legacy, p)
		}
	}
	if hosted && host != x.Self && e.peerByID(host) == nil {
		for _, p := range legacy { // they cannot follow this part's modern members to another host
			e.sendTCP(p.stream, &wire.YouAreDead{})
		}
	}
	ops := playerlist.Diff(e.list, v.located(x))
	for _, op := range ops {
		var id wire.PlayerID
		switch o := op.(type) {
		case playerlist.AddPlayer:
			id = o.Entry.ID
		case playerlist.AddGroup:
			id = o.Entry.ID
			groups = append(groups, id)
		}
		e.requests.was = instead[id]
		_ = v.follow(op) // Diff's operations fit
	}
	e.requests.was, v.adopting = 0, false
	if v.former.Stream.Port != 0 && e.peerAt(resolve(v.former.Stream, netip.Addr{})) != nil {
		v.former = wire.ViewMember{}
	}
	for _, m := range x.Members {
		if p := e.peerByID(m.System); p != nil {
			v.identify(p, m.Incarnation)
			p.modern = true
			p.frameLinks.Ours()
			e.frames().InView(&p.frameLinks)
		}
	}
	defer func() {
		for _, id := range groups {
			e.partition.recall(id)
		}
		if v.core.Leads() {
			v.meetAll()
		}
		e.liveness.rewatch()
	}()
	if hosted && host != e.self {
		e.admission.end()
	}
	if host == 0 {
		running := e.migration.running
		if !running {
			e.migration.begin()
		}
		for _, op := range ops {
			if m := deletion(op); m != nil {
				e.migration.left = append(e.migration.left, m)
			}
		}
		if running {
			e.migration.elect(old)
		} else {
			e.migration.hostGone(loss{CauseSilent, "it does not answer"})
		}
		return
	}
	took := time.Duration(0)
	if e.migration.running {
		if e.migration.candidate == 0 {
			v.do(view.Candidate{ID: host})
		}
		took = e.now - e.migration.since
	}
	changed := host != old || e.migration.running
	e.migration = migration{e: e}
	_, _ = e.list.Apply(playerlist.SetHost{ID: host})
	e.host = host
	if e.hosting() {
		if changed && !hosted || x.Merged {
			e.migration.sayHost()
		}
		v.tellLegacy(legacy, ops)
	}
	if !changed {
		return
	}
	if e.hosting() && !hosted {
		e.admission.ids = e.freshIDs(e.list)
	}
	for _, p := range e.peers.all {
		p.passed, p.back = false, false
		e.liveness.pings.Remove(p.system)
	}
	e.liveness.rewatch()
	e.liveness.pings.Restart(e.now)
	e.objects.SetHost(e.now, host)
	e.event(HostChanged{Old: old, New: host, Took: took, Hosting: e.hosting()})
	if x.Merged {
		e.event(SessionHealed{Host: host, System: e.self})
	}
	if e.hosting() {
		for _, r := range e.requests.takeAll() {
			e.requests.asHost(r)
		}
	} else if len(e.requests.line) > 0 {
		e.requests.line[0].tries = 0
		e.requests.ask()
	}
}

// tellLegacy tells legacy machines, as their host, what changed with a view.
func (v *views) tellLegacy(all []*peer, ops []playerlist.Op) {
	for _, op := range ops {
		m := v.says(op)
		for _, p := range all {
			if m != nil && v.e.peerByID(p.system) == p {
				v.e.sendTCP(p.stream, m)
			}
		}
	}
}

// says returns the message of DirectPlay 4 with which a host tells of an operation; nil: there is none.
func (v *views) says(op playerlist.Op) wire.Message {
	e := v.e
	switch o := op.(type) {
	case playerlist.AddPlayer:
		info, ok := e.list.Packed(o.Entry.ID, e.self)
		switch {
		case !ok:
		case o.Entry.Flags&wire.PlayerSystem != 0:
			return &wire.AddForward{Player: o.Entry.ID, Info: info}
		default:
			return &wire.CreatePlayer{Player: o.Entry.ID, Info: info}
		}
	case playerlist.AddGroup:
		if info, ok := e.list.Packed(o.Entry.ID, e.self); ok {
			return &wire.CreateGroup{Player: o.Entry.ID, Info: info}
		}
	case playerlist.DeletePlayer, playerlist.DeleteGroup:
		return deletion(op)
	case playerlist.AddMember:
		return &wire.AddPlayerToGroup{Player: o.Player, Group: o.Group}
	case playerlist.RemoveMember:
		return &wire.DeletePlayerFromGroup{Player: o.Player, Group: o.Group}
	case playerlist.AddShortcut:
		return &wire.AddShortcutToGroup{Child: o.Child, Parent: o.Parent}
	case playerlist.RemoveShortcut:
		return &wire.DeleteGroupFromGroup{Child: o.Child, Parent: o.Parent}
	case playerlist.SetName:
		return &wire.PlayerNameChanged{Player: o.ID, ShortName: o.ShortName, LongName: o.LongName}
	case playerlist.SetData:
		return &wire.PlayerDataChanged{Player: o.ID, Data: o.Data}
	}
	return nil
}

// member returns a peer as the core knows it.
func (p *peer) member() wire.ViewMember {
	return wire.ViewMember{System: p.system, Incarnation: p.incarnation, Stream: sockAddr(p.stream), Datagram: sockAddr(p.datagram)}
}

// meetAll brings those into the view whom the leader before let in.
func (v *views) meetAll() {
	for _, p := range v.e.peers.all {
		if p.incarnation != 0 {
			v.core.Meet(v.e.now, p.member())
		}
	}
}

// rename gives this machine another id: its players and groups go with the old one, and come back with those of the view.
func (v *views) rename(self wire.PlayerID) {
	e := v.e
	for _, op := range e.list.Departed(e.self) {
		_ = e.apply(op)
	}
	e.self = self
	e.keepObjects(&rejoining{objects: e.leaveObjects(), new: true}) // they have this machine's former id
	for _, p := range e.peers.all {
		if p.modern {
			e.objects.Join(e.now, p.system)
		}
	}
}

// located returns the list of a view with the addresses at which this machine reaches the members.
func (v *views) located(x view.Install) *playerlist.List {
	e := v.e
	s := x.List.State()
	for i := range s.Entries {
		n := &s.Entries[i]
		if has, ok := e.list.Look(n.ID); ok && has.System == n.System {
			n.SPData = has.SPData
			continue
		}
		k := slices.IndexFunc(x.Members, func(m wire.ViewMember) bool { return m.System == n.System })
		if d, ok := wire.ParseSPData(n.SPData); ok && k >= 0 {
			if d.Stream.Addr == [4]byte{} {
				d.Stream.Addr = x.Members[k].Stream.Addr
			}
			if d.Datagram.Addr == [4]byte{} {
				d.Datagram.Addr = x.Members[k].Datagram.Addr
			}
			n.SPData = d.Append(nil)
		}
	}
	l, err := playerlist.Load(s)
	if err != nil {
		return x.List
	}
	return l
}
