package dpsp

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A joining is a way into a session: an id for our system player is asked for, then admission (3.1.4.2).
type joining struct {
	token    uint64
	want     Join
	admitted bool // the id is there, ADDFORWARDREQUEST is out
	tries    int
	deadline time.Duration
	again    time.Duration // when the request is sent once more; Never: no more
	repeats  int           // how often it still is
	why      error         // what the deadline means; nil: ErrTimeout
	back     *rejoining    // if we were in the session already
	backlog                // of messages of members that know us already, before the list
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

// joinSession begins to join.
func (e *Engine) joinSession(token uint64, c Join) error {
	switch {
	case e.state != idle:
		return ErrInSession
	case e.search.asking != nil:
		return ErrBusy // its answer would be taken for the list that ends the join
	case c.Desc.Flags&wire.SessionSecureServer != 0:
		return ErrSecure
	case c.Desc.Flags&wire.SessionDirectPlayProtocol != 0:
		return ErrReliable
	case !c.Host.IsValid():
		return ErrNoHost
	case c.Password.check() != nil:
		return ErrText
	}
	e.state = joinState
	e.join = &joining{token: token, want: c}
	e.text = heard{c.Encoding, c.Encoding == wire.EightBit}
	e.dec.Options.NoMessageID = c.Desc.Flags&wire.SessionNoMessageID != 0
	e.askAdmission()
	return nil
}

// maxPast bounds the ids that are remembered of tries to join that failed: a list that comes late may be for one of
// them.
const maxPast = 16

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
func (e *Engine) requestPlayerReply(o origin, m *wire.RequestPlayerReply) {
	const name = "REQUESTPLAYERREPLY"
	if e.state == member {
		e.requests.reply(o, m)
		return
	}
	switch {
	case e.state != joinState || e.join.admitted:
		e.requests.unasked(o, name, "we asked for no id")
	case !e.join.fromJoinHost(o):
		e.drop(o, name, NotAllowed, "it is not from the host that we want to join")
	case m.Result != wire.OK:
		e.joinFailed(m.Result)
	case hasText(m.SSPIProvider):
		e.joinFailed(ErrSecure)
	case m.ID == wire.IDAll || m.ID == wire.IDUnknown:
		e.drop(o, name, NoSuchID, "id "+m.ID.String()+" is nobody's")
		e.joinFailed(fmt.Errorf("%w: REQUESTPLAYERREPLY gives us the id %s, which is nobody's", ErrNonsense, m.ID))
	default:
		e.self, e.join.admitted, e.join.tries = m.ID, true, 0
		e.askAdmission()
	}
}

// addForwardReply takes a refusal.
func (e *Engine) addForwardReply(o origin, m *wire.AddForwardReply) {
	switch {
	case e.state != joinState || !e.join.admitted:
		e.drop(o, "ADDFORWARDREPLY", OutOfTurn, "we are not joining")
	case !e.join.fromJoinHost(o):
		e.drop(o, "ADDFORWARDREPLY", NotAllowed, "it is not from the host that we want to join")
	case m.Error == wire.OK:
		e.drop(o, "ADDFORWARDREPLY", Malformed, "a refusal without an error")
		e.joinFailed(fmt.Errorf("%w: ADDFORWARDREPLY refuses us without an error", ErrNonsense))
	default:
		e.joinFailed(m.Error)
	}
}

// superEnumPlayersReply takes the list of players that ends a join.
func (e *Engine) superEnumPlayersReply(o origin, m *wire.SuperEnumPlayersReply) {
	const name = "SUPERENUMPLAYERSREPLY"
	if e.search.asking == nil && !e.listDue(o, name) {
		return
	}
	l, err := playerlist.FromSuperEnumPlayersReply(m, e.self)
	e.listCame(o, name, l, err)
}

// enumPlayersReply takes the list of players of a client/server session.
func (e *Engine) enumPlayersReply(o origin, m *wire.EnumPlayersReply) {
	const name = "ENUMPLAYERSREPLY"
	if e.search.asking == nil && !e.listDue(o, name) {
		return
	}
	l, err := playerlist.FromEnumPlayersReply(m, e.self)
	e.listCame(o, name, l, err)
}

// listCame takes a list for what it was sent for: we asked who is in a session, or for admission.
func (e *Engine) listCame(o origin, name string, l *playerlist.List, err error) {
	if e.search.asking != nil {
		e.search.playersReply(o, name, l, err)
		return
	}
	e.enter(o, name, l, err)
}

func (e *Engine) listDue(o origin, name string) bool {
	switch {
	case e.state != joinState || !e.join.admitted:
		e.requests.unasked(o, name, "we are not joining")
	case !e.join.fromJoinHost(o):
		e.drop(o, name, NotAllowed, "it is not from the host that we want to join")
	default:
		return true
	}
	return false
}

// enter makes us a member. Entries that make no sense were left out of the list, and are reported.
func (e *Engine) enter(o origin, name string, l *playerlist.List, err error) {
	if err != nil {
		e.drop(o, name, Conflict, err.Error())
	}
	j := e.join
	host := l.Host()
	if host == 0 || host == e.self {
		e.joinFailed(ErrNoHost)
		return
	}
	f, there := l.Flags(e.self)
	if was := func(id wire.PlayerID) bool { _, was := l.System(id); return was }; !there && (j.back != nil || slices.ContainsFunc(e.past, was)) {
		e.drop(o, name, OutOfTurn, "it is for an earlier try of ours to join")
		return
	}
	if there && f&wire.PlayerSystem == 0 {
		e.drop(o, name, Conflict, "our id is somebody else's")
		e.joinFailed(wire.ErrCantCreatePlayer)
		return
	}
	e.list, e.host, e.state, e.join = l, host, member, nil
	if _, ok := l.System(e.self); !ok {
		// Windows' hosts list the newcomer; one that does not would leave us out of our own list.
		l.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: e.self, Flags: wire.PlayerSystem, Dialect: uint32(e.cfg.Dialect)}})
	}
	s := l.Session()
	e.options = s.Desc.Flags
	e.text.hear(s.Name)
	e.dec.Options.NoMessageID = e.options&wire.SessionNoMessageID != 0
	e.reconcile.open()
	if j.back != nil {
		e.objects.keep(j.back)
	} else {
		e.objects.open()
	}
	e.meet(j.want.Host, o)
	if e.extended() {
		for _, p := range e.peers.all {
			e.sayHello(p, true)
		}
	}
	if j.back != nil {
		j.back.comeBack()
	} else {
		e.introduce()
		e.event(SessionOpened{Desc: s.Desc, Name: e.read(s.Name), System: e.self, Host: host})
		e.done(j.token, e.self, nil)
	}
	e.holdback.replaying = true
	defer func() { e.holdback.replaying = false }()
	for _, h := range j.held {
		if hd, m, err := e.dec.DecodeMessage(h.octets); err == nil && !(j.back != nil && inList(m) && j.fromJoinHost(h.o)) {
			e.system(h.o, hd.Version, m)
		}
	}
}

// inList reports whether a message changes what the list of players says. To a machine that comes back the host may have
// said such things before it took it for lost, or while it did; the list, which it sent after them, knows better.
func inList(m wire.Message) bool {
	return ruleOf(m).changes || m.Command() == wire.CmdSessionDescChanged
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
		if id == e.host {
			e.peers.move(m, host, o.listener) // it answered there
			m.seen = o.from.Addr().Unmap()
		}
		e.event(PeerJoined{System: id, Addr: m.stream})
	}
}

// wasUs reports whether a machine in somebody's list is what we were before our program began anew: it has our listener.
func (e *Engine) wasUs(p *playerlist.Entry, from netip.Addr) bool {
	d, ok := wire.ParseSPData(p.SPData)
	return ok && e.isOurs(resolve(d.Stream, from))
}

// introduce tells the program who is there.
func (e *Engine) introduce() {
	for _, p := range e.list.Players() {
		if p.Flags&wire.PlayerSystem == 0 {
			e.event(e.playerCreated(&p))
		}
	}
	for _, g := range e.list.Groups() {
		e.event(e.groupCreated(&g))
		for _, id := range e.list.AppendMembers(nil, g.ID) {
			e.event(MemberAdded{Player: id, Group: g.ID})
		}
		for _, id := range e.list.AppendShortcuts(nil, g.ID) {
			e.event(ShortcutAdded{Child: id, Parent: g.ID})
		}
	}
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

// leave ends the session by our own will: our players first, then our system player, as Windows does.
func (e *Engine) leave() error {
	switch e.state {
	case idle:
		return ErrNoSession
	case joinState:
		if e.join.back == nil {
			e.joinFailed(ErrLeft)
			return nil
		}
		e.closeAll() // the host that we asked counts us in at most for a moment
	}
	e.sayGoodbye()
	e.closeAll()
	requests := e.requests.takeAll()
	e.reset()
	for _, r := range requests {
		e.requests.answer(r, 0, ErrLeft)
	}
	e.event(SessionClosed{})
	return nil
}

// sayGoodbye tells everybody that our players are gone, and we are (3.1.5.14).
func (e *Engine) sayGoodbye() {
	for _, op := range e.list.Departed(e.self) {
		e.announce(deletion(op))
	}
}

// toldToLeave ends the session because the host says so. Our players go first (3.1.5.14), but where parts of a session come
// together: there the others are to take us for lost, and remember us, for we may know the way to another part.
func (e *Engine) toldToLeave(why string) {
	if !e.migrates() || !e.extended() {
		e.sayGoodbye()
	}
	e.sessionLost(why)
}

// closeAll closes the connections to all machines, after what is still to be sent.
func (e *Engine) closeAll() {
	for _, m := range e.peers.all {
		e.hangUpAt(m.stream)
	}
}
