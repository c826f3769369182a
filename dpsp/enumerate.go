package dpsp

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

// EnumPort is where hosts are asked for their sessions.
const EnumPort = wire.EnumPort

// broadcast is where an enumeration goes that names no host (2.1).
var broadcast = netip.AddrPortFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), EnumPort)

// A search is what is said about sessions from outside: what we look for, and who looks for ours.
type search struct {
	e *sender
	*searching
}

// searching is the state of a search. It has no pointer to the engine.
type searching struct {
	asked  bool        // an enumeration of ours was sent: answers are wanted, in later sessions as well
	asking *asking     // a request for the list of a session that we are not in; nil: none
	silent []silentFor // who looked for sessions in vain and was told of, oldest first
}

// enumerate sends a request for sessions.
func (sr *search) enumerate(c Enumerate) error {
	if err := c.Password.check(); err != nil {
		return err
	}
	sr.asked = true
	to := c.To
	if len(to) == 0 && len(c.Streams) == 0 {
		to = []netip.AddrPort{broadcast}
	}
	enc, _ := sr.e.cfg.encodingOf(c.Application)
	m := &wire.EnumSessions{Application: c.Application, Flags: c.Flags, Password: c.Password.optional(enc)}
	for _, at := range to {
		sr.e.send(Ask, at, m)
	}
	for _, at := range c.Streams {
		sr.e.send(TCP, at, m)
	}
	return nil
}

// enumSessions answers a request for sessions, over TCP to the port in its header (3.2.5.3).
func (sr *search) enumSessions(o origin, m *wire.EnumSessions) {
	e := sr.e
	s := e.list.Session()
	if why := silence(&s.Desc, s.Password, m); why != "" {
		sr.ignore(o, m, why)
		return
	}
	var asker heard
	asker.hear(m.Password)
	name := e.sessionName(e.encodingFor(asker))
	if name == nil {
		name = wire.NewText("") // Wine drops a reply without a name (facts, 3.2)
	}
	o = o.direct()
	e.sendTCP(o.listener, &wire.EnumSessionsReply{Desc: s.Desc, Name: name})
	e.hangUp(o)
}

// A silentFor is an asker that was left without an answer, and why.
type silentFor struct {
	asker netip.Addr
	why   SilenceReason
}

// maxSilent bounds the askers that are remembered, so that the program is told of each of them once: who looks for
// sessions does so again and again. Beyond it the oldest is forgotten, and may be told once more.
const maxSilent = 256

// ignore leaves an enumeration unanswered.
func (sr *search) ignore(o origin, m *wire.EnumSessions, why SilenceReason) {
	if sr.isNew(silentFor{o.from.Addr().Unmap(), why}) {
		sr.e.event(EnumerationIgnored{From: o.from, Application: m.Application, Flags: m.Flags, Password: hasText(m.Password), Reason: why})
	}
}

// isNew reports whether the program was not told of an asker yet, and remembers that it is.
func (sr *searching) isNew(s silentFor) bool {
	if slices.Contains(sr.silent, s) {
		return false
	}
	if len(sr.silent) >= maxSilent {
		sr.silent = slices.Delete(sr.silent, 0, 1)
	}
	sr.silent = append(sr.silent, s)
	return true
}

// enumSessionsReply tells the program of a session. A host is known by the address in its header, not by the
// connection that its reply came on (facts, 2.8).
func (sr *search) enumSessionsReply(o origin, m *wire.EnumSessionsReply) {
	if !sr.asked {
		sr.e.drop(o, "ENUMSESSIONSREPLY", OutOfTurn, "we did not ask")
		return
	}
	enc, fixed := sr.e.cfg.encodingOf(m.Desc.Application)
	if !fixed {
		enc = m.Name.Encoding()
	}
	sr.e.event(SessionFound{Host: o.listener, From: o.from.Addr().Unmap(), Desc: m.Desc, Name: m.Name.As(enc), Encoding: enc})
}

// FromOutside reports whether a message that came over TCP is of those that machines outside of a session send: to find
// one, to tell of one, and to ask to be let in. One from where a member listens does not say that the member is still there.
func FromOutside(stream []byte) bool {
	const command, flags = wire.SPHeaderSize + 4, wire.SPHeaderSize + wire.HeaderSize
	if len(stream) < flags || !wire.HasSignature(stream[wire.SPHeaderSize:]) {
		return false
	}
	switch wire.Command(binary.LittleEndian.Uint16(stream[command:])) {
	case wire.CmdEnumSessions, wire.CmdEnumSessionsReply:
		return true
	case wire.CmdRequestPlayerID:
		return len(stream) > flags && wire.PlayerFlags(stream[flags])&wire.PlayerSystem != 0
	}
	return false
}

// hangUp closes the connection to somebody who is neither in the session nor on its way in, after what is still
// to be sent. The program behind it may end, and another one take its port, before we would notice.
func (s *sender) hangUp(o origin) {
	if s.peerOf(o) == nil && !slices.ContainsFunc(s.reserved.Newcomers, func(n *admit.Newcomer) bool { return n.Listener == o.listener }) {
		s.hangUpAt(o.listener)
	}
}
