package dpsp

import (
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A holdback holds messages that overtook what makes sense of them, which comes over another connection: the host announces
// a newcomer with ADDFORWARD, but what the newcomer says comes from itself (3.2.5.5); in a session with
// MULTICASTSERVER a player is announced by way of the host, but its DELETEPLAYER (3.1.4.5) and what it sends to one
// player come directly; where there are frames, a newcomer announces its first player over TCP and says the next thing in frames.
// Such a message waits until the ids that it names are in the list. A guaranteed message of a player to a group waits until a player of
// ours is in the group, because a third machine can have made the group, or put our player into it.
type holdback struct {
	backlog
	list      *playerlist.List // that was looked at last: the host may send another one
	version   uint32           // of it, at that time
	releasing bool             // what is held here is taken: it is not held again, except for a group
	deadline  time.Duration    // of the message that is taken
	replaying bool             // what was held while the list was awaited is taken: the list may have it
}

// What is held is bounded, for everybody can send it: all in all, and of one address, so that no stranger can keep
// a newcomer's out. A newcomer sends a handful of messages in the moment in which it is not known yet.
const (
	maxEarly           = 256
	maxEarlyEach       = 64
	maxEarlyOctets     = 1 << 20
	maxEarlyOctetsEach = 1 << 18
)

// overtakes reports whether a message may come before that of a third machine which made what it is about. What was
// deleted lately is not waited for.
func (s *sessionState) overtakes(m wire.Message) bool {
	switch m := m.(type) {
	case *wire.DeleteGroup:
		return !s.tombstones.has(m.Group, s.now)
	case *wire.CreateGroup:
		return links(m) && !s.tombstones.has(m.Info.Parent, s.now)
	}
	return links(m)
}

// links reports whether a message is about two things, which may be two machines'.
func links(m wire.Message) bool {
	r := ruleOf(m)
	return r.links && r.waits(m)[1] != 0
}

// missingIn reports whether one of the ids is not in a list.
func (x ids) missingIn(list *playerlist.List) bool {
	return slices.ContainsFunc(x[:], func(id wire.PlayerID) bool {
		_, there := list.System(id)
		return id != 0 && !there
	})
}

// holdEarly keeps a message that came too early, and says whether it is dealt with. Datagrams are not kept: they may
// get lost anyway. The host keeps little, for it is the first to know of almost everything; clients of a client/server
// session, who hear of nobody but the host, keep none.
func (s *sender) holdEarly(o origin, version wire.Dialect, m wire.Message) bool {
	hb := &s.holdback
	if hb.releasing || o.udp || s.hosting() && !s.overtakes(m) && !o.framed || s.flags()&wire.SessionClientServer != 0 {
		return false
	}
	if g, ok := m.(*wire.CreateGroup); ok && s.tombstones.has(g.Info.Parent, s.now) {
		return false
	}
	r, p := ruleOf(m), s.peerOf(o)
	if r.waits == nil || p != nil && p.system == s.host && !links(m) && !o.framed {
		return false
	}
	needs := r.waits(m)
	missing := needs.missingIn(s.list)
	switch others := hb.holdsOf(o); {
	case missing && p != nil && s.overtakes(m): // a third machine made what it is about
	case missing && p != nil && o.framed: // what it said before is on its connection
	case missing && (p == nil || others || r.makes || s.flags()&wire.SessionMulticastServer != 0):
	case !missing && p == nil && others: // it may follow from them
	default:
		return false
	}
	if s.keepEarly(version, m, heldMessage{o: o, needs: needs, behind: !missing}) && r.refused != nil {
		r.refused(s, o, m, &refusal{reason: NotMember})
	}
	return true
}

// keepEarly holds a message, and reports whether it does. It drops the message where too much is held.
func (s *sender) keepEarly(version wire.Dialect, m wire.Message, h heldMessage) bool {
	var err error
	if game, ok := wrapped(m, true).(*wire.PlayerMessage); ok {
		h.octets, err = wire.AppendPlayerMessage(nil, game)
	} else {
		h.octets, err = wire.AppendMessage(nil, version, wrapped(m, true))
	}
	n, hb := len(h.octets), &s.holdback
	h.name, h.deadline = nameOf(m), s.now+s.cfg.Populate
	if hb.releasing {
		h.deadline = hb.deadline
	}
	if err != nil || !hb.room(n, quota{maxEarly, maxEarlyOctets}) || !hb.roomFor(h.o.from.Addr(), n, quota{maxEarlyEach, maxEarlyOctetsEach}) {
		s.drop(h.o, h.name, LimitReached, "too much waits for players and groups that are not announced yet")
		return false
	}
	hb.add(h)
	return true
}

// hand has deliver give a message of a player to our players, and drops the message if it is for none. A guaranteed message to a group
// that is still to be announced is held. Later messages of its sender to others do not wait for it.
func (s *sender) hand(o origin, m wire.Message, to wire.PlayerID, deliver func() bool) {
	switch {
	case deliver():
	case o.guaranteed() && s.toCome(to):
		s.keepEarly(s.cfg.Dialect, m, heldMessage{o: o, to: to})
	default:
		s.drop(o, nameOf(m), NoSuchID, "no player of ours is, or is in, "+to.String())
	}
}

// toCome reports whether an addressee may be a group of which the announcement, or that of our player in it, is still to come. A group
// that was deleted or left by our players does not come, nor a player of ours that was deleted.
func (s *sessionState) toCome(to wire.PlayerID) bool {
	player, _ := s.list.Kind(to)
	return to > wire.IDServer && !player && len(s.addressed(to)) == 0 && !s.past.has(to, s.now) && s.flags()&wire.SessionClientServer == 0
}

// waits reports whether a message that is held has to wait longer.
func (s *sessionState) waits(h *heldMessage) bool {
	return h.needs.missingIn(s.list) || h.behind && s.peerOf(h.o) == nil || s.toCome(h.to)
}

// releaseEarly takes the messages whose time has come, in the order in which they came. Each is judged as if it
// came now, by the rules for its sender.
func (e *Engine) releaseEarly() {
	hb := &e.holdback
	if len(hb.held) == 0 || hb.list == e.list && hb.version == e.list.Version() {
		return
	}
	hb.releasing = true
	for i := 0; i < len(hb.held); {
		h := hb.held[i]
		if e.waits(&h) {
			i++
			continue
		}
		hb.deadline = h.deadline
		hb.remove(i)
		e.assembled(h.o, h.octets)
		i = 0 // one that came before may have waited for it
	}
	hb.releasing = false
	if e.list != nil { // it is nil if one of them ended the session
		hb.list, hb.version = e.list, e.list.Version()
	}
}

// dropEarly drops what waited in vain: as long as a host waits for members to know a newcomer.
func (s *sender) dropEarly() {
	s.holdback.drop(func(h heldMessage) bool {
		switch {
		case h.deadline > s.now:
			return false
		case s.peerOf(h.o) == nil:
			s.drop(h.o, h.name, NotMember, "its sender is not in the session, and was not announced since")
		case h.to != wire.IDAll:
			s.drop(h.o, h.name, NoSuchID, "no player of ours is, or is in, "+h.to.String()+", and none was announced since")
		default:
			s.drop(h.o, h.name, NoSuchID, "whom it names is not in the session, and was not announced since")
		}
		return true
	})
}

// next returns the time of the next timer.
func (hb *holdback) next() time.Duration {
	next := Never
	for i := range hb.held {
		next = min(next, hb.held[i].deadline)
	}
	return next
}
