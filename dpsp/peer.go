package dpsp

import (
	"net/netip"
	"time"

	"dplay4/dpsp/internal/arrived"
	"dplay4/dpsp/internal/frame"
	"dplay4/wire"
)

// A peer is another machine of the session.
type peer struct {
	system      wire.PlayerID
	stream      netip.AddrPort // its TCP listener
	datagram    netip.AddrPort // its UDP socket
	alias       netip.AddrPort // its TCP listener by its own headers, where we reach it at another address
	seen        netip.Addr     // where its messages came from first; not known before, of machines that others told us of
	dialect     wire.Dialect
	marked      bool             // its players bear our mark: it is greeted
	older       bool             // they bear the mark of releases before views
	modern      bool             // it knows the extension, and said so
	greeted     bool             // it said HELLO since we met
	incarnation wire.Incarnation // of its program; 0: not known
	heard       bool             // it said anything since we met, or since it closed our connection
	lastWord    time.Duration    // when it said anything last
	hellos      int              // how often it was greeted once more
	text        heard
	claimed     bool            // it said IAMNAMESERVER while we were the host
	told        allowance       // of introductions and objects, which its HELLO asks for
	lists       allowance       // how often it was sent the list of players once more
	renewals    allowance       // of connections that broke
	spent       bool            // more broke than are made once more: it is about to be accused
	askedUDP    uint32          // the number in the PING that went by a datagram when a connection broke last
	askedTCP    uint32          // and in the one that went over the new connection; 0: HELLO went there
	renewing    bool            // the program was not told yet that the connection which broke was made once more
	answered    bool            // it answered one of them, or said HELLO
	lostWords   bool            // messages on those that broke may not have arrived, and the program was not told
	silent      bool            // it let a newcomer wait in vain, and has acknowledged none since
	owes        []wire.PlayerID // newcomers that it was told of as long as they are in the session, until it acknowledges them
	passed      bool            // it is not waited for to become host: it had its time, or never said a word
	nth         uint64          // which one to join it was, of those that we know of
	frameLinks  frame.Peer      // to it
	link        arrived.Link    // of the messages over connections that it counts, and of those of it
	bare        bool            // messages went to it that would count, had it said by then that it counts
	losses      allowance       // of reports that messages to it were lost
	miscounts   allowance       // of wrong counts after which both begin anew
}

// peerByID returns the machine whose system player has the id.
func (s *sessionState) peerByID(system wire.PlayerID) *peer {
	return s.peers.byID[system]
}

// peerOf returns the machine that a message came from: the one that listens where the header says, and that is at the
// address that the message came from. A header says what its sender likes; the source of a connection is hard to forge.
// Without a header, for a game message on UDP, only the ids can tell.
func (s *sessionState) peerOf(o origin) *peer {
	if !o.listener.IsValid() {
		return nil
	}
	return s.peers.from(o.listener, o.from.Addr())
}

// peerAt returns the machine that we reach at a listener, nil if there is none.
func (s *sessionState) peerAt(listener netip.AddrPort) *peer {
	return s.peers.at(listener)
}

// at reports whether a machine's packets may come from an address: one that it or the host advertised, or the one where we
// met it.
func (m *peer) at(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsValid() && (ip == m.stream.Addr() || ip == m.datagram.Addr() || ip == m.seen)
}

// listensAt reports whether a listener may be a machine's, at whichever of its addresses.
func (m *peer) listensAt(at netip.AddrPort) bool {
	return m.at(at.Addr()) && (at.Port() == m.stream.Port() || at.Port() == m.alias.Port())
}

// owner returns the machine of a player or group; nil for ours and for ids that nobody has.
func (s *sessionState) owner(id wire.PlayerID) *peer {
	system, _ := s.list.System(id)
	return s.peerByID(system)
}

// ours reports whether a player or group is ours.
func (s *sessionState) ours(id wire.PlayerID) bool {
	system, ok := s.list.System(id)
	return ok && system == s.self
}

// addPeer adds a machine to the session by its system player's service provider data.
func (e *Engine) addPeer(system wire.PlayerID, sp []byte, dialect wire.Dialect, from netip.Addr) *peer {
	m := &peer{system: system, dialect: dialect, frameLinks: frame.Peer{Met: e.now}, link: arrived.New(e.arrivals.meet())}
	m.frameLinks.Machine = m
	if d, ok := wire.ParseSPData(sp); ok {
		m.stream, m.datagram = resolve(d.Stream, from), resolve(d.Datagram, from)
		m.marked, m.older = d.Marked(), d.MarkedOlder()
	}
	e.peers.add(m)
	e.frames().Meet(&m.frameLinks)
	e.tombstones.drop(system)
	if e.liveness.watched(system) {
		e.liveness.pings.Add(system, e.now)
	}
	return m
}

// removePeer forgets a machine. Its connection is closed.
func (e *Engine) removePeer(m *peer) {
	e.peers.remove(m)
	e.liveness.pings.Remove(m.system)
	e.liveness.asked.forget(m.system)
	delete(e.views.goes, m.system)
	e.objects.Leave(e.now, m.system)
	kept := e.views.keeps(m)
	e.fragments.forget(m, kept)
	if !kept {
		e.frames().Forget(&m.frameLinks)
	}
	e.hangUpAt(m.stream)
}

// heard counts a message as a sign of life.
func (s *sessionState) heard(o origin) {
	if m := s.peerOf(o); m != nil {
		m.speaks(s.now)
		if !m.seen.IsValid() && !o.udp && !o.framed {
			m.seen = o.from.Addr().Unmap() // one of its addresses, by peerOf
		}
		s.signs.pings.Heard(m.system)
	}
}

// speaks notes that a machine said anything.
func (m *peer) speaks(now time.Duration) { m.heard, m.lastWord = true, now }

// A listener that a header names is what its sender likes, and so is what we would send there on its behalf: whoever is
// not in the session is answered at [origin.direct], a member where we reach it.

// answerTo returns where the sender of a message is answered.
func (s *sessionState) answerTo(o origin) origin {
	if p := s.peerOf(o); p != nil {
		o.listener = p.stream
		return o
	}
	return o.direct()
}

// isOurs reports whether a listener is ours, as the host that let us in saw it.
func (s *sessionState) isOurs(at netip.AddrPort) bool {
	p, _ := s.list.Get(s.self)
	d, ok := wire.ParseSPData(p.SPData)
	return ok && d.Stream == sockAddr(at)
}

// An allowance counts how often a machine was given something large in the period from since on.
type allowance struct {
	given int
	since time.Duration
}

// How often in one period a member is given something.
const (
	maxTold  = 4
	maxLists = 8
)

// left reports whether take would.
func (a allowance) left(most int, now, period time.Duration) bool { return a.take(most, now, period) }

// take reports whether a machine is given it once more, most times in a period, and counts that.
func (a *allowance) take(most int, now, period time.Duration) bool {
	if now >= a.since+period {
		*a = allowance{since: now}
	}
	a.given++
	return a.given <= most
}
