package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// What large messages wait for, and how many there are.
const (
	packetGiveUp  = 60 * time.Second
	discardParts  = 15 * time.Second // unacknowledged fragments that stopped coming (2.2.41)
	maxOutgoing   = 1024             // fragmented messages on their way at a time
	maxParts      = 256              // fragmented messages being received at a time
	maxPartsEach  = 16               // from one machine
	maxPartOctets = 16 << 20         // octets of those that are received, together
	maxComplete   = 256              // messages that are remembered as complete
)

// The fragments are the large messages that are on their way, to us and from us (3.1.4.18).
type fragments struct {
	e   *Engine
	out []*outgoing // acknowledged ones of ours, in order
	in  assembly
}

// send sends a message in fragments: PACKET without guarantee, PACKET2_DATA with. It fails only with ErrBusy, and then
// nothing was sent.
func (f *fragments) send(to []*peer, m wire.Message, guaranteed bool) error {
	e := f.e
	m = wrapped(m, true) // what is put together is told apart by its first octets
	message, err := e.bare(m)
	if err != nil {
		e.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
		return nil
	}
	if guaranteed && !f.room(len(to)) {
		return ErrBusy
	}
	const overhead = wire.SPHeaderSize + wire.PacketFixed
	for _, p := range to {
		if guaranteed {
			w := &outgoing{id: newGUID(e.rng), to: p.stream, message: message, step: e.cfg.MaxStream - overhead, timer: packetFirst}
			f.out = append(f.out, w)
			e.sendTCP(w.to, w.send(e.now))
			continue
		}
		id, step := newGUID(e.rng), e.cfg.MaxDatagram-overhead
		for i := 0; i*step < len(message); i++ {
			e.send(UDP, p.datagram, &wire.Packet{
				ID: id, Index: uint32(i), Offset: uint32(i * step), Total: pieces(len(message), step), MessageSize: uint32(len(message)),
				Data: wire.Inner{Octets: message[i*step : min((i+1)*step, len(message))]},
			})
		}
	}
	return nil
}

// room reports whether n more messages may be on their way.
func (f *fragments) room(n int) bool { return len(f.out)+n <= maxOutgoing }

// bare encodes a message without an SP header, as fragments carry it.
func (e *Engine) bare(m wire.Message) ([]byte, error) {
	if game, ok := m.(*wire.PlayerMessage); ok {
		return wire.AppendPlayerMessage(nil, game)
	}
	return wire.AppendMessage(nil, e.cfg.Dialect, m)
}

// packet2Ack takes an acknowledgement, and sends the next fragment.
func (f *fragments) packet2Ack(o origin, m *wire.Packet2Ack) {
	e := f.e
	p := e.peerOf(o)
	if p == nil {
		e.drop(o, "PACKET2_ACK", NotMember, "its sender is not in the session")
		return
	}
	i := slices.IndexFunc(f.out, func(w *outgoing) bool { return w.id == m.ID })
	if i < 0 || int(m.Index) != f.out[i].index || f.out[i].to != p.stream {
		return // a redundant one is to be ignored (3.1.5.29)
	}
	if w := f.out[i]; !w.acknowledged(e.now) {
		e.sendTCP(w.to, w.send(e.now))
		return
	}
	f.out = slices.Delete(f.out, i, i+1)
}

// timers resends fragments, and gives up messages whose fragments nobody acknowledges.
func (f *fragments) timers() {
	e := f.e
	f.out = slices.DeleteFunc(f.out, func(w *outgoing) bool {
		switch {
		case w.deadline > e.now:
		case w.sends >= packetSends && e.now-w.first >= packetGiveUp:
			e.drop(origin{from: w.to}, "PACKET2_DATA", LimitReached, "a large message was given up: nobody acknowledges it")
			return true
		default:
			e.sendTCP(w.to, w.send(e.now))
		}
		return false
	})
	f.in.expire(e.now)
}

// next returns the time of the next timer.
func (f *fragments) next() time.Duration {
	next := Never
	for _, w := range f.out {
		next = min(next, w.deadline)
	}
	for _, p := range f.in.work {
		next = min(next, p.deadline)
	}
	return next
}

// forget drops what is on its way to or from a machine that is gone.
func (f *fragments) forget(m *peer) {
	f.out = slices.DeleteFunc(f.out, func(w *outgoing) bool { return w.to == m.stream })
	f.in.drop(func(p *part) bool { return p.from == m.stream || p.from == m.alias })
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
func (f *fragments) unwrap(o origin, m wire.Message) {
	switch m := m.(type) {
	case *wire.Packet:
		f.e.inner(o, &m.Data)
	case *wire.Packet2Data:
		if f.fromStranger(o) {
			f.e.drop(o, "PACKET2_DATA", NotMember, "its sender is not in the session")
			return
		}
		c := completed{m.ID, o.listener}
		f.acknowledge(o, m.ID, m.Index)
		if f.in.isComplete(c) {
			return // our acknowledgement was late
		}
		f.in.done(c)
		f.e.inner(o, &m.Data)
	}
}

// fromStranger reports whether a fragment that is to be acknowledged is from nobody that a member knows: it may take us for
// what we were before our program began anew, and the acknowledgement for a sign of life. A host knows newcomers later.
func (f *fragments) fromStranger(o origin) bool {
	return f.e.state == member && !f.e.hosting() && f.e.peerOf(o) == nil
}

func (f *fragments) acknowledge(o origin, id wire.GUID, index uint32) {
	f.e.sendTCP(f.e.answerTo(o).listener, &wire.Packet2Ack{ID: id, Index: index})
}

// take takes a PACKET or, if it is reliable, a PACKET2_DATA (3.1.5.27, 3.1.5.28).
func (f *fragments) take(o origin, reliable bool, g fragment) {
	e := f.e
	name := "PACKET"
	if reliable {
		name = "PACKET2_DATA"
	}
	c := completed{g.id, o.listener}
	switch {
	case !e.isMember(o), reliable && f.fromStranger(o):
		e.drop(o, name, NotMember, "its sender is not in the session")
		return
	case !g.possible():
		e.drop(o, name, Malformed, "a size or number of fragments that cannot be")
		return
	case !f.in.room(c, g):
		e.drop(o, name, LimitReached, "too many large messages come at once") // and no acknowledgement: it is sent again
		return
	}
	if reliable {
		f.acknowledge(o, g.id, g.index)
	}
	message, ok := f.in.add(c, reliable, g, e.now)
	switch {
	case !ok:
		e.drop(o, name, Conflict, "it does not follow the fragment before it")
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
		e.play.receive(o, env.Message.(*wire.PlayerMessage), o.guaranteed())
	}
}
