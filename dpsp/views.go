package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/hostmigrate/view"
	"dplay4/playerlist"
	"dplay4/wire"
)

// views connects the engine with the core that decides who is in the session, who leads it, and how its parts come together.
type views struct {
	e *Engine
	*viewSender
}

// A viewSender is the part of views that changes nothing in the list.
type viewSender struct {
	e *sender
	*viewState
}

// A viewState is the state of views. It has no pointer to the engine.
type viewState struct {
	core     *view.Core // nil: the session has none
	maker    wire.PlayerID
	adopting bool            // the core changes the list
	former   wire.ViewMember // the host that went before this machine had a view
	ledAt    time.Duration   // when a message of a peer with a view came last
	waited   int
	alone    time.Duration // when the wait of a newcomer for a leader ends; 0: it does not wait
	losing   bool          // the core removes a machine
	audit    time.Duration
	recalled recalledLinks // of players of ours
	kept     keptLinks     // to programs that were lost
	ownWords               // that are waited for
}

// on reports whether the session has views.
func (v *viewState) on() bool { return v.core != nil }

// open begins a core: as host with the list, or as a member that waits for its first view.
func (v *viewSender) open() {
	e := v.e
	if *v.viewState = (viewState{}); !e.extended() {
		return
	}
	answer := e.answerTime()
	self := wire.ViewMember{System: e.self, Incarnation: wire.Incarnation(e.arrivals.incarnation)}
	if d, ok := wire.ParseSPData(e.cfg.spData()); ok {
		self.Stream, self.Datagram = d.Stream, d.Datagram
		self.Datagram.Zero = [8]byte{}
	}
	v.core = view.New(view.Config{
		Self: self, Period: e.cfg.Period, Probe: answer, Patience: 2*e.cfg.Period + answer, Random: e.rng.Uint32,
		List:       func() *playerlist.List { return e.list },
		KeepsAlive: func() bool { return e.flags()&wire.SessionKeepAlive != 0 },
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

// did passes a change of the list to the core.
func (v *viewSender) did(op playerlist.Op) {
	if v.on() && !v.adopting {
		maker := v.maker
		if maker == 0 {
			maker = v.e.self
		}
		v.core.Did(v.e.now, maker, op)
	}
}

// covers reports whether a message has no effect any more, because the leader's operation came first.
func (v *viewState) covers(op playerlist.Op) bool { return v.on() && v.core.Covers(op) }

// meets sends a peer that said hello this machine's introduction.
func (v *viewSender) meets(p *peer) {
	if v.on() {
		v.e.sayExtension(TCP, p, v.core.Introduction())
	}
}

// suspects reports a machine that does not answer to the core, and whether the core decides about it.
func (v *views) suspects(p *peer) bool {
	if !v.on() || v.losing || p.system == v.e.host && !v.e.migrates() { // the session ends with its host
		return false
	}
	if v.newcomer() {
		return v.orphaned(p)
	}
	v.core.Suspect(v.e.now, p.system)
	return true
}

// asksHost asks a legacy host whether it is there after a connection to it broke, because all members would lose it. Only the leader asks;
// the result reports whether this machine did.
func (v *views) asksHost(p *peer) bool {
	if !v.on() || !v.core.Leads() || p.system != v.e.host || v.knows(p) {
		return false
	}
	v.do(view.Ask{ID: p.system})
	v.e.liveness.asked.hasten(p.system, v.e.now+2*hungUpGrace) // as a rule the end of a connection is the goodbye
	return true
}

// newcomer reports whether this machine waits for its first view.
func (v *viewState) newcomer() bool { return v.core.View().Epoch == 0 }

// orphaned makes a machine whose host is gone before it has a view wait for another leader, and reports whether it waits.
func (v *views) orphaned(p *peer) bool {
	e := v.e
	if p.system != e.host { // the host decides about it, and the first view tells
		return p.modern && v.alone != 0 || v.knows(p) && !v.legacyHost()
	}
	v.alone, v.ledAt = e.now+e.answerTime(), 0
	switch {
	case v.knows(p) && !slices.ContainsFunc(e.peers.all, func(x *peer) bool { return x != p }):
		v.alone = max(e.now, 1) // nobody else can lead
	case v.knows(p):
		v.alone += multiple(e.cfg.Period, 2) // for those who elect another leader
	default:
		v.losing = true
		e.lose(p, loss{CauseSilent, "it does not answer"})
		v.losing = false
		v.introduce()
		return true
	}
	v.former = p.member()
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

// introduce sends the host a JOIN, because this machine has no view. If the host is gone, or a legacy machine, it sends one to all peers,
// because any of them may lead.
func (v *viewSender) introduce() {
	h := v.e.peerByID(v.e.host)
	leads := v.alone == 0 && h != nil && v.knows(h)
	for _, p := range v.e.peers.all {
		if p.modern && p == h || !leads && v.knows(p) {
			v.core.AskIn(v.e.now, p.member())
		}
	}
}

// lonely ends the wait for a first view. If no other machine has one, the lowest id leads. If others have one, and do not let this machine
// in, it has lost the session.
func (v *views) lonely() {
	e := v.e
	v.waited++
	stood := e.now > v.alone+e.cfg.Period // this program stood still, and messages wait to be read
	old, since := e.lastHost(), e.now-multiple(e.cfg.Period, 2)
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
	if v.former.Stream.Port != 0 {
		v.core.Miss(v.former)
	}
	v.install(view.Install{List: e.list, Self: e.self, Leader: e.self})
}

// knows reports whether a peer is modern, or bears our mark and may be.
func (v *viewState) knows(p *peer) bool { return p.modern || p.marked }

// legacyHost reports whether the session has a legacy host.
func (v *viewSender) legacyHost() bool {
	h := v.e.peerByID(v.e.host)
	return h != nil && !v.knows(h)
}

// hasLeft reports whether the program of a peer said goodbye.
func (v *viewState) hasLeft(p *peer) bool { return p.incarnation != 0 && v.core.HasLeft(p.incarnation) }

// leads reports whether a machine leads the view that this one is in.
func (v *viewState) leads(system wire.PlayerID) bool {
	return v.on() && !v.newcomer() && v.core.View().Leader == system
}

// first begins the wait after which this machine begins a view under a legacy host. Of several machines without a view the lowest id does.
func (v *viewSender) first() {
	e := v.e
	v.alone = max(e.now, 1)
	if slices.ContainsFunc(e.peers.all, v.knows) {
		v.alone += multiple(e.cfg.Period, 2) + e.answerTime()
	}
}

// nextHost returns the next host of a session with legacy members: the lowest id, or the leader of this view if that machine is modern.
func (v *viewSender) nextHost(id wire.PlayerID) wire.PlayerID {
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

// lost reports whether a lost member was at a listener.
func (v *viewState) lost(at netip.AddrPort) bool {
	return v.on() && slices.ContainsFunc(v.core.Lost(), func(m wire.ViewMember) bool { return m.Stream == sockAddr(at) })
}

// leaves passes a machine's goodbye to the core, and reports whether the core does all else: it does if that machine leads or hosts.
func (v *views) leaves(p *peer) bool {
	if !v.on() || !p.modern && !p.marked {
		return false
	}
	v.core.Left(v.e.now, p.system)
	return (p.system == v.e.host || v.leads(p.system)) && v.suspects(p)
}

// take handles a VIEW. It comes from the peer that it names, from a peer that passes it on, or from no peer. A program that left has the
// incarnations of all members, so a member's message counts only from its peer.
func (v *viewSender) take(o origin, m *wire.ExtensionView) {
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
	if p != nil && (p.system == m.From.System || p.incarnation != 0 && p.incarnation == m.From.Incarnation) { // it may have got another id
		v.takeFrom(o, p, m)
		return
	}
	via := wire.PlayerID(0)
	switch {
	case p != nil && !o.udp && p.incarnation != 0 && view.Passes(m.Step):
		via = p.system
	case m.Step != wire.ViewAnswer && another(e.peers.all, v.core.Members(), m.From.Incarnation, 0): // the nonce of an ANSWER proves its listener
		e.drop(o, name, NotAllowed, "its sender is not "+m.From.System.String())
		return
	default:
		m.From.Stream = sockAddr(o.direct().listener)
	}
	v.core.Handle(e.now, via, m)
}

// takeFrom handles a VIEW that comes from the peer that it names.
func (v *viewSender) takeFrom(o origin, p *peer, m *wire.ExtensionView) {
	e := v.e
	first := p.incarnation == 0
	switch {
	case first && o.udp:
		return // it introduces itself over a connection
	case first && (another(e.peers.all, v.core.Members(), m.From.Incarnation, p.system) || v.elsewhere(p, m.From.Incarnation)):
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
	if m.View.Epoch != 0 && m.Step != wire.ViewJoin && m.Step != wire.ViewAck { // the View of these two is a promise
		v.ledAt = e.now
	}
	leads := m.View.Epoch != 0 && m.View.Incarnation == m.From.Incarnation
	if leads && m.Step == wire.ViewPosition && v.newcomer() && v.legacyHost() { // the host cannot let this machine into a view
		v.core.AskIn(e.now, m.From)
	}
	if first && !(v.legacyHost() && m.View.Epoch != 0 && m.View.Leader == m.From.System) { // one of two that began a view under one host
		if v.core.Meet(e.now, m.From); m.Step == wire.ViewPosition {
			return // that introduced it
		}
	}
	v.core.Handle(e.now, p.system, m)
}

// another reports whether an incarnation is that of a peer or member with another system player than but.
func another(peers []*peer, members []wire.ViewMember, i wire.Incarnation, but wire.PlayerID) bool {
	return slices.ContainsFunc(peers, func(p *peer) bool { return p.incarnation == i && p.system != but }) ||
		slices.ContainsFunc(members, func(m wire.ViewMember) bool { return m.Incarnation == i && m.System != but })
}

// elsewhere reports whether an incarnation is that of a lost member which was at another listener than a peer. Programs that left know it.
func (v *viewState) elsewhere(p *peer, i wire.Incarnation) bool {
	at := sockAddr(p.stream)
	return slices.ContainsFunc(v.core.Lost(), func(m wire.ViewMember) bool {
		return m.Incarnation == i && (m.Stream.Addr != at.Addr || m.Stream.Port != at.Port)
	})
}

// addressed fills in an unspecified address of a member: it is the one that the message came from.
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

// work does all that is due, and carries out the effects of the core.
func (v *views) work() {
	e := v.e
	if !v.on() || e.state != member {
		return
	}
	if e.now >= v.audit {
		v.audit = e.now + e.cfg.Period
		e.hellosAgain()
		e.objects.Audit()
		e.liveness.rewatch() // a machine that was asked, and is not lost, is pinged again
		if v.newcomer() {
			v.introduce()
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
	for _, op := range v.overdue(e.now) {
		v.show(op)
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
func (v *viewState) next() time.Duration {
	if !v.on() {
		return Never
	}
	next := min(v.core.Next(), v.audit, v.ownWords.next())
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
		if x.Own && v.waits(x.Op) {
			return
		}
		v.show(x.Op)
	case view.Install:
		v.install(x)
	case view.LeaderGone:
		if p := e.peerByID(x.Leader); p != nil && x.Leader == e.host && !e.migrates() {
			e.lose(p, loss{CauseReplaced, "its program began anew"}) // nothing else has the core suspect such a host
			return
		}
		if e.migration.running || x.Leader != e.host && !v.newcomer() {
			return
		}
		e.migration.begin()
		e.host = 0
		why := loss{CauseSilent, "it does not answer"}
		if p := e.peerByID(x.Leader); p != nil && v.hasLeft(p) {
			why = itLeft
		}
		e.event(HostLost{Host: x.Leader, Cause: why.cause, Reason: why.text})
		e.objects.SetHost(e.now, 0)
		e.requests.wait(e.patience())
		e.liveness.rewatch()
	case view.Candidate:
		if !e.migration.running {
			return
		}
		// The core names the next leader. DirectPlay 4's rule can make a legacy machine host, whatever leads. The old host is still listed.
		next, _ := e.list.Lowest(append(e.peers.passed(), e.migration.old)...)
		if p := e.peerByID(next); v.newcomer() || p == nil || v.knows(p) {
			next = x.ID
		}
		e.migration.due = e.patience()
		e.migration.waitFor(next)
	case view.Ask:
		p := e.peerByID(x.ID)
		if p == nil { // this machine lost it
			v.core.Suspect(e.now, x.ID)
		} else if e.liveness.asked.add(p.system, e.now, e.answerTime()) {
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
			if x.Anew && e.peerAt(p.stream) != nil { // the connection is that of the other program
				e.out.Close = slices.DeleteFunc(e.out.Close, func(at netip.AddrPort) bool { return at == p.stream })
			}
		}
	}
}

// show applies an operation of the leader that the list lacks. The operation before it may have ended the session.
func (v *views) show(op playerlist.Op) {
	if !v.on() || !v.core.Lacks(op) {
		return
	}
	v.adopting = true
	err := v.shown(op)
	v.adopting = false
	if err != nil {
		v.core.Refused()
	}
}

func (v *viewSender) send(x view.Send) {
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

// shown applies an operation of the leader, with what it means for the host: a legacy one is gone, or there is another one.
func (v *views) shown(op playerlist.Op) error {
	e := v.e
	switch o := op.(type) {
	case playerlist.SetHost:
		if e.peerByID(o.ID) != nil {
			e.newHost(o.ID)
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

// follow applies an operation to the list and, if it is about a machine, to the peers.
func (v *views) follow(op playerlist.Op) error {
	e := v.e
	switch o := op.(type) {
	case playerlist.AddPlayer:
		if o.Entry.Flags&wire.PlayerSystem == 0 {
			err := e.apply(o)
			if err == nil {
				e.began(o.Entry.System) // its own announcement comes later
			}
			return err
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
		e.tombstones.ofPeer(e.owner(o.ID), o.ID, e.now)
		if err := e.apply(o); err != nil {
			return err
		}
		if p != nil {
			if !v.goes[p.system] && !v.hasLeft(p) {
				e.event(PeerLost{System: p.system, Cause: CauseSilent, Reason: "the host lost it"})
			}
			e.removePeer(p)
		}
		return nil
	case playerlist.DeleteGroup:
		v.keepLinks(o.ID)
		e.tombstones.ofPeer(e.owner(o.ID), o.ID, e.now)
	case playerlist.SetSPData:
		return nil // addresses are those at which this machine reaches its peers
	case playerlist.SetDesc:
		if e.flags()&wire.SessionNoSessionDescMessages != 0 {
			return nil // the host alone has its changes
		}
	case playerlist.SetData:
		if player, _ := e.list.Kind(o.ID); player && e.flags()&wire.SessionNoDataMessages != 0 {
			return nil // its owner alone has it
		}
	}
	return e.apply(op)
}

// install makes the list and the peers those of a view.
func (v *views) install(x view.Install) {
	e := v.e
	old := e.lastHost()
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
	if x.Merged && !e.migration.running && old != 0 && host != 0 && host != old {
		e.event(SessionSplit{Host: old, Other: host})
	}
	instead := map[wire.PlayerID]wire.PlayerID{}
	for _, r := range x.Renamed {
		instead[r.New] = r.Old
	}
	for _, p := range e.peers.all {
		if x.Away && !v.knows(p) {
			e.frames().Anew(&p.frameLinks)
		}
	}
	v.adopting = true
	for _, m := range x.Members { // two parts gave this id, and it is another machine's in the view
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
			v.recall(id)
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
			e.elect()
		} else {
			e.hostGone(loss{CauseSilent, "it does not answer"})
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
	*e.migration.election = election{}
	_, _ = e.list.Apply(playerlist.SetHost{ID: host})
	e.host = host
	if e.hosting() {
		if changed && !hosted || x.Merged {
			e.migration.sayHost()
		}
		v.tellLegacy(legacy, ops)
	}
	if !changed {
		v.healed(x)
		return
	}
	if e.hosting() && !hosted {
		e.admission.IDs = e.freshIDs(e.list)
	}
	for _, p := range e.peers.all {
		p.passed = false
		e.liveness.pings.Remove(p.system)
	}
	e.liveness.rewatch()
	e.liveness.pings.Restart(e.now)
	e.objects.SetHost(e.now, host)
	e.event(HostChanged{Old: old, New: host, Took: took, Hosting: e.hosting()})
	v.healed(x)
	if e.hosting() {
		for _, r := range e.requests.takeAll() {
			e.createAsHost(r)
		}
	} else if len(e.requests.line) > 0 {
		e.requests.line[0].tries = 0
		e.requests.ask()
	}
}

// healed reports to the program that members of another part are in the view.
func (v *viewSender) healed(x view.Install) {
	if x.Merged {
		v.e.event(SessionHealed{Host: v.e.host, System: v.e.self})
	}
}

// tellLegacy sends legacy machines, as their host, the changes of a view.
func (v *viewSender) tellLegacy(all []*peer, ops []playerlist.Op) {
	for _, op := range ops {
		m := v.e.messageOf(op)
		for _, p := range all {
			if m != nil && v.e.peerByID(p.system) == p {
				v.e.sendTCP(p.stream, m)
			}
		}
	}
}

// member returns the core's name of a peer.
func (p *peer) member() wire.ViewMember {
	return wire.ViewMember{System: p.system, Incarnation: p.incarnation, Stream: sockAddr(p.stream), Datagram: sockAddr(p.datagram)}
}

// meetAll brings the peers into the view that the leader before let in.
func (v *viewSender) meetAll() {
	for _, p := range v.e.peers.all {
		if p.incarnation != 0 {
			v.core.Meet(v.e.now, p.member())
		}
	}
}

// rename gives this machine another id. Its players and groups go with the old one, and come back with the view's list.
func (v *views) rename(self wire.PlayerID) {
	e := v.e
	for _, op := range e.list.Departed(e.self) {
		_ = e.apply(op)
	}
	e.self = self
	e.renewObjects()
	for _, p := range e.peers.all {
		if p.modern {
			e.objects.Join(e.now, p.system)
		}
	}
}

// located returns the list of a view with the addresses at which this machine reaches the others.
func (v *viewSender) located(x view.Install) *playerlist.List {
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
