package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// An early message overtook the one that makes sense of it, which comes over another connection: the host announces
// a newcomer with ADDFORWARD, but what the newcomer says comes from itself (3.2.5.5); in a session with
// MULTICASTSERVER a player is announced by way of the host, but its DELETEPLAYER (3.1.4.5) and what it sends to one
// player come directly. Such a message waits until the ids that it names are in the list.
type earlyMessage struct {
	o        origin
	name     string
	needs    ids
	behind   bool   // nothing is missing, but others of its sender wait
	octets   []byte // without the SP header
	deadline time.Duration
}

// A waiting is the early messages that are held.
type waiting struct {
	held      []earlyMessage // in the order in which they came
	octets    int            // of held
	version   uint32         // of the list, when it was looked at last
	releasing bool
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
func (e *Engine) overtakes(m wire.Message) bool {
	switch m := m.(type) {
	case *wire.DeleteGroup:
		return !e.reconcile.tombstones.has(m.Group, e.now)
	case *wire.CreateGroup:
		return links(m) && !e.reconcile.tombstones.has(m.Info.Parent, e.now)
	}
	return links(m)
}

// links reports whether a message is about two things, which may be two machines'.
func links(m wire.Message) bool {
	r := ruleOf(m)
	return r.links && r.waits(m)[1] != 0
}

// missing reports whether one of the ids is not in the list.
func (e *Engine) missing(ids ids) bool {
	return slices.ContainsFunc(ids[:], func(id wire.PlayerID) bool {
		_, there := e.list.System(id)
		return id != 0 && !there
	})
}

// holdEarly keeps a message that came too early, and says whether it is dealt with. Datagrams are not kept: they may
// get lost anyway. The host keeps little, for it is the first to know of almost everything; clients of a client/server
// session, who hear of nobody but the host, keep none.
func (e *Engine) holdEarly(o origin, version wire.Dialect, m wire.Message) bool {
	if e.early.releasing || o.udp || e.hosting() && !e.overtakes(m) || e.flags()&wire.SessionClientServer != 0 {
		return false
	}
	if g, ok := m.(*wire.CreateGroup); ok && e.reconcile.tombstones.has(g.Info.Parent, e.now) {
		return false
	}
	r, p := ruleOf(m), e.peerOf(o)
	if r.waits == nil || p != nil && p.system == e.host && !links(m) {
		return false
	}
	needs := r.waits(m)
	missing := e.missing(needs)
	switch others := e.holdsOf(o); {
	case missing && p != nil && e.overtakes(m): // a third machine made what it is about
	case missing && (p == nil || others || r.makes || e.flags()&wire.SessionMulticastServer != 0):
	case !missing && p == nil && others: // it may follow from them
	default:
		return false
	}
	var b []byte
	var err error
	if game, ok := wrapped(m, true).(*wire.PlayerMessage); ok {
		b, err = wire.AppendPlayerMessage(nil, game)
	} else {
		b, err = wire.AppendMessage(nil, version, wrapped(m, true))
	}
	if err != nil || !e.roomFor(o, len(b)) {
		e.drop(o, m.Command().String(), LimitReached, "too much waits for senders that are not known yet")
		return true
	}
	e.early.octets += len(b)
	e.early.held = append(e.early.held, earlyMessage{o, m.Command().String(), needs, !missing, b, e.now + e.cfg.Populate})
	return true
}

// holdsOf reports whether something of a sender is held.
func (e *Engine) holdsOf(o origin) bool {
	return slices.ContainsFunc(e.early.held, func(h earlyMessage) bool {
		return h.o.listener == o.listener && h.o.from.Addr() == o.from.Addr()
	})
}

// roomFor reports whether n more octets from an address can be held.
func (e *Engine) roomFor(o origin, n int) bool {
	count, octets := 1, n
	for _, h := range e.early.held {
		if h.o.from.Addr().Unmap() == o.from.Addr().Unmap() {
			count, octets = count+1, octets+len(h.octets)
		}
	}
	return len(e.early.held) < maxEarly && e.early.octets+n <= maxEarlyOctets && count <= maxEarlyEach && octets <= maxEarlyOctetsEach
}

// releaseEarly takes the messages whose time has come, in the order in which they came. Each is judged as if it
// came now, by the rules for its sender.
func (e *Engine) releaseEarly() {
	if len(e.early.held) == 0 || e.early.version == e.list.Version() {
		return
	}
	e.early.releasing = true
	for i := 0; i < len(e.early.held); {
		h := e.early.held[i]
		if e.missing(h.needs) || h.behind && e.peerOf(h.o) == nil {
			i++
			continue
		}
		e.early.held = slices.Delete(e.early.held, i, i+1)
		e.early.octets -= len(h.octets)
		e.assembled(h.o, h.octets)
		i = 0 // one that came before may have waited for it
	}
	e.early.releasing = false
	if e.list != nil { // it is nil if one of them ended the session
		e.early.version = e.list.Version()
	}
}

// earlyTimers drops what waited in vain: as long as a host waits for members to know a newcomer.
func (e *Engine) earlyTimers() {
	e.early.held = slices.DeleteFunc(e.early.held, func(h earlyMessage) bool {
		if h.deadline > e.now {
			return false
		}
		e.early.octets -= len(h.octets)
		if e.peerOf(h.o) == nil {
			e.drop(h.o, h.name, NotMember, "its sender is not in the session, and was not announced since")
		} else {
			e.drop(h.o, h.name, NoSuchID, "whom it names is not in the session, and was not announced since")
		}
		return true
	})
}
