package dpsp

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A joining is a way into a session: an id for our system player is asked for, then admission (3.1.4.2).
type joining struct {
	e        *Engine
	token    uint64
	want     Join
	admitted bool // the id is there, ADDFORWARDREQUEST is out
	tries    int
	deadline time.Duration
	again    time.Duration   // when the request is sent once more; Never: no more
	repeats  int             // how often it still is
	why      error           // what the deadline means; nil: ErrTimeout
	back     *rejoining      // if we were in the session already
	past     []wire.PlayerID // what we were in sessions that we left, lost, or did not get into
	without  func()          // takes a list that came and is without us; nil: none
	backlog                  // of messages of members that know us already, before the list
}

// What waits for the list of players is bounded, for everybody can send it: all in all, and what is of one address, unless
// that is the host's, so that no stranger can keep a member's out. A session of 64 machines that all create a player at the
// moment we join sends as many; beyond that we would rather miss one.
const (
	maxHeld           = 256
	maxHeldEach       = 64
	maxHeldOctets     = 1 << 20
	maxHeldOctetsEach = 1 << 19
)

// begin begins to join.
func (j *joining) begin(token uint64, c Join) error {
	e := j.e
	switch {
	case e.state != idle:
		return ErrInSession
	case e.search.asking != nil:
		return ErrBusy // its answer would be taken for the list that ends the join
	case c.Desc.Flags&wire.SessionSecureServer != 0:
		return ErrSecure
	case !c.Host.IsValid():
		return ErrNoHost
	case c.Password.check() != nil:
		return ErrText
	}
	e.state = joinState
	*j = joining{e: e, past: j.past, token: token, want: c}
	e.text.session = heard{c.Encoding, c.Encoding == wire.EightBit}
	e.dec.Options.NoMessageID = c.Desc.Flags&wire.SessionNoMessageID != 0
	e.arrivals.begin(e.rng, e.cfg.Legacy)
	j.ask()
	return nil
}

// maxPast bounds the ids that are remembered of tries to join that failed: a list that comes late may be for one of
// them.
const maxPast = 16

// remembering returns the ids that we had, and the one that we have, 0 if there is none.
func (j *joining) remembering(self wire.PlayerID) []wire.PlayerID {
	if self == 0 {
		return j.past
	}
	past := append(j.past, self)
	return past[max(0, len(past)-maxPast):]
}

// fromJoinHost reports whether a message is from the host that we want to join at.
func (j *joining) fromJoinHost(o origin) bool { return isHost(j.want.Host, j.want.From, o) }

// isHost reports whether a message is from the host that we reach at a listener: from that address, or, as a host may
// advertise another one than it sends from, from the one that it answered our search from. The header, which names the
// listener, has to agree on the port alone.
func isHost(h netip.AddrPort, from netip.Addr, o origin) bool {
	ip := o.from.Addr().Unmap()
	return !o.udp && o.listener.Port() == h.Port() && (ip == h.Addr().Unmap() || ip == from.Unmap())
}

// requestPlayerReply takes the id that we asked for, ours as a machine or a player's or group's.
func (j *joining) requestPlayerReply(o origin, m *wire.RequestPlayerReply) {
	e := j.e
	const name = "REQUESTPLAYERREPLY"
	if e.state == member {
		e.requests.reply(m)
		return
	}
	switch {
	case m.Result != wire.OK:
		j.failed(m.Result)
	case hasText(m.SSPIProvider):
		j.failed(ErrSecure)
	case m.ID == wire.IDAll || m.ID == wire.IDUnknown:
		e.drop(o, name, NoSuchID, "id "+m.ID.String()+" is nobody's")
		j.failed(fmt.Errorf("%w: REQUESTPLAYERREPLY gives us the id %s, which is nobody's", ErrNonsense, m.ID))
	default:
		e.self, j.admitted, j.tries = m.ID, true, 0
		j.ask()
	}
}

// addForwardReply takes a refusal.
func (j *joining) addForwardReply(o origin, m *wire.AddForwardReply) {
	e := j.e
	if m.Error == wire.OK {
		e.drop(o, "ADDFORWARDREPLY", Malformed, "a refusal without an error")
		j.failed(fmt.Errorf("%w: ADDFORWARDREPLY refuses us without an error", ErrNonsense))
		return
	}
	j.failed(m.Error)
}

// superEnumPlayersReply takes the list of players that ends a join.
func (j *joining) superEnumPlayersReply(o origin, m *wire.SuperEnumPlayersReply) {
	l, err := playerlist.FromSuperEnumPlayersReply(m, j.e.self)
	j.listCame(o, "SUPERENUMPLAYERSREPLY", l, err)
}

// enumPlayersReply takes the list of players of a client/server session.
func (j *joining) enumPlayersReply(o origin, m *wire.EnumPlayersReply) {
	l, err := playerlist.FromEnumPlayersReply(m, j.e.self)
	j.listCame(o, "ENUMPLAYERSREPLY", l, err)
}

// listCame takes a list for what it was sent for: we asked who is in a session, or for admission.
func (j *joining) listCame(o origin, name string, l *playerlist.List, err error) {
	if j.e.search.asking != nil {
		j.e.search.playersReply(o, name, l, err)
		return
	}
	j.enter(o, name, l, err)
}

// enter makes us a member. Entries that make no sense were left out of the list, and are reported.
func (j *joining) enter(o origin, name string, l *playerlist.List, err error) {
	e := j.e
	if err != nil {
		e.drop(o, name, Conflict, err.Error())
	}
	host := l.Host()
	if host == 0 || host == e.self {
		j.failed(ErrNoHost)
		return
	}
	f, there := l.Flags(e.self)
	if was := func(id wire.PlayerID) bool { _, was := l.System(id); return was }; !there && (j.back != nil || slices.ContainsFunc(j.past, was)) {
		e.drop(o, name, OutOfTurn, "it is for an earlier try of ours to join")
		return
	}
	if there && f&wire.PlayerSystem == 0 {
		e.drop(o, name, Conflict, "our id is somebody else's")
		j.failed(wire.ErrCantCreatePlayer)
		return
	}
	if !there && e.ofProgramBefore(l, host) {
		h, _ := l.Get(host)
		if d, ok := wire.ParseSPData(h.SPData); ok && (d.Marked() || d.MarkedViews()) { // a host of ours, of whichever release, lists who it is for
			e.drop(o, name, OutOfTurn, "it is for our program before it began anew")
		} else {
			j.without = func() { j.take(o, l, host) }
		}
		return
	}
	j.take(o, l, host)
}

// take makes us a member of the session with this list.
func (j *joining) take(o origin, l *playerlist.List, host wire.PlayerID) {
	e := j.e
	way := *j // what was held on it is taken when we are a member
	e.list, e.host, e.state, *j = l, host, member, joining{e: e, past: j.past}
	if _, ok := l.System(e.self); !ok {
		// Windows' hosts list the newcomer (facts, real captures); one that does not would leave us out of our own list.
		l.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: e.self, Flags: wire.PlayerSystem, Dialect: uint32(e.cfg.Dialect)}})
	}
	s := l.Session()
	e.text.session.hear(s.Name)
	e.dec.Options.NoMessageID = s.Desc.Flags&wire.SessionNoMessageID != 0
	e.reconcile.open()
	if way.back != nil {
		e.keepObjects(way.back)
	} else {
		e.openObjects()
	}
	j.meet(way.want.Host, o)
	for _, p := range e.peers.all {
		e.greet(p)
	}
	if way.back != nil {
		way.back.comeBack()
	} else {
		for _, c := range e.introduction(l) {
			e.event(c)
		}
		e.event(SessionOpened{Desc: s.Desc, Name: e.text.read(s.Name), System: e.self, Host: host})
		e.done(way.token, e.self, nil)
	}
	e.holdback.replaying = true
	defer func() { e.holdback.replaying = false }()
	for _, h := range way.held {
		if hd, m, err := e.dec.DecodeMessage(h.octets); err == nil && !(way.back != nil && (inList(m) || asksBack(m, host)) && way.fromJoinHost(h.o)) {
			e.system(h.o, hd.Version, m)
		}
	}
}

// inList reports whether a message changes what the list of players says. To a machine that comes back the host may have
// said such things before it took it for lost, or while it did; the list, which it sent after them, knows better.
func inList(m wire.Message) bool {
	return ruleOf(m).changes || m.Command() == wire.CmdSessionDescChanged
}

// asksBack reports whether a message asks for us to come to a host: we are there now.
func asksBack(m wire.Message, host wire.PlayerID) bool {
	x, ok := m.(*wire.Extension)
	if !ok {
		return false
	}
	b, ok := x.Body.(*wire.ExtensionRejoinAt)
	return ok && b.Host == host
}

// meet makes machines of the system players in the list. Service provider data with 0.0.0.0 means the host,
// who sent the list.
func (j *joining) meet(host netip.AddrPort, o origin) {
	e := j.e
	for _, id := range e.list.AppendSystems(nil) {
		if id == e.self {
			continue
		}
		p, _ := e.list.Get(id)
		if id != e.host && e.wasUs(&p, o.from.Addr()) {
			for _, op := range e.list.Departed(id) {
				e.list.Apply(op)
			}
			continue
		}
		m := e.addPeer(id, p.SPData, wire.Dialect(p.Dialect), o.from.Addr().Unmap())
		m.frameLinks.Older = true
		if id == e.host {
			e.peers.move(m, host, o.listener) // it answered there
			m.seen = o.from.Addr().Unmap()
		}
		e.event(PeerJoined{System: id, Addr: m.stream})
	}
	j.locate()
}

// locate puts the host's address into its part of the list, where the host could leave it out. Another one may send our list
// on, or we, while that host is still in the session: it may have been cut off from some of us, and come back as a member.
func (j *joining) locate() {
	e := j.e
	for _, p := range append(e.list.Players(), e.list.Groups()...) {
		if at := e.peerByID(p.System).located(p.SPData); !bytes.Equal(at, p.SPData) {
			e.list.Apply(playerlist.SetSPData{ID: p.ID, SPData: at})
		}
	}
}

// ofProgramBefore reports whether a list without us may be for our program before it began anew: then that one is a machine in it, with
// the port of our listener, whose address we do not know before a list has us. Such a list is taken only if no other one comes.
func (e *Engine) ofProgramBefore(l *playerlist.List, host wire.PlayerID) bool {
	return slices.ContainsFunc(l.AppendSystems(nil), func(id wire.PlayerID) bool {
		p, _ := l.Get(id)
		d, ok := wire.ParseSPData(p.SPData)
		return ok && id != host && d.Stream.Port == e.cfg.Stream.Port()
	})
}

// wasUs reports whether a machine in somebody's list is what we were before our program began anew: it has our listener.
func (e *Engine) wasUs(p *playerlist.Entry, from netip.Addr) bool {
	d, ok := wire.ParseSPData(p.SPData)
	return ok && e.isOurs(resolve(d.Stream, from))
}

// hold keeps a message that came before the list of players, and says whether it did. Datagrams are not kept: they may
// get lost anyway.
func (j *joining) hold(o origin, version wire.Dialect, m wire.Message) bool {
	if !j.admitted || o.udp {
		return false
	}
	b, err := wire.AppendMessage(nil, version, m)
	if err != nil || !j.room(len(b), quota{maxHeld, maxHeldOctets}) ||
		!j.fromJoinHost(o) && !j.roomFor(o.from.Addr(), len(b), quota{maxHeldEach, maxHeldOctetsEach}) {
		return false
	}
	j.outdate(o, m)
	j.add(heldMessage{o: o, octets: b, table: ofTable(m)})
	return true
}

func ofTable(m wire.Message) bool {
	x, ok := m.(*wire.Extension)
	return ok && x.Kind == wire.KindTable
}

// outdate forgets what a machine said of a name table before it greets us anew: that was of another time in the session,
// of a host that it may have followed, or been, meanwhile.
func (j *joining) outdate(o origin, m wire.Message) {
	x, ok := m.(*wire.Extension)
	if !ok {
		return
	}
	if hello, ok := x.Body.(*wire.ExtensionHello); !ok || hello.Answer == 0 {
		return
	}
	j.drop(func(h heldMessage) bool { return h.table && h.o.sameSender(o) })
}
