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
	e *sender
	*way
}

// A way is the state of a joining.
type way struct {
	token    uint64
	want     Join
	admitted bool // the id is there, ADDFORWARDREQUEST is out
	tries    int
	deadline time.Duration
	again    time.Duration   // when the request is sent once more; Never: no more
	repeats  int             // how often it still is
	why      error           // what the deadline means; nil: ErrTimeout
	past     []wire.PlayerID // what we were in sessions that we left, lost, or did not get into
	without  *listWithout    // a list that came and is without us; nil: none
	backlog                  // of messages of members that know us already, before the list
}

// A listWithout is a list of players without this machine. It is taken only if no other one comes.
type listWithout struct {
	o    origin
	list *playerlist.List
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
	*j.way = way{past: j.past, token: token, want: c}
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
func (j *way) remembering(self wire.PlayerID) []wire.PlayerID {
	if self == 0 {
		return j.past
	}
	past := append(j.past, self)
	return past[max(0, len(past)-maxPast):]
}

// fromJoinHost reports whether a message is from the host that we want to join at.
func (j *way) fromJoinHost(o origin) bool { return isHost(j.want.Host, j.want.From, o) }

// isHost reports whether a message is from the host that we reach at a listener: from that address, or, as a host may
// advertise another one than it sends from, from the one that it answered our search from. The header, which names the
// listener, has to agree on the port alone.
func isHost(h netip.AddrPort, from netip.Addr, o origin) bool {
	ip := o.from.Addr().Unmap()
	return !o.udp && o.listener.Port() == h.Port() && (ip == h.Addr().Unmap() || ip == from.Unmap())
}

// requestPlayerReply takes the id that we asked for, ours as a machine or a player's or group's.
func (e *Engine) requestPlayerReply(o origin, m *wire.RequestPlayerReply) {
	if e.state == member {
		e.idCame(m)
	} else if err := e.join.idCame(o, m); err != nil {
		e.joinFailed(err)
	}
}

// idCame takes the id of our system player, and asks for admission. An error ends the way into the session.
func (j *joining) idCame(o origin, m *wire.RequestPlayerReply) error {
	e := j.e
	switch {
	case m.Result != wire.OK:
		return m.Result
	case hasText(m.SSPIProvider):
		return ErrSecure
	case m.ID == wire.IDAll || m.ID == wire.IDUnknown:
		e.drop(o, "REQUESTPLAYERREPLY", NoSuchID, "id "+m.ID.String()+" is nobody's")
		return fmt.Errorf("%w: REQUESTPLAYERREPLY gives us the id %s, which is nobody's", ErrNonsense, m.ID)
	}
	e.self, j.admitted, j.tries = m.ID, true, 0
	j.ask()
	return nil
}

// addForwardReply takes a refusal.
func (e *Engine) addForwardReply(o origin, m *wire.AddForwardReply) {
	if m.Error == wire.OK {
		e.drop(o, "ADDFORWARDREPLY", Malformed, "a refusal without an error")
		e.joinFailed(fmt.Errorf("%w: ADDFORWARDREPLY refuses us without an error", ErrNonsense))
		return
	}
	e.joinFailed(m.Error)
}

// superEnumPlayersReply takes the list of players that ends a join.
func (e *Engine) superEnumPlayersReply(o origin, m *wire.SuperEnumPlayersReply) {
	l, err := playerlist.FromSuperEnumPlayersReply(m, e.self)
	e.listCame(o, "SUPERENUMPLAYERSREPLY", l, err)
}

// enumPlayersReply takes the list of players of a client/server session.
func (e *Engine) enumPlayersReply(o origin, m *wire.EnumPlayersReply) {
	l, err := playerlist.FromEnumPlayersReply(m, e.self)
	e.listCame(o, "ENUMPLAYERSREPLY", l, err)
}

// listCame takes a list for what it was sent for: we asked who is in a session, or for admission.
func (e *Engine) listCame(o origin, name string, l *playerlist.List, err error) {
	if e.search.asking != nil {
		e.search.playersReply(o, name, l, err)
		return
	}
	if take, err := e.join.accepts(o, name, l, err); err != nil {
		e.joinFailed(err)
	} else if take {
		e.enterSession(o, l)
	}
}

// accepts reports whether a list makes us a member. An error ends the way into the session. Entries that make no sense were left out of
// the list, and are reported.
func (j *joining) accepts(o origin, name string, l *playerlist.List, err error) (take bool, fails error) {
	e := j.e
	if err != nil {
		e.drop(o, name, Conflict, err.Error())
	}
	host := l.Host()
	if host == 0 || host == e.self {
		return false, ErrNoHost
	}
	f, there := l.Flags(e.self)
	if was := func(id wire.PlayerID) bool { _, was := l.System(id); return was }; !there && slices.ContainsFunc(j.past, was) {
		e.drop(o, name, OutOfTurn, "it is for an earlier try of ours to join")
		return false, nil
	}
	if there && f&wire.PlayerSystem == 0 {
		e.drop(o, name, Conflict, "our id is somebody else's")
		return false, wire.ErrCantCreatePlayer
	}
	if !there && e.ofProgramBefore(l, host) {
		h, _ := l.Get(host)
		if d, ok := wire.ParseSPData(h.SPData); ok && (d.Marked() || d.MarkedOlder()) { // a host of ours, of whichever release, lists who it is for
			e.drop(o, name, OutOfTurn, "it is for our program before it began anew")
		} else {
			j.without = &listWithout{o, l}
		}
		return false, nil
	}
	return true, nil
}

// enterSession makes us a member of the session with this list.
func (e *Engine) enterSession(o origin, l *playerlist.List) {
	host, last := l.Host(), e.way // what was held on it is taken when we are a member
	e.list, e.host, e.state, e.way = l, host, member, way{past: e.way.past}
	if _, ok := l.System(e.self); !ok {
		// Windows' hosts list the newcomer (facts, real captures); one that does not would leave us out of our own list.
		l.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: e.self, Flags: wire.PlayerSystem, Dialect: uint32(e.cfg.Dialect)}})
	}
	s := l.Session()
	e.text.session.hear(s.Name)
	e.dec.Options.NoMessageID = s.Desc.Flags&wire.SessionNoMessageID != 0
	e.views.open()
	e.openObjects()
	e.meet(last.want.Host, o)
	for _, p := range e.peers.all {
		e.greet(p)
	}
	for _, c := range e.introduction(l) {
		e.event(c)
	}
	e.event(SessionOpened{Desc: s.Desc, Name: e.read(s.Name), System: e.self, Host: host})
	e.done(last.token, e.self, nil)
	e.holdback.replaying = true
	defer func() { e.holdback.replaying = false }()
	for _, h := range last.held {
		if hd, m, err := e.dec.DecodeMessage(h.octets); err == nil {
			e.system(h.o, hd.Version, m)
		}
	}
}

// meet makes machines of the system players in the list. Service provider data with 0.0.0.0 means the host,
// who sent the list.
func (e *Engine) meet(host netip.AddrPort, o origin) {
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
	e.locate()
}

// locate puts the host's address into its part of the list, where the host could leave it out. Another one may send our list
// on, or we, while that host is still in the session: it may have been cut off from some of us, and come back as a member.
func (s *sessionState) locate() {
	for _, p := range append(s.list.Players(), s.list.Groups()...) {
		if at := s.peerByID(p.System).located(p.SPData); !bytes.Equal(at, p.SPData) {
			s.list.Apply(playerlist.SetSPData{ID: p.ID, SPData: at})
		}
	}
}

// ofProgramBefore reports whether a list without us may be for our program before it began anew: then that one is a machine in it, with
// the port of our listener, whose address we do not know before a list has us. Such a list is taken only if no other one comes.
func (s *sessionState) ofProgramBefore(l *playerlist.List, host wire.PlayerID) bool {
	return slices.ContainsFunc(l.AppendSystems(nil), func(id wire.PlayerID) bool {
		p, _ := l.Get(id)
		d, ok := wire.ParseSPData(p.SPData)
		return ok && id != host && d.Stream.Port == s.cfg.Stream.Port()
	})
}

// wasUs reports whether a machine in somebody's list is what we were before our program began anew: it has our listener.
func (s *sessionState) wasUs(p *playerlist.Entry, from netip.Addr) bool {
	d, ok := wire.ParseSPData(p.SPData)
	return ok && s.isOurs(resolve(d.Stream, from))
}

// hold keeps a message that came before the list of players, and says whether it did. Datagrams are not kept: they may
// get lost anyway.
func (j *way) hold(o origin, version wire.Dialect, m wire.Message) bool {
	if !j.admitted || o.udp {
		return false
	}
	b, err := wire.AppendMessage(nil, version, m)
	if err != nil || !j.room(len(b), quota{maxHeld, maxHeldOctets}) ||
		!j.fromJoinHost(o) && !j.roomFor(o.from.Addr(), len(b), quota{maxHeldEach, maxHeldOctetsEach}) {
		return false
	}
	j.add(heldMessage{o: o, octets: b})
	return true
}
