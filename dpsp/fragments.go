package dpsp

import (
	"time"

	"dplay4/dpsp/internal/fragment"
	"dplay4/wire"
)

// The fragments are the large messages that are on their way, from us and to us (3.1.4.18).
type fragments struct {
	out fragment.Sender
	in  fragment.Receiver
}

// sendInFragments sends a message in fragments: PACKET without guarantee, PACKET2_DATA with. It fails only with ErrBusy, and then
// nothing was sent.
func (s *sender) sendInFragments(to []*peer, m wire.Message, guaranteed bool) error {
	m = wrapped(m, true) // what is put together is told apart by its first octets
	message, err := s.bare(m)
	if err != nil {
		s.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
		return nil
	}
	if guaranteed && !s.fragments.out.Room(len(to)) {
		return ErrBusy
	}
	const overhead = wire.SPHeaderSize + wire.PacketFixed
	for _, p := range to {
		id := newGUID(s.rng)
		if guaranteed {
			s.sendTCP(p.stream, s.fragments.out.Send(s.now, id, p.stream, message, s.cfg.MaxStream-overhead))
			continue
		}
		all := fragment.Cut(id, message, s.cfg.MaxDatagram-overhead)
		for i := range all {
			s.send(UDP, p.datagram, &all[i])
		}
	}
	return nil
}

// bare encodes a message without an SP header, as fragments carry it.
func (s *sender) bare(m wire.Message) ([]byte, error) {
	if game, ok := m.(*wire.PlayerMessage); ok {
		return wire.AppendPlayerMessage(nil, game)
	}
	return wire.AppendMessage(nil, s.cfg.Dialect, m)
}

// packet2Ack takes an acknowledgement, and sends the next fragment.
func (s *sender) packet2Ack(o origin, m *wire.Packet2Ack) {
	p := s.peerOf(o)
	if next := s.fragments.out.Acknowledged(s.now, p.stream, m); next != nil {
		s.sendTCP(p.stream, next)
	}
}

// fragmentTimers sends fragments again, and gives up messages whose fragments nobody acknowledges.
func (s *sender) fragmentTimers() {
	for _, m := range s.fragments.out.Due(s.now) {
		if m.Fragment == nil {
			s.drop(origin{from: m.To}, "PACKET2_DATA", LimitReached, "a large message was given up: nobody acknowledges it")
			continue
		}
		s.sendTCP(m.To, m.Fragment)
	}
	s.fragments.in.Expire(s.now)
}

// next returns the time of the next timer.
func (f *fragments) next() time.Duration { return min(f.out.Next(Never), f.in.Next(Never)) }

// forget drops what is on its way to a machine that is gone and, unless the links to it are kept, what is on its way from it.
func (f *fragments) forget(m *peer, kept bool) {
	f.out.Forget(m.stream)
	if kept {
		return
	}
	f.in.Forget(m.stream)
	f.in.Forget(m.alias)
}

// whole reports whether a message is a fragment that has all of another one. Programs send single ones around
// ordinary messages, also while they join (facts, 3.16).
func whole(m wire.Message) bool {
	switch m := m.(type) {
	case *wire.Packet:
		return m.Data.Message != nil
	case *wire.Packet2Data:
		return m.Data.Message != nil
	}
	return false
}

// unwrap takes the message in a single fragment. Its own rules say who may send it.
func (e *Engine) unwrap(o origin, m wire.Message) {
	switch m := m.(type) {
	case *wire.Packet:
		e.inner(o, &m.Data)
	case *wire.Packet2Data:
		if e.fromStranger(o) {
			e.drop(o, "PACKET2_DATA", NotMember, "its sender is not in the session")
			return
		}
		e.acknowledge(o, m.ID, m.Index)
		if e.fragments.in.Whole(m.ID, o.listener) { // or our acknowledgement was late
			e.inner(o, &m.Data)
		}
	}
}

// fromStranger reports whether a fragment that is to be acknowledged is from nobody that a member knows: it may take us for
// what we were before our program began anew, and the acknowledgement for a sign of life. A host knows newcomers later.
func (s *sessionState) fromStranger(o origin) bool {
	return s.state == member && !s.hosting() && s.peerOf(o) == nil
}

func (s *sender) acknowledge(o origin, id wire.GUID, index uint32) {
	s.sendTCP(s.answerTo(o).listener, &wire.Packet2Ack{ID: id, Index: index})
}

// fragment takes a PACKET or PACKET2_DATA (3.1.5.27, 3.1.5.28).
func (e *Engine) fragment(o origin, m wire.Message) {
	name, f := m.Command().String(), fragment.Of(m)
	message, err := e.fragments.in.Add(e.now, o.listener, f)
	switch err {
	case fragment.ErrSize:
		e.drop(o, name, Malformed, err.Error())
		return
	case fragment.ErrRoom:
		e.drop(o, name, LimitReached, err.Error()) // and no acknowledgement: it is sent again
		return
	}
	if f.Reliable {
		e.acknowledge(o, f.ID, f.Index)
	}
	switch {
	case err != nil:
		e.drop(o, name, Conflict, err.Error())
	case message != nil:
		e.assembled(o, message)
	}
}

// assembled takes a message that was put together, or held.
func (e *Engine) assembled(o origin, message []byte) {
	env, err := e.dec.DecodeBare(message)
	switch {
	case err != nil:
		e.malformed(o, &env, err)
	case env.System():
		switch env.Message.(type) {
		case *wire.Packet, *wire.Packet2Data:
			e.drop(o, env.Message.Command().String(), NotAllowed, "fragments in fragments")
			return
		}
		e.system(o, env.Version, env.Message)
	default:
		e.receive(o, env.Message.(*wire.PlayerMessage), o.guaranteed())
	}
}
